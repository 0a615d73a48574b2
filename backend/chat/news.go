package chat

import (
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// news says which heads have changed since they were told.
type news struct {
	wake chan struct{}

	mu     sync.Mutex
	dirty  map[*conversation]bool
	urgent bool
}

func newNews() news { return news{wake: make(chan struct{}, 1), dirty: map[*conversation]bool{}} }

// touch notes that a head changed; one that a person waits for is told at once,
// others within chatHeadEvery.
func (n *news) touch(c *conversation, urgent bool) {
	n.mu.Lock()
	fresh := !n.dirty[c] || urgent && !n.urgent
	n.dirty[c] = true
	n.urgent = n.urgent || urgent
	n.mu.Unlock()
	if !fresh {
		return
	}
	select {
	case n.wake <- struct{}{}:
	default:
	}
}

// gone forgets a conversation.
func (n *news) gone(c *conversation) {
	n.mu.Lock()
	delete(n.dirty, c)
	n.mu.Unlock()
}

// take returns what has changed. What is not urgent waits, unless late.
func (n *news) take(late bool) (changed []*conversation, wait bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if !n.urgent && !late {
		return nil, len(n.dirty) > 0
	}
	for c := range n.dirty {
		changed = append(changed, c)
	}
	clear(n.dirty)
	n.urgent = false
	return changed, false
}

// tell hands heads to viewers and panels until quiet is closed, and once more
// then.
func (m *Manager) tell(quiet <-chan struct{}) {
	var timer *time.Timer
	var due <-chan time.Time
	for {
		late, over := false, false
		select {
		case <-m.news.wake:
		case <-due:
			late = true
		case <-quiet:
			late, over = true, true
		}
		changed, wait := m.news.take(late)
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
			m.config.Publish(protocol.ConversationEvent{Type: protocol.PanelConversation, Conversation: head})
		}
		if len(changed) > 0 {
			m.config.Changed()
		}
		if over {
			return
		}
	}
}

// TabAgents are the agents of the tabs that have a conversation, for the badge,
// the window and the tray.
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
			continue // the terminal speaks for itself
		}
		agents[head.Tab] = append(agents[head.Tab], protocol.TabAgent{Name: head.AgentName, Status: status})
	}
	return agents
}
