package session

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// firstScreenTimeout is how long a panel that has connected may take to show
	// a terminal before the rest of the start goes on.
	firstScreenTimeout = 500 * time.Millisecond
	// showWait is how long a panel that is being opened is told what it was opened
	// for.
	showWait = 10 * time.Second
)
