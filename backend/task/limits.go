package task

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// maxTaskEvent bounds the data of one event of a task, in bytes; pictures are
	// files.
	maxTaskEvent = 256 << 10
	// taskPictures is how many bytes the pictures of a session's tasks have; those
	// of old tasks make room. TaskPictureQuality is that of their JPEGs.
	taskPictures = 128 << 20
	// taskSearchText is how many bytes of each text of a step can be searched.
	taskSearchText = 4 << 10
	// taskFiles is how many files of 4 MiB a task's journal keeps.
	taskFiles = 16
	// taskGoneViews is how many of the panel views that went are remembered, so
	// that a late write of theirs is refused.
	taskGoneViews = 64
	// taskWritesKnown is how many writes of a task are remembered, so that one whose
	// answer got lost is not written twice. A view has a few on their way at most.
	taskWritesKnown = 32
	// maxTaskRoutines bounds how many routines a session has.
	maxTaskRoutines = 200
)
