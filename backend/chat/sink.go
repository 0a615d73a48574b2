package chat

import (
	"time"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// sink receives what one session of an agent sends. Updates of a session that
// the conversation no longer uses are dropped.
type sink struct {
	c *conversation
	// loading is set while an earlier session is loaded. What the session
	// repeats then is in the journal already. past keeps it, for the parts that
	// are not.
	loading bool
	past    recall.Replay
	// beside is set for the agent for instant messages: its commands and
	// options are not those of the conversation.
	beside bool
}

// Update records one update.
func (s *sink) Update(u driver.Update) {
	c := s.c
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed || !s.counts(u) {
		return
	}
	if s.loading && s.past.Take(u) {
		return
	}
	if c.turn != nil && c.turn.broken != nil {
		return
	}
	if err := c.update(u); err != nil {
		c.broken(err)
	}
}

// counts reports whether an update is for the conversation.
func (s *sink) counts(u driver.Update) bool {
	if s.beside {
		return s.c.agent.side.sink == s && u.Commands == nil && u.Options == nil && u.Usage == nil && u.Title == nil
	}
	return s.c.agent.sink == s
}

// update records one update. The caller holds mu.
func (c *conversation) update(u driver.Update) error {
	if t := c.turn; t != nil {
		t.said(c)
	}
	if entry, err := c.rec.Update(u); entry {
		return err
	}
	switch {
	case u.Commands != nil:
		c.state.Head.Commands = u.Commands
	case u.Options != nil:
		c.state.Head.Options = u.Options
	case u.Usage != nil:
		c.state.Head.Usage = u.Usage
	case u.Title != nil:
		if title := clip.Line(*u.Title, protocol.MaxTitle); title != "" && !c.state.Titled {
			c.state.Head.Title = title
		}
	default:
		return nil // the user's own prompt, repeated
	}
	if u.Usage == nil {
		c.save(false)
	} else {
		c.m.news.Touch(c, false)
	}
	return nil
}

// said records that the agent of a turn is active.
func (t *turn) said(c *conversation) {
	t.last = time.Now()
	if t.quiet {
		t.quiet = false
		c.m.news.Touch(c, true)
	}
}
