package tabfiles

import (
	"slices"

	"pilotfish/backend/protocol"
)

// WithAgents returns the tabs with the state of each tab's agent. Of several
// agents it takes the one that needs the user most urgently.
func WithAgents(tabs []protocol.Tab, terminals []protocol.TerminalInfo, chats map[protocol.TabID][]protocol.TabAgent) []protocol.Tab {
	urgency := []protocol.AgentStatus{protocol.AgentMissing, protocol.AgentEnded, protocol.AgentIdle, protocol.AgentStarting, protocol.AgentWorking, protocol.AgentNeedsYou}
	out := make([]protocol.Tab, len(tabs))
	for i, tab := range tabs {
		tab.Agent = nil
		agents := slices.Clone(chats[tab.ID])
		for _, t := range terminals {
			if t.Tab == tab.ID {
				agents = append(agents, protocol.TabAgent{Name: t.Name, Status: t.Status})
			}
		}
		for _, a := range agents {
			if tab.Agent == nil || slices.Index(urgency, a.Status) > slices.Index(urgency, tab.Agent.Status) {
				tab.Agent = &a
			}
		}
		out[i] = tab
	}
	return out
}
