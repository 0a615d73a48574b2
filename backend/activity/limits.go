package activity

import "pilotfish/backend/protocol"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// activityFileSize is the size at which a new file of a session's activity
	// begins, in bytes.
	activityFileSize = 4 << 20
	// activityFiles is how many of these files are kept.
	activityFiles = 12
	// activityUnwritten is how many entries wait for a disk that takes none. They
	// are in the ring, too, so they are fewer than it always keeps.
	activityUnwritten = protocol.ActivityRing / 4
	// activityText is the limit of one argument, and of the summary, of an entry,
	// in characters.
	activityText = 200
)
