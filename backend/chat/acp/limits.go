package acp

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// agentInbox bounds the queued messages of one session, in bytes, before
	// reading from the agent stops.
	agentInbox = 4 << 20
	// chatCloseWait is how long an agent may take to close a session, which
	// includes saving it, before its process may be ended.
	chatCloseWait = 2 * time.Second
)
