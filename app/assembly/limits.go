package assembly

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// predecessorTimeout is how long a start waits for an instance that is
	// ending.
	predecessorTimeout = 15 * time.Second
	// predecessorGone is how long a start waits for the lock when its holder
	// has no endpoint file: the holder has removed it, or has not written it
	// yet.
	predecessorGone = 2 * time.Second
)
