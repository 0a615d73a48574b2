package chat

import (
	"crypto/rand"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// past is what a session that is loaded repeats of before. It is in the journal
// already, unless the session was continued in a terminal meanwhile: then what
// the journal does not have is taken over from here.
type past struct {
	keep    bool
	updates []driver.Update
}

// pastLimit bounds what is kept of a repetition; the end counts.
const pastLimit = 20_000

// take reports whether an update is a repetition, and keeps it if it is wanted.
func (p *past) take(u driver.Update) bool {
	if u.Text == nil && u.Thought == nil && u.User == nil && u.Tool == nil && u.Plan == nil {
		return false
	}
	if p.keep {
		if len(p.updates) >= pastLimit {
			p.updates = append(p.updates[:0], p.updates[pastLimit/2:]...)
		}
		p.updates = append(p.updates, u)
	}
	return true
}

// pastTurn is one prompt of a repetition and what followed it.
type pastTurn struct {
	prompt string
	rest   []driver.Update
}

// turns are the turns of a repetition.
func (p *past) turns() []pastTurn {
	var turns []pastTurn
	inPrompt := false
	for _, u := range p.updates {
		switch {
		case u.User != nil && inPrompt:
			turns[len(turns)-1].prompt += u.User.Text
		case u.User != nil:
			turns = append(turns, pastTurn{prompt: u.User.Text})
		case len(turns) > 0:
			last := &turns[len(turns)-1]
			last.rest = append(last.rest, u)
		}
		inPrompt = u.User != nil
	}
	return turns
}

// catchUp writes down what was said to the session elsewhere. The caller holds
// mu.
func (c *conversation) catchUp(p past) error {
	if !c.state.Elsewhere {
		return nil
	}
	c.state.Elsewhere = false
	if len(p.updates) == 0 {
		return c.rec.Notice(c.state.Head.AgentName + " knows the messages from the terminal, but they are not shown here.")
	}
	turns := p.turns()
	ours := c.lastPrompt()
	from := len(turns)
	for i := len(turns) - 1; i >= 0; i-- {
		if said(turns[i].prompt, ours) {
			from = i + 1
			break
		}
	}
	if ours == "" || from == len(turns) {
		return nil // nothing was said there, or nobody can tell what
	}
	// A turn of ours that begins just now goes on behind it.
	for _, t := range turns[from:] {
		id := protocol.MessageID("t" + rand.Text())
		err := c.rec.Aside(id, func() error {
			if _, err := c.rec.Put(userEntry(protocol.QueuedMessage{ID: id, Text: t.prompt})); err != nil {
				return err
			}
			for _, u := range t.rest {
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

// said says whether a repeated prompt is one of ours: what is handed over may
// have more around it.
func said(repeated, ours string) bool {
	ours, repeated = strings.TrimSpace(ours), strings.TrimSpace(repeated)
	return ours != "" && strings.Contains(repeated, ours)
}

// lastPrompt is the last message that was handed to the agent before the one
// whose turn begins.
func (c *conversation) lastPrompt() (text string) {
	find := func(e protocol.ChatEntry) bool {
		mine := e.Kind == protocol.EntryUser && e.Text != "" && (c.turn == nil || e.Message != c.turn.message.ID) &&
			(e.Route == nil || e.Route.Kind != protocol.RouteInstant)
		if mine {
			text = e.Text
		}
		return !mine
	}
	items := c.entries.Recent()
	for i := len(items) - 1; i >= 0; i-- {
		if !find(items[i]) {
			return text
		}
	}
	if err := c.entries.Each(0, find); err != nil {
		c.log.Warn("the history of a conversation cannot be read", "error", err)
	}
	return text
}
