package chat

import (
	"time"

	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/protocol"
)

// Step is called for each browser command of a conversation's agent. The agent
// announces the tool call of the command over its own pipe, shortly before or
// after.
func (m *Manager) Step(id protocol.ConversationID, s recorder.Step) {
	c, err := m.find(id)
	if err != nil {
		return // deleted meanwhile
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t := c.turn
	if t == nil || c.closed {
		return
	}
	if t.starter.ReportsSteps {
		return
	}
	t.said(c)
	written, err := c.rec.Step(s)
	if err != nil {
		c.broken(err)
	}
	if written || c.rec.Waiting() > 1 {
		return
	}
	time.AfterFunc(chatStepWait, func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if c.turn != t {
			return
		}
		if err := c.rec.FlushSteps(); err != nil {
			c.broken(err)
		}
	})
}
