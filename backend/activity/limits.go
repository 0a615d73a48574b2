package activity

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// activityFileSize is the size at which a session's activity begins a new
	// file, in bytes.
	activityFileSize = 4 << 20
	// activityFiles is how many of these files are kept.
	activityFiles = 8
	// activityText bounds one argument, and the summary, of an entry, in
	// characters.
	activityText = 200
)
