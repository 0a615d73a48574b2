package chat

import (
	"time"

	"pilotfish/backend/protocol"
)

// tell publishes changed heads to viewers and panels until quiet is closed, and
// one last time then.
func (m *Manager) tell(quiet <-chan struct{}) {
	var timer *time.Timer
	var due <-chan time.Time
	for {
		late, over := false, false
		select {
		case <-m.news.Wake():
		case <-due:
			late = true
		case <-quiet:
			late, over = true, true
		}
		changed, wait := m.news.Take(late)
		switch {
		case wait && due == nil:
			timer = time.NewTimer(chatHeadEvery)
			due = timer.C
		case !wait && due != nil:
			timer.Stop()
			due = nil
		}
		for _, c := range changed {
			head := c.showHead()
			m.config.Events.Publish(protocol.ConversationEvent{Type: protocol.PanelConversation, Conversation: head})
		}
		if over {
			return
		}
	}
}

// TabAgents returns the agents of the tabs that have a conversation, for the
// badge, the window and the tray.
func (m *Manager) TabAgents() map[protocol.TabID][]protocol.TabAgent {
	agents := map[protocol.TabID][]protocol.TabAgent{}
	for _, head := range m.List() {
		if head.Tab == "" {
			continue
		}
		status := protocol.AgentIdle
		switch head.State {
		case protocol.ConversationStarting:
			status = protocol.AgentStarting
		case protocol.ConversationRunning:
			status = protocol.AgentWorking
		case protocol.ConversationNeedsYou, protocol.ConversationSignIn:
			status = protocol.AgentNeedsYou
		case protocol.ConversationFailed:
			status = protocol.AgentEnded
		case protocol.ConversationIdle:
			if head.AgentSession == "" {
				continue // nothing was ever started for it
			}
		case protocol.ConversationTerminal:
			continue // the terminal reports its own status
		}
		agents[head.Tab] = append(agents[head.Tab], protocol.TabAgent{Name: head.AgentName, Status: status})
	}
	return agents
}
