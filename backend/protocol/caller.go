package protocol

import "context"

// Caller identifies for whom something is done in a tab. The zero Caller is the
// app itself.
type Caller struct {
	// Name is the name under which a browser stores what a caller was shown, holds
	// down and knows. The caller's actions are checked against that.
	Name string
	// InOrder means that the caller's commands on one tab run one after the other,
	// even while one of them only waits: an agent that sends several at once
	// expects that order. The shells of a user are independent of each other.
	InOrder bool
	// Acts refuses to act on Tab when that shows an address where the command was not
	// allowed. It is asked while the tab is held for the command, right before it acts.
	// nil refuses nothing.
	Acts func(address string) error
	Tab  TabID
}

// Saver decides about the files that the pages of a tab would save.
type Saver interface {
	// Asks reports whether Save has to be called before a file of an address is
	// saved. It answers at once.
	Asks(address string) bool
	// Save returns a function that waits for the decision about a file, and that has
	// to be called once; nil when the file may be saved. It calls begin for an allowed
	// file before the caller gets its reply. stopped: the browser has begun to save it and is
	// stopped, so what began it has to be repeated.
	Save(address, name string, stopped bool) (decide func(ctx context.Context, begin func()) error)
}
