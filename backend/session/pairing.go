package session

import (
	"pilotfish/backend/protocol"
)

// pair sends the server's port and a token to the session's panel, through the
// browser's pipe. Without a running browser it sends nothing; a browser
// receives the pairing when it starts.
func (s *Session) pair() {
	r := s.running()
	if r == nil || s.m.cfg.Headless {
		return
	}
	token, epoch := s.tokens.Pair()
	pairing := protocol.Pairing{
		Version: protocol.Version, Session: s.name, Port: s.m.endpoint.Port(), Token: token, Key: s.m.endpoint.Key(), Epoch: epoch,
	}
	if pairing.Port == 0 {
		return // the endpoint pairs as soon as there is a port
	}
	if err := r.browser.Pair(s.m.ctx, pairing); err != nil && s.m.ctx.Err() == nil {
		s.log.Warn("panel could not be paired", "error", err)
	}
}

// rotatePanelToken replaces the panel's token. The browser gets the new token
// before the open sockets are asked for it.
func (s *Session) rotatePanelToken() {
	if is, err := s.tokens.RotatePanel(); err != nil {
		s.log.Error("panel token could not be rotated", "error", err)
	} else if is {
		s.pair()
	}
}
