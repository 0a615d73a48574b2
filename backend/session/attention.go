package session

import (
	"context"

	"pilotfish/backend/attention"
	"pilotfish/backend/desktop"
	"pilotfish/backend/protocol"
)

// newAttention returns what tells the user about terminals that want them.
func newAttention(s *Session) *attention.Manager {
	cfg := attention.Config{
		Settings: s.m.cfg.Settings, Asks: s.approvals.Asks, Tabs: &s.tabs, Events: s.events, Logger: s.plainLog(),
	}
	if !s.m.cfg.Headless {
		cfg.Desktop = new(desktop.Notifier)
	}
	return attention.New(cfg)
}

// showTerminal brings a terminal to the front whose notification was clicked.
func (s *Session) showTerminal(clicked attention.Clicked) {
	ctx, cancel := context.WithTimeout(s.m.ctx, protocol.PanelOpenTimeout)
	defer cancel()
	event := protocol.ShowEvent{Type: protocol.PanelShow, Tab: clicked.Tab, Terminal: clicked.Terminal}
	s.panels.Show(event)
	if err := s.show(ctx, event); err != nil {
		s.log.Warn("a terminal could not be shown", "terminal", clicked.Terminal, "tab", clicked.Tab, "error", err)
	}
}
