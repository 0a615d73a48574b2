package mcp

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// mcpSessionIdle is how long an MCP session lives without a request.
	mcpSessionIdle = 30 * time.Minute
	// taskToolWait is how long an MCP tool waits by default for a task's end: most
	// clients give up a tool call after a minute. taskToolMaxWait is the longest
	// wait that a caller may ask for, and the default for a client that receives
	// progress.
	taskToolWait    = 50 * time.Second
	taskToolMaxWait = 10 * time.Minute
)
