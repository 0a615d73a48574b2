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
		Settings: s.m.cfg.Settings, Asks: s.approvals.Asks, Tabs: &s.tabs, Logger: s.plainLog(),
		Show: func(ctx context.Context, tab protocol.TabID, id protocol.TerminalID) error {
			event := protocol.ShowEvent{Type: protocol.PanelShow, Tab: tab, Terminal: id}
			s.panels.Show(event)
			return s.show(ctx, event)
		},
	}
	if !s.m.cfg.Headless {
		cfg.Desktop = new(desktop.Notifier)
	}
	return attention.New(cfg)
}
