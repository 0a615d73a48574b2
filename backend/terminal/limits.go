package terminal

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// inputQueue is how many bytes of input wait for a slow program before the
	// viewer's socket is read no further.
	inputQueue = 32 << 20
	// maxTerminals is how many terminals one session runs at once.
	maxTerminals = 32
	// terminalAttachTimeout is how long a viewer may take for its first message.
	terminalAttachTimeout = 5 * time.Second
	// terminalCloseWait is how long a viewer may take for the closing handshake.
	terminalCloseWait = 1 * time.Second
	// terminalInputWait is how long a full input queue may stand still before
	// the viewer that fills it is dropped.
	terminalInputWait = 30 * time.Second
	// firstAnswerWithin is how long after the start of a program its first viewer
	// still answers what the program asked of its terminal meanwhile; a program
	// that waits longer for a terminal's answer has given up.
	firstAnswerWithin = 10 * time.Second
	// resizeEvery is the shortest time between two resizes of a program; what
	// comes closer together becomes one.
	resizeEvery = 50 * time.Millisecond
	// nudgeWait is how long a program has another size when it is to draw itself
	// anew: long enough for a busy one to notice.
	nudgeWait = 250 * time.Millisecond
	// statusDelay is after how long a change of the foreground program or the
	// title is told: one that is over sooner is not worth a flicker.
	statusDelay = 100 * time.Millisecond
	// interruptQuiet is how long an agent is silent after Escape or Ctrl-C until it
	// counts as waiting for the person: far longer than the steps of its animation.
	interruptQuiet = 2 * time.Second
)
