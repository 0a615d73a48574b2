package main

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// hookInputWait is how long a hook waits for the JSON on its input.
	hookInputWait = 250 * time.Millisecond
	// doctorTimeout is how long `doctor` gives each of its checks.
	doctorTimeout = 10 * time.Second
)
