// Package journal is how state reaches the disk: whole files that are replaced
// or left alone (WriteFile), and append-only logs with one monotonic index
// (Log).
package journal
