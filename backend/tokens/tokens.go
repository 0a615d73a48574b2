// Package tokens creates and revokes the tokens of one session: one for its
// panel, and one for each agent, which is bound to the agent's own tab. It
// stores no token on disk.
package tokens

import (
	"sync"

	"pilotfish/backend/agent"
	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Tokens are the tokens of one session. Its methods are safe for concurrent
// use.
type Tokens struct {
	session protocol.SessionName
	auth    *auth.Authority

	mu    sync.Mutex
	panel string // the panel's token; empty before the first
	grant string
	epoch int
}

// New returns the tokens of a session, without any token yet.
func New(session protocol.SessionName, authority *auth.Authority) *Tokens {
	return &Tokens{session: session, auth: authority}
}

// Pair returns the panel's token, and a number that grows with each call: when
// two pairings overtake each other, the panel uses the one with the larger
// number.
func (t *Tokens) Pair() (token string, epoch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.panel == "" {
		grant, secret := t.auth.Mint(auth.KindPanel, auth.Grant{
			Session: t.session, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"},
			Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive}, // of the rooms' buttons
		}, 0)
		t.panel, t.grant = secret.Reveal(), grant.ID
	}
	t.epoch++
	return t.panel, t.epoch
}

// RotatePanel replaces the panel's token. It returns false when there is none.
func (t *Tokens) RotatePanel() (bool, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.grant == "" {
		return false, nil
	}
	secret, err := t.auth.Rotate(t.grant, 0)
	if err != nil {
		return false, err
	}
	t.panel = secret.Reveal()
	return true, nil
}

// NewPanel makes the next Pair create a new token. The earlier one stays as it is: the
// caller ends it when the panel has the new one.
func (t *Tokens) NewPanel() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.panel, t.grant = "", ""
}

// Terminal creates the token of an agent process in a terminal: for the
// terminal's tab, with the scopes read and act. It is valid until it is
// revoked, when the process ends. An earlier token of the terminal is revoked.
func (t *Tokens) Terminal(id protocol.TerminalID, tab protocol.TabID, kind protocol.AgentKind, confined bool) auth.Secret {
	t.EndTerminal(id)
	_, secret := t.auth.Mint(auth.KindAgent, auth.Grant{
		Session: t.session, Terminal: id, Tab: tab, Unconfined: !confined,
		Actor:  TerminalActor(id, tab, kind),
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}, 0)
	return secret
}

// TerminalActor returns the agent of a kind in a terminal, as an actor.
func TerminalActor(id protocol.TerminalID, tab protocol.TabID, kind protocol.AgentKind) protocol.Actor {
	name := string(kind)
	if kind == protocol.AgentShell {
		name = "your terminal" // the user types in it
	}
	return protocol.Actor{
		Kind: protocol.ActorTerminal, ID: string(id), Name: name + " in " + string(tab), Agent: agentName(kind), Tab: tab,
	}
}

// agentName returns the name under which the user knows an agent; empty for a
// shell, in which the user types.
func agentName(kind protocol.AgentKind) string {
	switch kind {
	case protocol.AgentShell:
		return ""
	case protocol.AgentCustom:
		return "Your command"
	}
	for _, e := range agent.Catalogue() {
		if e.Kind == kind {
			return e.Name
		}
	}
	return string(kind)
}

// EndTerminal revokes the token of a terminal's agent.
func (t *Tokens) EndTerminal(id protocol.TerminalID) {
	t.auth.RevokeWhere(func(g auth.Grant) bool {
		return g.Kind == auth.KindAgent && g.Session == t.session && g.Terminal == id
	})
}

// Grant returns the grant of a conversation's agent: scopes read and act, on
// its own tab.
func (t *Tokens) Grant(actor protocol.Actor, tab protocol.TabID) auth.Grant {
	return auth.Grant{Kind: auth.KindAgent, Session: t.session, Tab: tab, Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}}
}

// Process creates the token of a process that serves conversations, for the shells
// that it starts. The holder acts as the conversation whose tab it names, or as the
// only one. It ends with the returned function, and the tokens of the conversations
// with it.
func (t *Tokens) Process(agent string, confined bool) (id string, token auth.Secret, end func()) {
	grant, secret := t.auth.Mint(auth.KindAgent, auth.Grant{
		Session: t.session, Shared: true, Unconfined: !confined,
		Actor:  protocol.Actor{Kind: protocol.ActorChat, Name: agent + " in Chat", Agent: agent},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}, 0)
	return grant.ID, secret, func() { t.auth.Revoke(grant.ID) }
}

// Conversation creates the token of a conversation's agent, which the process of an
// id serves; see Process. An earlier one is revoked.
func (t *Tokens) Conversation(actor protocol.Actor, tab protocol.TabID, process string) auth.Secret {
	t.EndActor(actor)
	grant := t.Grant(actor, tab)
	grant.Parent = process
	_, secret := t.auth.Mint(auth.KindAgent, grant, 0)
	return secret
}

// EndActor revokes the tokens of an agent.
func (t *Tokens) EndActor(actor protocol.Actor) {
	t.auth.RevokeWhere(func(g auth.Grant) bool {
		return g.Kind == auth.KindAgent && g.Session == t.session && g.Actor.Kind == actor.Kind && g.Actor.ID == actor.ID
	})
}

// EndAll revokes every token of the session.
func (t *Tokens) EndAll() {
	t.auth.RevokeWhere(func(g auth.Grant) bool { return g.Session == t.session })
	t.mu.Lock()
	t.panel, t.grant = "", ""
	t.mu.Unlock()
}
