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
}

// The longest texts of a notification, in runes.
const (
	maxTitle = 100
	maxBody  = 400
)
