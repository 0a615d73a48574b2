package protocol

import "errors"

// Code is a stable error code: programs branch on it, so it never changes its
// meaning.
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
	CodeForbidden       Code = "forbidden"        // a valid token that does not open this door
	CodeRefused         Code = "refused"          // the policy says no, whoever asks
	CodeTimeout         Code = "timeout"          // the deadline passed
	CodeNavigation      Code = "navigation"       // the page could not be loaded
	CodeCrashed         Code = "crashed"          // the tab, the browser or the agent crashed
	CodeAgentMissing    Code = "agent_missing"    // the agent is not installed
	CodeUnknownModel    Code = "unknown_model"    // no model profile has this id, or it was removed
	CodeNoKey           Code = "no_key"           // the model profile has no key
	CodeBadKey          Code = "bad_key"          // the provider of a model refuses its key
	CodeModelSetup      Code = "model_setup"      // the model profile has to be changed: its address, or its model
	CodeBusy            Code = "busy"             // a limit is reached; try later
	CodeTooLarge        Code = "too_large"        // a message or body is over its limit
	CodeScript          Code = "script"           // a script of the caller threw
	CodeInternal        Code = "internal"         // a fault of ours

	CodeUnknownConversation Code = "unknown_conversation" // no conversation has this id, or it was deleted

	CodeNoElement  Code = "no_element"  // nothing on the page matches, or no such ref was given
	CodeAmbiguous  Code = "ambiguous"   // several things match; the message names them
	CodeGone       Code = "gone"        // the element is not on the page any more
	CodeChanged    Code = "changed"     // the element says something else than when it was shown
	CodeDisabled   Code = "disabled"    // the element is disabled, or read-only
	CodeHidden     Code = "hidden"      // the element cannot be seen
	CodeInert      Code = "inert"       // something modal keeps the element from everybody
	CodeCovered    Code = "covered"     // something else lies over the element
	CodeNotActable Code = "not_actable" // the element does not take this action
	CodeDialog     Code = "dialog"      // a dialog of the page has to be answered first
	CodeNoInput    Code = "no_input"    // the browser does not let the app into this tab; nothing was done

	CodeNoBrowser    Code = "no_browser"     // no Chromium was found
	CodeNoDisplay    Code = "no_display"     // there is no display to open a window on
	CodeNoSandbox    Code = "no_sandbox"     // running as root without PILOTFISH_NO_SANDBOX=1
	CodeNoKeyring    Code = "no_keyring"     // a warning: the desktop runs no service that keeps secrets
	CodeProfileInUse Code = "profile_in_use" // another browser holds the profile
	CodeNotWritable  Code = "not_writable"   // a folder cannot be written
	CodeBrowserStart Code = "browser_start"  // the browser ended while it started
)

// Error is what a person or a program is told when something fails: what
// happened, and what to do about it.
type Error struct {
	Code    Code   `json:"code"`
	Message string `json:"message"`
	// Hint says what to do next, in words for everybody; it names no command of
	// the registry. Empty when there is nothing to say.
	Hint string `json:"hint,omitempty"`
	// Next are commands that help. Each client names them in its own way.
	Next []Suggestion `json:"next,omitempty"`
	// Detail is what a program wrote before it failed, in lines, for whoever looks
	// closer; it is foreign text.
	Detail string `json:"detail,omitempty"`
	// Page says whether the message repeats words of a page.
	Page PageWords `json:"-"`
}

// PageWords is whether an error repeats words of a page, which an agent gets in
// an envelope only.
type PageWords int

// What is known of an error's message.
const (
	PageByCode    PageWords = iota // nothing is known but the code
	PageBare                       // it repeats words of a page as they are
	PageEnveloped                  // its words of a page stand in an envelope
)

// Quoting marks an error whose message repeats words of a page as they are.
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

// Saying is the same error with another message.
func (e *Error) Saying(message string) *Error {
	said := *e
	said.Message = message
	return &said
}

// NoDisplay is why there is no window; why is for people who know displays.
func NoDisplay(why string) *Error {
	return NewError(CodeNoDisplay, "there is no display to open a window on ("+why+")",
		"start it in a desktop session, or use `pilotfish serve --headless`")
}

// Error returns the message, and the hint behind it.
func (e *Error) Error() string {
	if e.Hint == "" {
		return e.Message
	}
	return e.Message + ": " + e.Hint
}

// AsError returns err as an Error; one that carries no code becomes
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

// ExitCode is the process exit code of the command line for an error code. The
// numbers are stable.
func (c Code) ExitCode() int {
	switch c {
	case "":
		return 0
	case CodeBadArgument, CodeUnknownCommand:
		return 2
	case CodeNotRunning, CodeNoBrowser, CodeNoDisplay, CodeNoSandbox, CodeProfileInUse, CodeNotWritable, CodeBrowserStart:
		return 3
	case CodeUnauthorized, CodeForbidden, CodeRefused:
		return 4
	case CodeTimeout:
		return 5
	case CodeUnknownTab, CodeUnknownTerminal, CodeUnknownSession, CodeUnknownTask, CodeUnknownModel:
		return 6
	default:
		return 1
	}
}
