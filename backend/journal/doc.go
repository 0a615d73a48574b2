// Package journal writes state to disk: whole files that are replaced atomically
// (WriteFile), and append-only logs with one monotonic index (Log).
package journal
