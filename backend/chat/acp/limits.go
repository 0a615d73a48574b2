package acp

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// agentInbox is how many bytes of one session wait for its conversation
	// before the agent is read no further.
	agentInbox = 4 << 20
	// chatCloseWait is how long an agent may take to close a session, in which it
	// writes down what was said, before its process may end.
	chatCloseWait = 2 * time.Second
)
