package approval

import "time"

const (
	// notifySettle is how long a notification is on the screen before a press on its
	// "Allow once" counts: an earlier one was meant for what was there before.
	notifySettle = 800 * time.Millisecond
	// notifyTimeout is how long the desktop may take to show a notification.
	notifyTimeout = 5 * time.Second
	// rulesVersion is the version of rules.json.
	rulesVersion = 1
)
