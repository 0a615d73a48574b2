package attention

import "time"

const (
	// settle is how long a terminal must want the user before it is shown. An approval
	// that the same program asks for, and the end of a short state, come in this time.
	settle = 500 * time.Millisecond
	// gap is the minimum time between two notifications of one terminal: a program can
	// change its status as fast as it likes.
	gap = 10 * time.Second
	// notifyTimeout is how long the desktop may take to show a notification.
	notifyTimeout = 5 * time.Second
	// maxName and maxTab are how many characters of a program's name and of a tab's title
	// are in the title of a notification, so that both have room in it.
	maxName = 40
	maxTab  = 40
)
