package session

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// firstScreenTimeout is how long a connected panel may take to show a terminal
	// before the start continues without it.
	firstScreenTimeout = 500 * time.Millisecond
)
