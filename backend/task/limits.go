package task

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxTaskEvent bounds the data of one event of a task, in bytes;
	// screenshots are in files.
	maxTaskEvent = 256 << 10
	// taskScreenshots bounds the screenshots of all tasks of a session, in bytes;
	// those of the oldest tasks are deleted first.
	taskScreenshots = 128 << 20
	// taskSearchText is how many bytes of each text of a step are searched.
	taskSearchText = 4 << 10
	// taskFiles is how many files of 4 MiB a task's journal keeps.
	taskFiles = 16
	// taskGoneViews is how many closed panel views are remembered, so that a
	// late write of one of them is refused.
	taskGoneViews = 64
	// taskWritesKnown is how many writes of a task are remembered, so that a
	// repeated write, whose reply was lost, is not written twice. A view has
	// only a few writes in flight.
	taskWritesKnown = 32
	// maxTaskRoutines bounds how many routines a session has.
	maxTaskRoutines = 200
)
