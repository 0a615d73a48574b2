package command

import (
	"context"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// Command is a spec with its handler, and with what the registry has to know to
// judge a call before it runs.
type Command struct {
	Spec
	// Tab says which tabs the command may act on.
	Tab Aim
	// Kind is the kind of action for the site rules; if it is empty, the scope
	// decides.
	Kind protocol.ActionKind
	// Leaves: the command only navigates, activates or closes the tab, so it may
	// also run on a page that is refused otherwise.
	Leaves bool
	// ByPage: the panel can carry the command out with events made in the page,
	// or, for a navigation, with the browser's API for extensions.
	ByPage bool
	// ByHand: the panel can carry the command out with the browser's API for extensions,
	// where that is the only way into the browser.
	ByHand bool
	// Nests: the command runs other commands. Such commands cannot be nested.
	Nests bool
	// OpensTab: in a chain, the next commands act on the tab that this one opened.
	OpensTab bool
	// Throws: an error of a script that the command runs is text of the page.
	Throws bool
	// First refuses a call that no approval of the user can allow, and says what its
	// arguments mean (Invocation.Means); nil does nothing.
	First func(in *Invocation) error
	// Opens returns the address that a command of the kind open goes to; "" for
	// none.
	Opens func(in *Invocation) (string, error)
	// ListsNames reports whether a call only lists the names of what is stored,
	// which is not secret.
	ListsNames func(in *Invocation) bool
	// Answers returns the pattern of the addresses that a call answers in place
	// of their sites with something that can run as code there; "" for none. Such
	// a call is judged like one of the kind eval on these sites, too.
	Answers func(in *Invocation) string
	// Loads returns the addresses inside the values of a call, from which the page may
	// load something because of it. Each is judged like an address that is opened.
	Loads func(in *Invocation) []string
	// Replaces returns what of somebody else a call would replace, and by what,
	// so that the user can be asked; nil if it replaces nothing of others.
	Replaces func(ctx context.Context, in *Invocation) ([]protocol.ApprovalArg, error)
	// Secrets: the argument secret names a secret of the user, which the call enters in
	// the element that the argument target names.
	Secrets bool
	// Confirms returns what the user is shown besides the arguments when a call of an
	// agent needs the user's answer whatever the site rules say, because it is not about
	// a page; empty if the rules decide.
	Confirms func(in *Invocation) []protocol.ApprovalArg
	// Doing returns what a call is about to do to an element, and to which
	// element; nil for a command that has no consequence.
	Doing func(in *Invocation) (do policy.Doing, target string)
	Run   func(ctx context.Context, in *Invocation) (Result, error)
}

// kind returns the kind of action for the site rules.
func (c *Command) kind() protocol.ActionKind {
	switch {
	case c.Kind != "":
		return c.Kind
	case c.Scope == protocol.ScopeSensitive:
		return protocol.ActionSensitive
	}
	return protocol.ActionAct
}

// Giving returns a Doing for a command that gives data of its caller to the page's
// site, when gives says so of a call's arguments.
func Giving(gives func(args Values) bool) func(*Invocation) (policy.Doing, string) {
	return func(in *Invocation) (policy.Doing, string) { return policy.Doing{Gives: gives(in.Args)}, "" }
}

// Aim says which tab a command needs.
type Aim int

// The aims of commands.
const (
	NoTab  Aim = iota // it is not about a tab
	AnyTab            // any tab, because every caller may read the list of tabs
	OwnTab            // content or change of a tab: an agent may use only its own tabs
)

// Result is the result of a command: text for a reader, data for a program.
type Result struct {
	Text string
	Data any
	// Failed is set when only a part was done; Text and Data say which part.
	Failed error
}

// BadArgument returns the error for arguments that do not fit together.
func BadArgument(message, hint string, next ...protocol.Suggestion) error {
	return protocol.NewError(protocol.CodeBadArgument, message, hint, next...)
}
