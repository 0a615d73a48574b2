package chat

import (
	"cmp"
	"crypto/rand"

	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// catchUp writes to the journal what was said to the session outside of Chat.
// The caller holds mu.
func (a *connection) catchUp(p recall.Replay) error {
	c := a.c
	if !c.state.Elsewhere {
		return nil
	}
	c.state.Elsewhere = false
	if p.Empty() {
		return c.rec.Notice(c.state.Head.AgentName + " knows the messages from the terminal, but they are not shown here.")
	}
	var now protocol.MessageID
	if c.turn != nil {
		now = c.turn.message.ID
	}
	ours, err := recall.LastPrompt(c.entries, now)
	if err != nil {
		c.log.Warn("the history of a conversation cannot be read", "error", err)
	}
	turns, done := p.After(ours), "The messages from the terminal are shown above."
	if ours == "" { // the conversation was begun elsewhere
		turns, done = p.All(), "The earlier messages are shown above."
	}
	if len(turns) == 0 {
		return nil // nothing was said there, or it cannot be determined what
	}
	// If a turn of ours is beginning just now, it continues after these turns.
	if err := c.record(turns); err != nil {
		return err
	}
	return c.rec.Notice(done)
}

// record writes turns that were had elsewhere. The caller holds mu.
func (c *conversation) record(turns []recall.Turn) error {
	for _, t := range turns {
		id := protocol.MessageID("t" + rand.Text())
		err := c.rec.Aside(id, func() error {
			if _, err := c.rec.Put(userEntry(protocol.QueuedMessage{ID: id, Text: t.Prompt})); err != nil {
				return err
			}
			for _, u := range t.Rest {
				if err := c.update(u); err != nil {
					return err
				}
			}
			return c.rec.End(protocol.EndDone, nil, nil, 0)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// create writes the first state of a conversation, and what was said before elsewhere.
func (c *conversation) create(past recall.Past) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if past.Session != "" {
		c.state.Head.AgentSession, c.state.Folder = past.Session, past.Folder
		c.state.Head.Title, c.state.Titled = cmp.Or(c.state.Head.Title, past.Title), true
		c.state.Elsewhere = len(past.Turns) == 0
	}
	if err := c.saveLocked(); err != nil {
		return err
	}
	if err := c.record(past.Turns); err != nil {
		return err
	}
	return c.saveLocked()
}
