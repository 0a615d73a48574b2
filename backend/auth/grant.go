package auth

import (
	"slices"

	"pilotfish/backend/protocol"
)

// Kind says who holds a token, and by that which doors it opens.
type Kind string

// The kinds of token. The tray has none: it talks over a pipe that it inherits.
const (
	// KindPanel is held by the extension's memory, put there through the
	// browser's private pipe.
	KindPanel Kind = "panel"
	// KindAttach is good for one upgrade of one terminal's WebSocket.
	KindAttach Kind = "attach"
	// KindAgent is in the environment of one agent process.
	KindAgent Kind = "agent"
	// KindCLI is in the state file of mode 0600: what the person may do from a
	// shell.
	KindCLI Kind = "cli"
)

// singleUse reports whether a token of this kind ends with its first use.
func (k Kind) singleUse() bool { return k == KindAttach }

// maxScopes are the most that a token of this kind can be given: a mistake at
// the mint cannot make an agent the app's administrator.
func (k Kind) maxScopes() Scopes {
	switch k {
	case KindAgent:
		return Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive}
	case KindCLI:
		return Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin}
	default:
		return nil
	}
}

// Scopes is what commands a token may give; nil is none.
type Scopes []protocol.Scope

// Has reports whether scope is one of s.
func (s Scopes) Has(scope protocol.Scope) bool { return slices.Contains(s, scope) }

// Grant is what a token stands for. It is fixed at the mint and is the only
// source of who a caller is.
type Grant struct {
	// ID names the grant through all its rotations. It is no secret.
	ID   string
	Kind Kind
	// Session is the session that the token reaches; empty for a cli token,
	// which reaches all.
	Session protocol.SessionName
	// Terminal is the terminal of an attach or agent token.
	Terminal protocol.TerminalID
	// Tab is the tab that a request without one means.
	Tab protocol.TabID
	// Actor is who the holder is to activity and permissions.
	Actor protocol.Actor
	// Scopes are the commands that it may give.
	Scopes Scopes
	// Parent is the grant that this one hangs on: when that ends, this ends,
	// too. Empty for none.
	Parent string
	// Generation counts the rotations of the grant, from 1. It tells a token
	// from the one that replaced it.
	Generation int
}
