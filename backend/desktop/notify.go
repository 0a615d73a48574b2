package desktop

// Notification is a note in the corner of the screen. Title and Body may be
// foreign text: they are shown as they are, never as markup, and cut to a
// sensible length.
type Notification struct {
	Title string
	Body  string
	// Urgent stays until the person has seen it.
	Urgent bool
	// Replaces is the id of an earlier notification that this one takes the
	// place of; 0 for none. Not every desktop can.
	Replaces uint32
	// Clicked is called, on a goroutine of the Notifier's, when the person clicks
	// the notification; it must not block. nil for nothing. Not every desktop can.
	Clicked func()
	// Actions are buttons beside the text. Not every desktop can.
	Actions []Action
}

// Action is a button of a notification.
type Action struct {
	Label string
	// Do is called as Clicked is.
	Do func()
}

// Fits says whether a text is shown whole as the body of a notification.
func Fits(body string) bool { return len([]rune(body)) <= maxBody }

// The longest texts of a notification, in runes.
const (
	maxTitle = 100
	maxBody  = 400
)
