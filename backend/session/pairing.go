package session

import (
	"pilotfish/backend/agent"
	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// pair gives the session's panel the server's port and a token, through the
// browser's pipe. Without a browser there is nobody to tell; the browser is told
// when it starts.
func (s *Session) pair() {
	s.mu.Lock()
	r := s.run
	if r == nil || s.m.cfg.Headless {
		s.mu.Unlock()
		return
	}
	if s.token == "" {
		grant, secret := s.m.auth.Mint(auth.KindPanel, auth.Grant{
			Session: s.name, Actor: protocol.Actor{Kind: protocol.ActorPerson, Name: "you"},
		}, 0)
		s.token, s.grant = secret.Reveal(), grant.ID
	}
	s.epoch++
	pairing := protocol.Pairing{
		Version: protocol.Version, Session: s.name, Port: s.m.endpoint.Port(), Token: s.token, Key: s.m.endpoint.Key(), Epoch: s.epoch,
	}
	b := r.browser
	s.mu.Unlock()
	if pairing.Port == 0 {
		return // announce pairs as soon as there is a port
	}
	if err := b.Pair(s.m.ctx, pairing); err != nil && s.m.ctx.Err() == nil {
		s.log.Warn("panel could not be paired", "error", err)
	}
}

// rotatePanelToken replaces the panel's token; the browser gets the new one
// before the open sockets are asked for it.
func (s *Session) rotatePanelToken() {
	s.mu.Lock()
	if s.grant == "" {
		s.mu.Unlock()
		return
	}
	secret, err := s.m.auth.Rotate(s.grant, 0)
	if err != nil {
		s.mu.Unlock()
		s.log.Error("panel token could not be rotated", "error", err)
		return
	}
	s.token = secret.Reveal()
	s.mu.Unlock()
	s.pair()
}

// mintAgentToken makes the token of one agent process: for its own tab, for
// looking and acting, until the process ends.
func (s *Session) mintAgentToken(id protocol.TerminalID, tab protocol.TabID, kind protocol.AgentKind) auth.Secret {
	s.revokeTerminal(id)
	_, secret := s.m.auth.Mint(auth.KindAgent, auth.Grant{
		Session: s.name, Terminal: id, Tab: tab,
		Actor: protocol.Actor{
			Kind: protocol.ActorTerminal, ID: string(id), Name: string(kind) + " in " + string(tab), Agent: agentName(kind), Tab: tab,
		},
		Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
	}, 0)
	return secret
}

// agentName is what the user knows an agent by; empty for a shell, in which they
// type themselves.
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

// revokeTerminal ends the agent tokens of a terminal.
func (s *Session) revokeTerminal(id protocol.TerminalID) {
	s.actorGone(id)
	s.m.auth.RevokeWhere(func(g auth.Grant) bool {
		return g.Kind == auth.KindAgent && g.Session == s.name && g.Terminal == id
	})
}

// revokeAll ends every token of the session.
func (s *Session) revokeAll() {
	s.m.auth.RevokeWhere(func(g auth.Grant) bool { return g.Session == s.name })
	s.mu.Lock()
	s.token, s.grant = "", ""
	s.mu.Unlock()
}
