package mcp

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// mcpSessionIdle is how long an MCP session without a request lives.
	mcpSessionIdle = 30 * time.Minute
	// taskToolWait is how long a tool of MCP waits for a task's end: most clients
	// give a tool up after a minute. TaskToolMaxWait is the most that may be asked
	// for, and the default for a client that hears progress.
	taskToolWait    = 50 * time.Second
	taskToolMaxWait = 10 * time.Minute
)
