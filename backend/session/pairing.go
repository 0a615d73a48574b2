package session

import (
	"context"
	"fmt"
	"net/netip"
	"slices"

	"pilotfish/backend/auth"
	"pilotfish/backend/peer"
	"pilotfish/backend/protocol"
)

// pair sends the server's port and a token to the session's panel, through the
// browser's pipe. Without a running browser it sends nothing; a browser
// receives the pairing when it starts. In a browser with the extension installed by hand,
// the user pairs: see Manager.Pair. A session without a panel has nothing to pair, and no token,
// before its task page opens.
func (s *Session) pair() {
	r := s.running()
	if r == nil || r.attach.ByHand || !r.pairs.Load() {
		return
	}
	pairing := s.pairing()
	if pairing.Port == 0 {
		return // the endpoint pairs as soon as there is a port
	}
	if err := r.browser.Pair(s.m.ctx, pairing); err != nil && s.m.ctx.Err() == nil {
		s.log.Warn("panel could not be paired", "error", err)
	}
}

func (s *Session) pairing() protocol.Pairing {
	token, epoch := s.tokens.Pair()
	return protocol.Pairing{
		Version: protocol.Version, Session: s.name, Port: s.m.endpoint.Port(), Token: token, Key: s.m.endpoint.Key(), Epoch: epoch,
	}
}

// pairingByHand returns the pairing for a panel that keeps it itself.
func (s *Session) pairingByHand() protocol.Pairing {
	pairing := s.pairing()
	pairing.ByHand = true
	return pairing
}

// Pair gives a session to the panel that shows a code. Without a name it is the only session
// that can be paired. The user calls it, and nobody else.
func (m *Manager) Pair(name protocol.SessionName, code string) error {
	able := m.byHand(name)
	const start = "`pilotfish sessions start NAME --browser " + protocol.ByHand + "` starts one"
	switch {
	case len(able) == 0 && name != "":
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s does not wait for a panel", name), start)
	case len(able) == 0:
		return protocol.NewError(protocol.CodeNotRunning, "no session waits for a panel", start)
	case len(able) > 1:
		return protocol.NewError(protocol.CodeBadArgument, "several sessions wait for a panel", "name one with --session")
	}
	s, run := able[0], able[0].running()
	if run == nil {
		return protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("session %s has ended", s.name), start)
	}
	if s.panels.Connected() {
		return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("session %s has its panel", s.name), "stop the session first, to use it in another browser")
	}
	return m.offers.Enter(code, func() protocol.Pairing {
		// The panel of a browser that was closed has lost its token.
		m.auth.RevokeWhere(func(g auth.Grant) bool { return g.Kind == auth.KindPanel && g.Session == s.name })
		s.tokens.NewPanel()
		run.browser.Paired()
		return s.pairingByHand()
	})
}

// byHand returns the running sessions whose panel the user pairs, of one name or any.
func (m *Manager) byHand(name protocol.SessionName) (able []*Session) {
	m.eachSession(func(s *Session) {
		if r := s.running(); r != nil && r.attach.ByHand && (name == "" || s.name == name) {
			able = append(able, s)
		}
	})
	return able
}

// Pairs reports whether a session waits for a panel that its user pairs by a code.
func (g gateway) Pairs() bool {
	return slices.ContainsFunc(g.m.byHand(""), func(s *Session) bool { return !s.panels.Connected() })
}

// Pair waits until the user enters the code of a panel. A program of an agent is no panel,
// whatever its Origin says, and neither is one that hides while an agent runs.
func (g gateway) Pair(ctx context.Context, client, server netip.AddrPort, req protocol.PairRequest) (protocol.PairReply, error) {
	tokens, err := peer.Started(client, server, protocol.EnvToken)
	switch {
	case len(tokens) > 0:
		return protocol.PairReply{}, protocol.NewError(protocol.CodeForbidden, "a program of an agent cannot be paired", "start the browser without Pilotfish")
	case err != nil && g.m.auth.Any(func(one auth.Grant) bool { return one.Kind == auth.KindAgent }):
		return protocol.PairReply{}, protocol.NewError(protocol.CodeForbidden, "Pilotfish cannot tell which program asks, while an agent runs", "close the terminals and conversations of other sessions first")
	}
	return g.m.offers.Offer(ctx, g.m.endpoint.Port(), req)
}

// rotatePanelToken replaces the panel's token. The browser gets the new token
// before the open sockets are asked for it.
func (s *Session) rotatePanelToken() {
	is, err := s.tokens.RotatePanel()
	if err != nil {
		s.log.Error("panel token could not be rotated", "error", err)
		return
	}
	if r := s.running(); is && r != nil && r.attach.ByHand {
		s.events.Publish(protocol.PairingEvent{Type: protocol.PanelPairing, Pairing: s.pairingByHand()})
	} else if is {
		s.pair()
	}
}
