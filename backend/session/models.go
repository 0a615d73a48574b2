package session

import (
	"maps"
	"slices"

	"pilotfish/backend/protocol"
)

// modelsChanged notifies the window and every panel that the model profiles
// have changed.
func (m *Manager) modelsChanged() {
	m.mu.Lock()
	m.modelChanges++
	sessions := slices.Collect(maps.Values(m.sessions))
	m.mu.Unlock()
	agents := m.agents.List()
	for _, s := range sessions {
		s.events.Publish(protocol.ModelsEvent{Type: protocol.PanelModels})
		s.events.Publish(protocol.AgentsEvent{Type: protocol.PanelAgents, Agents: agents})
		r := s.running()
		if r != nil {
			// A turn may be waiting for the key that the user has just entered.
			r.chat.TrySignIns(func(kind protocol.AgentKind) bool { _, ok := protocol.ModelProfile(kind); return ok })
		}
	}
	m.changed()
}
