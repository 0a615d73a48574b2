// Package logs is where the app's log goes: as JSON lines into a file that is
// rotated, and as records into a ring that the window shows as they come. A log
// must never be the reason why something else fails: a full disk loses lines and
// says so once, and a flood of one message is cut.
package logs
