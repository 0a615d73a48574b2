package proc

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	stopKillWait = 1 * time.Second // after SIGKILL, before a process is reported as left over
)
