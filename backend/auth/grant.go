package auth

import (
	"crypto/sha256"
	"slices"

	"pilotfish/backend/protocol"
)

// Kind says who holds a token, and so which capabilities it has.
type Kind string

// The kinds of token. The tray has none: it uses a pipe that it inherits.
const (
	// KindPanel is held in the extension's memory. The app sends it through the
	// browser's private pipe.
	KindPanel Kind = "panel"
	// KindAttach is valid for one upgrade of one terminal's WebSocket.
	KindAttach Kind = "attach"
	// KindAgent is in the environment of one agent process.
	KindAgent Kind = "agent"
	// KindCLI is in the state file of mode 0600, for the user's commands in a
	// shell.
	KindCLI Kind = "cli"
	// KindShare is in an address for another program of the user, which speaks the DevTools
	// protocol there: with Grant.Tab or all tabs, and with the scope act or only to read.
	KindShare Kind = "share"
	// KindShareMCP is in an address for another program of the user, which speaks MCP there.
	// Its holder acts as an agent.
	KindShareMCP Kind = "share_mcp"
	// KindControl is in the memory of one control page, in a browser of the user.
	KindControl Kind = "control"
)

// singleUse reports whether a token of this kind ends with its first use.
func (k Kind) singleUse() bool { return k == KindAttach }

// maxScopes returns the largest set of scopes that a token of this kind can
// have, so that a mistake in a call of Mint cannot make an agent the app's
// administrator.
func (k Kind) maxScopes() Scopes {
	switch k {
	case KindShare, KindShareMCP:
		return Scopes{protocol.ScopeRead, protocol.ScopeAct}
	case KindPanel, KindAgent:
		return Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive}
	case KindCLI:
		return Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin}
	default:
		return nil
	}
}

// Scopes are the scopes of the commands that a token may run; nil means none.
type Scopes []protocol.Scope

// Has reports whether scope is one of s.
func (s Scopes) Has(scope protocol.Scope) bool { return slices.Contains(s, scope) }

// Grant is what a token stands for. It is fixed when the token is created, and
// it is the only source of the caller's identity.
type Grant struct {
	// ID names the grant through all its rotations. It is not secret.
	ID   string
	Kind Kind
	// Session is the session that the token reaches; empty for a cli token,
	// which reaches all.
	Session protocol.SessionName
	// Terminal is the terminal of an attach or agent token.
	Terminal protocol.TerminalID
	// Tab is the tab that a request means when it names none.
	Tab protocol.TabID
	// Actor is the holder's identity for activity and permissions.
	Actor protocol.Actor
	// Scopes are the scopes of the commands that the holder may run.
	Scopes Scopes
	// Unconfined: the holder is a process that sees what its user sees, which
	// includes the token of the command line.
	Unconfined bool
	// Shared: the holder is a process that serves several agents, whose grants have
	// this one as Parent.
	Shared bool
	// Origin is the only one from which the token of a control page is valid, and Cookie
	// the SHA-256 of the cookie that comes with it.
	Origin string
	Cookie [sha256.Size]byte
	// Parent is the ID of the grant that this one depends on: when that ends, this
	// ends too. Empty for none.
	Parent string
	// Generation counts the tokens of the grant, from 1; each rotation adds one.
	// It distinguishes a token from its replacement.
	Generation int
}
