// Package stdio runs an agent as a process that communicates in lines. It
// starts the process, passes on its lines one at a time and in order, queues
// the lines for it, and reports why it ended. The meaning of the lines is up to
// the drivers.
package stdio
