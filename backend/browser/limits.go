package browser

import "time"

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// browserStopTimeout is how long it may take to close by itself.
	browserStopTimeout = 3 * time.Second
	// leaveTimeout is how long a browser that stays may take to close what is ours in it: on a
	// busy machine a tab takes a second.
	leaveTimeout = 10 * time.Second
	// tabSettle is how long a change of the tabs waits for a report of the
	// extension's worker before the worker is asked.
	tabSettle = 25 * time.Millisecond
	// workerAnswer is how long the worker may take to answer. After that the
	// browser's own information counts.
	workerAnswer = 1 * time.Second
	// frontAnswer is how long the browser may take to say which tab is in front.
	// Nothing asks again, and on a busy machine an answer took longer than a second.
	frontAnswer = 10 * time.Second
	// workerStartTimeout is how long the extension's worker may take to appear
	// after the extension was loaded. After that the extension is loaded again.
	workerStartTimeout = 8 * time.Second
)
