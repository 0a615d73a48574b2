package command

// The timers and limits of this package. A timer exists only for a deadline, a
// heartbeat or a backoff.
const (
	// replyLimit is how many characters the commands that show a page's parts
	// answer unless asked for more; what is left out is counted.
	replyLimit = 20_000
	// maxResponsive is how many widths `responsive` takes in one call.
	maxResponsive = 12
	// listShown is how many entries a listing shows unless asked for more.
	listShown = 50
	// eachTabs is how many tabs `each` asks at once.
	eachTabs = 8
)
