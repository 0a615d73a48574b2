package logs

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	logFileSize  = 10 << 20 // a log file is rotated when it reaches this size
	logFileCount = 5        // how many rotated files are kept
	logTail      = 2000     // how many records the window receives when it opens
)
