// Package logs writes the app's log: as JSON lines into a file that is rotated, and
// as records into a ring that the window shows live. A log must never be the reason
// why something else fails: on a full disk lines are lost with one warning, and a
// flood of one message is cut.
package logs
