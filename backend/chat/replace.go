package chat

import (
	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

// replace removes an earlier message and everything after it, and begins a turn
// with a new message in its place. The caller holds mu.
func (c *conversation) replace(id string, message protocol.QueuedMessage) (protocol.Conversation, error) {
	if c.turn != nil {
		return c.headLocked(), errAtWork
	}
	if c.ending {
		return c.headLocked(), errClosed
	}
	if c.replaced != id {
		if err := c.takeAway(id); err != nil {
			return c.headLocked(), err
		}
	}
	err := c.begin(message, func(s *state.State) { s.Know(message.ID) })
	return c.headLocked(), err
}

// takeAway removes a message and everything after it from the transcript.
func (c *conversation) takeAway(id string) error {
	e, ok := c.entries.Entry(id)
	if !ok || e.Kind != protocol.EntryUser {
		return protocol.NewError(protocol.CodeBadArgument, "this message does not exist any more", "it was replaced")
	}
	ev, removed, err := c.entries.Cut(e)
	if ev.Index != 0 {
		c.viewers.Show(ev)
	}
	if err != nil {
		return err
	}
	c.replaced = id
	c.state.Head.Entries = max(0, c.state.Head.Entries-removed)
	// The agent cannot forget the removed part. So a new session begins, and
	// its first prompt quotes what is left.
	c.state.Head.AgentSession, c.state.Context = "", c.state.Head.Entries > 0
	gone := c.agent.take()
	c.m.wg.Go(func() { c.agent.letGo(gone) })
	return nil
}
