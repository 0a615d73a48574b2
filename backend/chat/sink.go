package chat

import (
	"time"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/protocol"
)

// sink is what one session of an agent speaks into. What a session says that is
// not the conversation's any more goes nowhere.
type sink struct {
	c *conversation
	// loading is set while a session of before is loaded: what was said in it is
	// in the journal already. past takes it, for what is not.
	loading bool
	past    recall.Replay
	// beside is set for the agent of instant messages: its commands and options are
	// not the conversation's.
	beside bool
}

// Update takes one update in.
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

// counts says whether an update is the conversation's.
func (s *sink) counts(u driver.Update) bool {
	if s.beside {
		return s.c.agent.side.sink == s && u.Commands == nil && u.Options == nil && u.Usage == nil && u.Title == nil
	}
	return s.c.agent.sink == s
}

// update takes one update in. The caller holds mu.
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
		return nil // the person's own words, repeated
	}
	if u.Usage == nil {
		c.save(false)
	} else {
		c.m.news.touch(c, false)
	}
	return nil
}

// said notes that the agent of a turn lives.
func (t *turn) said(c *conversation) {
	t.last = time.Now()
	if t.quiet {
		t.quiet = false
		c.m.news.touch(c, true)
	}
}
