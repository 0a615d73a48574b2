package chat

import (
	"context"
	"slices"

	"pilotfish/backend/protocol"
)

// Two programs that use one session of an agent create two diverging histories
// without any error. So either the conversation has the session, or a terminal
// has it.

// ToTerminal continues a conversation in a terminal: the conversation closes
// its session, and the terminal's program resumes it.
func (m *Manager) ToTerminal(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error) {
	c, err := m.find(id)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	head, t := c.headLocked(), c.turn
	switch {
	case head.Terminal != "":
		c.mu.Unlock()
		return head, nil
	case m.config.Terminal == nil || !head.Can.Terminal || head.AgentSession == "":
		c.mu.Unlock()
		return head, protocol.NewError(protocol.CodeBadArgument, head.AgentName+" cannot continue this conversation in a terminal", "send a message first; not every agent supports this")
	}
	c.cancelLocked()
	c.mu.Unlock()
	if t != nil {
		select {
		case <-t.done:
		case <-ctx.Done():
			return head, context.Cause(ctx)
		}
	}
	// The lease is set before the terminal starts, so that no message can be
	// sent in between.
	c.mu.Lock()
	if c.turn != nil || c.state.Head.Terminal != "" {
		defer c.mu.Unlock()
		return c.headLocked(), errAtWork
	}
	c.state.Head.Terminal, c.ended = leaseTaken, nil
	c.m.news.Touch(c, true)
	c.mu.Unlock()
	c.agent.leave()
	terminal, err := m.config.Terminal(ctx, head)
	c.mu.Lock()
	c.state.Head.Terminal = terminal
	c.save(true)
	head, ended := c.headLocked(), slices.Contains(c.ended, terminal)
	c.mu.Unlock()
	if ended {
		m.TerminalEnded(terminal)
	}
	return head, err
}

// leaseTaken is the terminal's id while the terminal is starting.
const leaseTaken protocol.TerminalID = "starting"

// ToChat moves a conversation from its terminal back to Chat: it ends the
// terminal and loads the messages that were exchanged there.
func (m *Manager) ToChat(ctx context.Context, id protocol.ConversationID) (protocol.Conversation, error) {
	c, err := m.find(id)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	head := c.headLocked()
	c.mu.Unlock()
	switch head.Terminal {
	case "":
		return head, nil
	case leaseTaken:
		return head, protocol.NewError(protocol.CodeBusy, "the terminal is starting", "try again in a moment")
	}
	if m.config.EndTerminal != nil {
		if err := m.config.EndTerminal(ctx, head.Terminal); err != nil && protocol.AsError(err).Code != protocol.CodeUnknownTerminal {
			return head, err
		}
	}
	c.agent.fromTerminal(head.Terminal)
	return c.agent.reopen(ctx)
}

// TerminalEnded is called when a terminal's program has ended. It frees the
// conversation that was continued there and loads the messages that were
// exchanged there.
func (m *Manager) TerminalEnded(id protocol.TerminalID) {
	m.mu.Lock()
	all := m.allLocked()
	closing := m.closing
	m.mu.Unlock()
	for _, c := range all {
		if !c.agent.fromTerminal(id) || closing {
			continue
		}
		m.wg.Go(func() {
			if _, err := c.agent.reopen(m.ctx); err != nil {
				c.log.Info("what was said in a terminal could not be loaded", "error", err)
			}
		})
	}
}

// fromTerminal takes the lease back. It reports whether that terminal had it.
func (a *connection) fromTerminal(id protocol.TerminalID) bool {
	c := a.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.state.Head.Terminal == leaseTaken {
		c.ended = append(c.ended, id) // it may be the one that is starting
	}
	if c.state.Head.Terminal != id {
		return false
	}
	c.state.Head.Terminal = ""
	c.state.Elsewhere = true
	c.save(true)
	return true
}
