package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

// Send takes a message in: it begins a turn, or waits for its own. The same
// message twice is one message. It returns CodeBusy for a message that the queue
// has no place for.
func (m *Manager) Send(_ context.Context, req protocol.ChatSendRequest) (protocol.Conversation, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.Conversation{}, err
	}
	if err := checkID(string(req.Message), "message"); err != nil {
		return c.Head(), err
	}
	switch {
	case len(req.Text) > maxChatText:
		return c.Head(), protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("a message has %d KB at most", maxChatText>>10), "attach the text as a file")
	case strings.TrimSpace(req.Text) == "" && len(req.Attachments) == 0:
		return c.Head(), protocol.NewError(protocol.CodeBadArgument, "the message is empty", "write something")
	}
	if err := checkRoute(req.Route); err != nil {
		return c.Head(), err
	}
	return c.send(req)
}

func checkRoute(route protocol.RouteKind) error {
	switch route {
	case "", protocol.RouteInstant, protocol.RouteFast, protocol.RouteStrong:
		return nil
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not a route", route), "use instant, fast or strong")
}

func (c *conversation) send(req protocol.ChatSendRequest) (protocol.Conversation, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.loadLocked(); err != nil {
		return c.headLocked(), err
	}
	if slices.Contains(c.state.Known, req.Message) {
		return c.headLocked(), nil
	}
	if err := c.mayTalk(); err != nil {
		return c.headLocked(), err
	}
	// Asked before the attachments are kept: a message that is refused leaves
	// nothing behind.
	waits := (c.turn != nil || len(c.state.Head.Queue) > 0) && req.Replaces == ""
	room := protocol.ChatQueue
	if c.turn == nil {
		room++ // the one that waits first begins its turn
	}
	if waits && !req.Now && len(c.state.Head.Queue) >= room {
		return c.headLocked(), protocol.NewError(protocol.CodeBusy, fmt.Sprintf("%d messages are queued already", protocol.ChatQueue), "wait for one of them, remove one, or send this one now")
	}
	kept, err := c.files.Keep(req.Attachments)
	if err != nil {
		return c.headLocked(), err
	}
	message := protocol.QueuedMessage{ID: req.Message, Text: req.Text, Attachments: kept, Route: req.Route}
	if req.Replaces != "" {
		return c.replace(req.Replaces, message)
	}
	taken := func(s *state.State) {
		s.Know(message.ID)
		if begun := strings.TrimSpace(s.Head.Draft); strings.HasPrefix(strings.TrimSpace(req.Text), begun) {
			// It is what is sent, or its beginning: whoever opens the conversation next
			// must not find it in the input again.
			s.Head.Draft = ""
		}
	}
	switch {
	case c.turn == nil && (req.Now || !waits):
		err = c.begin(message, taken)
	case req.Now:
		err = c.interrupt(message, taken)
	default:
		err = c.enqueue(message, taken)
	}
	// What was refused can be sent again, and is in the input of whoever opens this
	// next.
	return c.headLocked(), err
}

// enqueue puts a message behind those that wait. also is changed with it.
func (c *conversation) enqueue(message protocol.QueuedMessage, also func(*state.State)) error {
	err := c.change(func(s *state.State) {
		also(s)
		s.Head.Queue = append(slices.Clone(s.Head.Queue), message)
		// What waited since a Stop or a restart comes first: whoever writes on wants it
		// all, in its order.
		s.Held = s.Held && c.turn != nil
	})
	if err != nil {
		return err
	}
	c.m.news.touch(c, true)
	c.next()
	return nil
}

// mayTalk says why nothing can be sent just now.
func (c *conversation) mayTalk() error {
	if c.state.Head.Terminal != "" {
		return protocol.NewError(protocol.CodeBusy, "the conversation continues in a terminal", "continue it in the chat first")
	}
	return nil
}

// interrupt puts a message before everything that waits: into the turn that
// runs, where the agent can take it, else in its place. also is changed with it.
func (c *conversation) interrupt(message protocol.QueuedMessage, also func(*state.State)) error {
	t := c.turn
	if c.state.Head.Can.Steer && t.prompting && !t.cancelled {
		also(&c.state)
		t.steers++
		c.m.wg.Go(func() { c.steer(t, message) })
		return nil
	}
	err := c.change(func(s *state.State) {
		also(s)
		s.Head.Queue = slices.Insert(slices.Clone(s.Head.Queue), 0, message)
	})
	if err != nil {
		return err
	}
	t.goOn = true
	c.m.news.touch(c, true)
	c.cancelLocked()
	return nil
}

// steer hands a message into a turn that runs. One that the agent does not take
// waits for its own turn.
func (c *conversation) steer(t *turn, message protocol.QueuedMessage) {
	c.mu.Lock()
	e := userEntry(message)
	err := c.rec.CloseText()
	if err == nil {
		_, err = c.rec.Put(e)
	}
	session := c.agent.session
	prompt := c.prompt(message, c.agent.starter, c.state.Head.Can.Images)
	c.mu.Unlock()
	if err == nil && session != nil {
		err = session.Steer(t.ctx, prompt)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	t.steers--
	if err != nil {
		c.log.Info("a message could not be put into the turn", "error", err)
		if note := c.rec.Notice("The agent did not accept this message during its turn: " + protocol.AsError(err).Message); note != nil {
			c.broken(note)
		}
	}
}

// userEntry is a message as an entry; its id is the message's.
func userEntry(message protocol.QueuedMessage) protocol.ChatEntry {
	return protocol.ChatEntry{
		ID: string(message.ID), Message: message.ID, Kind: protocol.EntryUser, Text: message.Text, Attachments: message.Attachments,
	}
}
