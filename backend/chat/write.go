package chat

import (
	"time"

	"pilotfish/backend/protocol"
)

// write takes one event in: it is on disk before anybody sees it. The caller
// holds mu.
func (c *conversation) write(ev protocol.ChatEvent) error {
	if err := c.loadLocked(); err != nil {
		return err
	}
	ev, made, err := c.entries.Write(ev)
	if err != nil {
		return err
	}
	if made {
		c.state.Head.Entries++
	}
	c.show(ev)
	return nil
}

// put writes an entry, new or changed, and returns its id.
func (c *conversation) put(e protocol.ChatEntry) (string, error) {
	if e.At.IsZero() {
		e.At = time.Now().UTC()
	}
	err := c.write(protocol.ChatEvent{Op: protocol.ChatPut, Entry: &e})
	return e.ID, err
}
