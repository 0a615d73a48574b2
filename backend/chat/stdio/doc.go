//go:build unix

// Package stdio runs an agent as a process that speaks in lines: it starts it,
// hands its lines over one at a time and in order, queues what is sent to it, and
// says why it ended. What the lines mean is the drivers' matter.
package stdio
