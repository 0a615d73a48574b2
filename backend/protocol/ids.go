package protocol

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"sync"
)

// TabID names a browser tab: "t1", "t2", … It is stable while the tab exists,
// and never reused in the same session.
type TabID string

// ParseTabID accepts "t7" and "7" and returns the canonical form.
func ParseTabID(s string) (TabID, error) {
	digits := s
	if len(s) > 1 && s[0] == 't' {
		digits = s[1:]
	}
	n, err := strconv.ParseUint(digits, 10, 32)
	if err != nil || n == 0 {
		return "", NewError(CodeBadArgument, fmt.Sprintf("%q is not a tab", s), "tabs are named t1, t2, …", Try("lists them", "tabs"))
	}
	return TabID("t" + strconv.FormatUint(n, 10)), nil
}

// SessionName names a session.
type SessionName string

// DefaultSession is the session that starts with the app.
const DefaultSession SessionName = "default"

// sessionNamePattern ensures that a name is usable as a folder on every system.
// Here and elsewhere a pattern is compiled when it is first needed; otherwise
// every start of the command line would pay for all of them.
var sessionNamePattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) })

// maxSessionName is the limit of a name in bytes. It is not part of the
// pattern, because a counted repetition makes the compiled pattern large.
const maxSessionName = 32

// CompareSessions orders the names of sessions: the default one first, then by name.
func CompareSessions(a, b SessionName) int {
	switch {
	case a == b:
		return 0
	case a == DefaultSession:
		return -1
	case b == DefaultSession:
		return 1
	}
	return strings.Compare(string(a), string(b))
}

// ParseSessionName returns an error for a name that cannot be a folder name.
func ParseSessionName(s string) (SessionName, error) {
	if len(s) > maxSessionName || !sessionNamePattern().MatchString(s) {
		return "", NewError(CodeBadArgument, fmt.Sprintf("%q is not a session name", s), "use 1 to 32 of a-z, 0-9, _ and -, starting with a letter or digit")
	}
	return SessionName(s), nil
}

// TerminalID names one terminal. It is random, so that it cannot be guessed
// from another one.
type TerminalID string

// ActorKind is the kind of a caller.
type ActorKind string

// The kinds of actor.
const (
	ActorUser     ActorKind = "person"
	ActorTerminal ActorKind = "terminal"
	ActorChat     ActorKind = "chat"
	ActorTask     ActorKind = "task"
	ActorShell    ActorKind = "shell"
	ActorMCP      ActorKind = "mcp"    // a program that the user connected by MCP
	ActorScript   ActorKind = "script" // a program at an address of `pilotfish share`
)

// Actor identifies who made a call. Activity, permissions and tab ownership use
// it.
type Actor struct {
	Kind ActorKind `json:"kind"`
	// ID is the terminal, conversation, task or connection; empty for a user or a
	// shell.
	ID string `json:"id,omitempty"`
	// Name is shown in logs and the activity, such as "claude in t2".
	Name string `json:"name"`
	// Agent is the name of the program that acts in a terminal, in a conversation or
	// by MCP, such as "Claude Code"; empty for a shell and where there is no such
	// program.
	Agent string `json:"agent,omitempty"`
	// Tab is the tab beside a terminal.
	Tab TabID `json:"tab,omitempty"`
	// Title is the title of a task, in full.
	Title string `json:"title,omitempty"`
}

var cdpMethod = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[A-Z][A-Za-z]*\.[a-z][A-Za-z0-9]*$`) })

// CDPMethod reports whether a text has the form of a method of the DevTools
// protocol: Domain.method.
func CDPMethod(text string) bool { return cdpMethod().MatchString(text) }
