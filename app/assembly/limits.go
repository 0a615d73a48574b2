package assembly

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// predecessorTimeout is how long a start waits for one that is ending.
	predecessorTimeout = 15 * time.Second
	// predecessorGone is how long a start waits for the lock of one whose endpoint
	// file is away, or not yet there.
	predecessorGone = 2 * time.Second
)
