package terminal

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// inputQueue is how many bytes of input are queued for a slow program before the
	// backend stops reading the viewer's socket.
	inputQueue = 32 << 20
	// maxTerminals is how many terminals one session runs at once.
	maxTerminals = 32
	// terminalAttachTimeout is the deadline for a viewer's first message.
	terminalAttachTimeout = 5 * time.Second
	// terminalCloseWait is the deadline for a viewer's closing handshake.
	terminalCloseWait = 1 * time.Second
	// terminalInputWait is how long a full input queue may make no progress before
	// the viewer that fills it is disconnected.
	terminalInputWait = 30 * time.Second
	// firstAnswerWithin limits how old a program may be when its first viewer
	// attaches and still answers the queries that the program already sent to its
	// terminal. A program does not wait longer than this for a terminal's answer.
	firstAnswerWithin = 10 * time.Second
	// resizeEvery is the minimum time between two resizes of a program. Resizes that
	// come closer together are merged into one.
	resizeEvery = 50 * time.Millisecond
	// nudgeWait is how long a program keeps a different size when it must redraw:
	// long enough for a busy program to notice.
	nudgeWait = 250 * time.Millisecond
	// statusDelay is the delay before a change of the foreground program or of the
	// title is reported. A shorter change is not reported, to avoid flicker.
	statusDelay = 100 * time.Millisecond
	// statusLast is the longest such delay: a shell's foreground program is looked at again,
	// each time after four times the delay before, up to this one.
	statusLast = 64 * statusDelay
	// interruptQuiet is how long an agent must be silent after Escape or Ctrl-C until
	// it counts as waiting for the user: far longer than the steps of its animation.
	interruptQuiet = 2 * time.Second
)
