package session

import (
	"maps"
	"slices"

	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// Models are the ways to a model, for the window and the server; nil for none.
func (m *Manager) Models() server.Models {
	if m.cfg.Models == nil {
		return nil
	}
	return m.cfg.Models
}

// modelsChanged tells the window and every panel that the ways to a model are
// others.
func (m *Manager) modelsChanged() {
	m.mu.Lock()
	m.modelChanges++
	sessions := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	agents := m.agents.list()
	for _, s := range sessions {
		s.events.Publish(protocol.ModelsEvent{Type: protocol.PanelModels})
		s.events.Publish(protocol.AgentsEvent{Type: protocol.PanelAgents, Agents: agents})
		r := s.running()
		if r != nil {
			// A turn may wait for the key that was entered just now.
			r.chat.TrySignIns(func(kind protocol.AgentKind) bool { _, ok := protocol.ModelProfile(kind); return ok })
		}
	}
	m.changed()
}
