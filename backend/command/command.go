package command

import (
	"context"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Command is a spec with what it does, and with what has to be known of it to
// judge a call before it runs.
type Command struct {
	Spec
	// Tab says which tabs the command may be aimed at.
	Tab Aim
	// Kind is what the site rules call it; by its scope when it is empty.
	Kind protocol.ActionKind
	// Leaves: it only brings a tab elsewhere, so that it is of use on a page that is
	// refused otherwise.
	Leaves bool
	// ByPage: the panel can do it by a page's own events, or, where it brings a tab
	// elsewhere, by what the browser lets extensions do.
	ByPage bool
	// Nests: it runs other commands. These do not stand in each other.
	Nests bool
	// OpensTab: what follows it in a chain is about the tab that it opened.
	OpensTab bool
	// Throws: an error of a script that it runs is the page's words.
	Throws bool
	// First refuses what no word of the person can allow; nil refuses nothing.
	First func(in *Invocation) error
	// Opens is the address that a command of the kind open goes to; "" for none.
	Opens func(in *Invocation) (string, error)
	// ListsNames says whether a call only names what is stored, which is no secret.
	ListsNames func(in *Invocation) bool
	// Doing says what a call is about to do to an element that could set off
	// something, and to which; nil for a command that cannot.
	Doing func(ctx context.Context, in *Invocation) (do policy.Doing, target string)
	Run   func(ctx context.Context, in *Invocation) (Result, error)
}

// kind says what the command does, as far as the site rules know.
func (c *Command) kind() protocol.ActionKind {
	switch {
	case c.Kind != "":
		return c.Kind
	case c.Scope == protocol.ScopeSensitive:
		return protocol.ActionSensitive
	}
	return protocol.ActionAct
}

// Aim is what a command needs of its tab.
type Aim int

// The aims of commands.
const (
	NoTab  Aim = iota // it is about no tab
	AnyTab            // the list of tabs may be read by everybody
	OwnTab            // its content, or a change: an agent needs it to be its own
)

// Result is what a command answers: words, and the same for a program.
type Result struct {
	Text string
	Data any
	// Failed is set when only a part was done; Text and Data say which.
	Failed error
}

// BadArgument is the error of a call whose arguments do not fit together.
func BadArgument(message, hint string, next ...protocol.Suggestion) error {
	return protocol.NewError(protocol.CodeBadArgument, message, hint, next...)
}
