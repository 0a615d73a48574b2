package protocol

import "errors"

// Code is a stable error code. Programs branch on it, so its meaning never
// changes.
type Code string

// The error codes.
const (
	CodeBadArgument     Code = "bad_argument"     // an argument is missing, of the wrong type or out of range
	CodeUnknownCommand  Code = "unknown_command"  // no command has this name
	CodeUnknownTab      Code = "unknown_tab"      // no open tab has this id
	CodeUnknownTerminal Code = "unknown_terminal" // no terminal has this id, or its grace time is over
	CodeUnknownSession  Code = "unknown_session"  // no session has this name
	CodeUnknownTask     Code = "unknown_task"     // no task has this id
	CodeNotRunning      Code = "not_running"      // the session, or the app, is not running
	CodeUnauthorized    Code = "unauthorized"     // no token, or one that is not valid any more
	CodeForbidden       Code = "forbidden"        // a valid token, but not for this route
	CodeRefused         Code = "refused"          // the policy forbids it, whatever the token allows
	CodeDenied          Code = "denied"           // the user was asked and said no
	CodeTimeout         Code = "timeout"          // the deadline passed
	CodeNavigation      Code = "navigation"       // the page could not be loaded
	CodeCrashed         Code = "crashed"          // the tab, the browser or the agent crashed
	CodeAgentMissing    Code = "agent_missing"    // the agent is not installed
	CodeUnknownModel    Code = "unknown_model"    // no model profile has this id, or it was removed
	CodeNoKey           Code = "no_key"           // the model profile has no key
	CodeBadKey          Code = "bad_key"          // the provider of a model refuses its key
	CodeModelSetup      Code = "model_setup"      // the model profile has to be changed: its address or its model
	CodeBusy            Code = "busy"             // a limit is reached; try later
	CodeTooLarge        Code = "too_large"        // a message or body is over its limit
	CodeScript          Code = "script"           // a script of the caller threw an exception
	CodeInternal        Code = "internal"         // an error of Pilotfish itself

	CodeUnknownConversation Code = "unknown_conversation" // no conversation has this id, or it was deleted

	CodeNoElement  Code = "no_element"  // nothing on the page matches, or this ref was never given out
	CodeAmbiguous  Code = "ambiguous"   // several elements match; the message names them
	CodeGone       Code = "gone"        // the element is not on the page any more
	CodeChanged    Code = "changed"     // the element is no longer as it was shown
	CodeDisabled   Code = "disabled"    // the element is disabled, or read-only
	CodeHidden     Code = "hidden"      // the element is not visible
	CodeInert      Code = "inert"       // a modal element blocks input to the element
	CodeCovered    Code = "covered"     // another element covers it
	CodeNotActable Code = "not_actable" // the element does not support this action
	CodeDialog     Code = "dialog"      // a dialog of the page has to be answered first
	CodeNoInput    Code = "no_input"    // the browser refuses the app input to this tab; nothing was done

	CodeNoBrowser    Code = "no_browser"     // no Chromium was found
	CodeNoDisplay    Code = "no_display"     // there is no display to open a window on
	CodeNoSandbox    Code = "no_sandbox"     // running as root without PILOTFISH_NO_SANDBOX=1
	CodeNoKeyring    Code = "no_keyring"     // a warning: the desktop runs no service that keeps secrets
	CodeProfileInUse Code = "profile_in_use" // another browser holds the profile
	CodeNotWritable  Code = "not_writable"   // a folder cannot be written
	CodeNotConfined  Code = "not_confined"   // programs cannot be confined on this machine
	CodeBrowserStart Code = "browser_start"  // the browser ended while it started
)

// Error is what a user or a program gets when something fails: what happened,
// and what to do about it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Hint says what to do next, in words for every client, so it names no command
	// of the registry. Empty when there is nothing to do.
	Hint string `json:"hint,omitempty"`
	// Next are commands that help. Each client renders them in its own form.
	Next []Suggestion `json:"next,omitempty"`
	// Detail is the last output of a program that failed, in lines, for a closer
	// look. The program wrote it, so it is not safe to show unchanged.
	Detail string `json:"detail,omitempty"`
	// Page says whether the message contains text of a page.
	Page PageWords `json:"-"`
}

// PageWords says whether an error contains text of a page. An agent must get
// such text only in an envelope.
type PageWords int

// What is known about an error's message.
const (
	PageByCode    PageWords = iota // only what the code implies
	PageBare                       // it contains text of a page, without an envelope
	PageEnveloped                  // its text of a page is in an envelope
)

// Quoting returns the error, marked as containing text of a page without an
// envelope.
func (e *Error) Quoting() *Error {
	said := *e
	said.Page = PageBare
	return &said
}

// NewError returns an Error with a code, a message, a hint and the commands that
// help.
func NewError(code Code, message, hint string, next ...Suggestion) *Error {
	return &Error{Code: code, Message: message, Hint: hint, Next: next}
}

// Saying returns the same error with another message.
func (e *Error) Saying(message string) *Error {
	said := *e
	said.Message = message
	return &said
}

// NoDisplay returns the error for a missing display; why is a detail for
// experts.
func NoDisplay(why string) *Error {
	return NewError(CodeNoDisplay, "there is no display to open a window on ("+why+")",
		"start it in a desktop session, or use `pilotfish serve --headless`")
}

// Error returns the message, followed by the hint.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// AsError returns err as an Error; an error without a code becomes
// CodeInternal. It returns nil for nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	if e, ok := errors.AsType[*Error](err); ok {
		return e
	}
	return &Error{Code: CodeInternal, Message: err.Error()}
}

// ExitCode is the exit code of the command line for an error code. The numbers
// are stable.
func (c Code) ExitCode() int {
	switch c {
	case "":
		return 0
	case CodeBadArgument, CodeUnknownCommand:
		return 2
	case CodeNotRunning, CodeNoBrowser, CodeNoDisplay, CodeNoSandbox, CodeProfileInUse, CodeNotWritable, CodeBrowserStart:
		return 3
	case CodeUnauthorized, CodeForbidden, CodeRefused, CodeDenied:
		return 4
	case CodeTimeout:
		return 5
	case CodeUnknownTab, CodeUnknownTerminal, CodeUnknownSession, CodeUnknownTask, CodeUnknownModel:
		return 6
	default:
		return 1
	}
}
