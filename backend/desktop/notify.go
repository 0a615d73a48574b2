package desktop

// Notification is a desktop notification. Title and Body may be untrusted text: they
// are shown as they are, never as markup, and cut to a maximum length.
type Notification struct {
	Title string
	Body  string
	// Urgent notifications stay until the user has seen them.
	Urgent bool
	// Replaces is the id of an earlier notification that this one replaces; 0 for
	// none. Not every desktop supports this.
	Replaces uint32
	// Clicked is called, on a goroutine of the Notifier, when the user clicks the
	// notification; it must not block. nil means no action. Not every desktop
	// supports this.
	Clicked func()
	// Actions are buttons beside the text. Not every desktop supports them.
	Actions []Action
}

// Action is a button of a notification.
type Action struct {
	Label string
	// Do is called in the same way as Clicked.
	Do func()
}

// Fits says whether two texts are shown whole as title and body of a notification.
func Fits(title, body string) bool {
	return len([]rune(title)) <= maxTitle && len([]rune(body)) <= maxBody
}

// The maximum lengths of a notification's texts, in runes.
const (
	maxTitle = 100
	maxBody  = 400
)
