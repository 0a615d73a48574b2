package chat

import (
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
	turns := p.After(ours)
	if len(turns) == 0 {
		return nil // nothing was said there, or it cannot be determined what
	}
	// If a turn of ours is beginning just now, it continues after these turns.
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
	return c.rec.Notice("The messages from the terminal are shown above.")
}
