package chat

import (
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

// replace takes an earlier message and all behind it away and begins a turn with
// another in its place. The caller holds mu.
func (c *conversation) replace(id string, message protocol.QueuedMessage) (protocol.Conversation, error) {
	if c.turn != nil {
		return c.headLocked(), errAtWork
	}
	if c.replaced != id {
		if err := c.takeAway(id); err != nil {
			return c.headLocked(), err
		}
	}
	err := c.begin(message, func(s *state.State) { s.Know(message.ID) })
	return c.headLocked(), err
}

// takeAway cuts a message and all behind it off.
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
	// The agent cannot unsay what was said: a new session is told what is left.
	c.state.Head.AgentSession, c.state.Context = "", c.state.Head.Entries > 0
	session, h := c.session, c.process
	c.session, c.process, c.sink = nil, nil, nil
	c.m.wg.Go(func() { c.letGo(session, h) })
	return nil
}

// withHistory puts what was said before a prompt, as much of its end as fits.
// The caller holds mu.
func (c *conversation) withHistory(text string) string {
	var parts []string
	size := 0
	add := func(e protocol.ChatEntry) bool {
		if e.Message == c.rec.Message() || e.Kind != protocol.EntryUser && e.Kind != protocol.EntryText || e.Text == "" {
			return true
		}
		who := "You"
		if e.Kind == protocol.EntryUser {
			who = "Person"
		}
		part := who + ": " + e.Text
		if size += len(part); size > protocol.ChatContext {
			return false
		}
		parts = append(parts, part)
		return true
	}
	for _, e := range slices.Backward(c.entries.Recent()) {
		if !add(e) {
			break
		}
	}
	if err := c.entries.Each(0, add); err != nil {
		c.log.Warn("the history of a conversation cannot be read", "error", err)
	}
	if len(parts) == 0 {
		return text
	}
	slices.Reverse(parts)
	return fmt.Sprintf("This conversation began before this session. What was said so far, for you to read and not to answer:\n\n%s\n\nEnd of what was said. Now the person writes:\n\n%s", strings.Join(parts, "\n\n"), text)
}

// pastPictures is how many pictures of earlier prompts an agent is given again.
const pastPictures = 4

// history is SessionConfig.History.
func (c *conversation) history(limit int) ([]driver.Said, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	var said []driver.Said
	size, pictures := 0, 0
	instant := map[protocol.MessageID]bool{}
	add := func(e protocol.ChatEntry) bool {
		if e.Message == c.rec.Message() {
			return true
		}
		one := driver.Said{Entry: e}
		switch e.Kind {
		case protocol.EntryUser:
			// Messages are read backwards: what came of it stands behind it already.
			instant[e.Message] = e.Route != nil && e.Route.Kind == protocol.RouteInstant
			prompt := c.prompt(protocol.QueuedMessage{ID: e.Message, Text: e.Text, Attachments: e.Attachments}, c.starter, pictures < pastPictures)
			pictures += len(prompt.Images)
			one.Prompt = &prompt
			size += len(prompt.Text)
		case protocol.EntryText, protocol.EntryEnd:
			size += len(e.Text)
		case protocol.EntryTool:
			size += len(e.Tool.Input)
		default:
			return true
		}
		said = append(said, one)
		return size < limit
	}
	whole := true
	for _, e := range slices.Backward(c.entries.Recent()) {
		if whole = add(e); !whole {
			break
		}
	}
	if whole {
		if err := c.entries.Each(0, add); err != nil {
			return nil, fmt.Errorf("reading the history of a conversation: %w", err)
		}
	}
	slices.Reverse(said)
	for i := range said {
		said[i].Instant = instant[said[i].Entry.Message]
	}
	return said, nil
}
