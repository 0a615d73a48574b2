package agent

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// agentPathTimeout is how long the login shell may take to print its PATH;
	// a profile that starts a version manager takes about a second.
	agentPathTimeout = 5 * time.Second
	// agentPathWait is how long the start of a terminal waits for that answer.
	agentPathWait = 300 * time.Millisecond
	// agentVersionTimeout is how long an agent may take for `--version`; the
	// slowest ones start a Node or Python runtime from a cold disk.
	agentVersionTimeout = 10 * time.Second
	// agentProbes is how many agents are probed at once.
	agentProbes = 4
)
