package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

// Send accepts a message: it begins a turn, or queues the message. Sending the
// same message twice sends it once. It returns CodeBusy when the queue is full.
func (m *Manager) Send(_ context.Context, req protocol.ChatSendRequest) (protocol.Conversation, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.Conversation{}, err
	}
	if err := state.CheckID(string(req.Message), "message"); err != nil {
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
	// A message that is refused leaves no files behind.
	c.mu.Lock()
	if known, err := c.admit(req); known || err != nil {
		defer c.mu.Unlock()
		return c.headLocked(), err
	}
	c.mu.Unlock()
	// Nothing of the conversation waits for the disk meanwhile.
	kept, err := c.files.Keep(req.Attachments)
	c.mu.Lock()
	defer c.mu.Unlock()
	if err != nil {
		return c.headLocked(), err
	}
	if known, err := c.admit(req); known || err != nil {
		c.files.Drop(kept)
		return c.headLocked(), err
	}
	waits := c.waits(req)
	message := protocol.QueuedMessage{ID: req.Message, Text: req.Text, Attachments: kept, Route: req.Route}
	if req.Replaces != "" {
		return c.replace(req.Replaces, message)
	}
	taken := func(s *state.State) {
		s.Know(message.ID)
		if begun := strings.TrimSpace(s.Head.Draft); strings.HasPrefix(strings.TrimSpace(req.Text), begun) {
			// The draft is the text that is sent, or its beginning. It must not
			// be in the input when the conversation is opened again.
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
	// On an error the draft stays, so that the user can send the message again.
	return c.headLocked(), err
}

// admit returns an error if a message cannot be taken now. known says that it was taken
// before.
func (c *conversation) admit(req protocol.ChatSendRequest) (known bool, err error) {
	if err := c.loadLocked(); err != nil {
		return false, err
	}
	if slices.Contains(c.state.Known, req.Message) {
		return true, nil
	}
	if err := c.mayTalk(); err != nil {
		return false, err
	}
	room := protocol.ChatQueue
	if c.turn == nil {
		room++ // the first queued message begins its turn
	}
	if c.waits(req) && !req.Now && len(c.state.Head.Queue) >= room {
		return false, protocol.NewError(protocol.CodeBusy, fmt.Sprintf("%d messages are queued already", protocol.ChatQueue), "wait for one of them, remove one, or send this one now")
	}
	return false, nil
}

// waits reports whether something goes before a message.
func (c *conversation) waits(req protocol.ChatSendRequest) bool {
	return (c.turn != nil || len(c.state.Head.Queue) > 0) && req.Replaces == ""
}

// enqueue appends a message to the queue. also is applied in the same write.
func (c *conversation) enqueue(message protocol.QueuedMessage, also func(*state.State)) error {
	err := c.change(func(s *state.State) {
		also(s)
		s.Head.Queue = append(slices.Clone(s.Head.Queue), message)
		// Messages held since a Stop or a restart go first: a user who sends
		// another message wants all of them sent, in order.
		s.Held = s.Held && c.turn != nil
	})
	if err != nil {
		return err
	}
	c.m.news.Touch(c, true)
	c.next()
	return nil
}

// mayTalk returns an error if nothing can be sent now.
func (c *conversation) mayTalk() error {
	if c.state.Head.Terminal != "" {
		return protocol.NewError(protocol.CodeBusy, "the conversation continues in a terminal", "continue it in the chat first")
	}
	return nil
}

// interrupt puts a message into the running turn, if the agent takes it there, else
// before the queue, and ends the turn. also is applied in the same write; for a message
// into the running turn, it is written once the agent has it.
func (c *conversation) interrupt(message protocol.QueuedMessage, also func(*state.State)) error {
	t := c.turn
	if c.steer(t, message) {
		also(&c.state)
		err := c.rec.CloseText()
		if err == nil {
			_, err = c.rec.Put(userEntry(message))
		}
		if err != nil {
			c.broken(err)
			return err
		}
		c.save(true) // else a message of the queue would be there again after a crash
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
	c.m.news.Touch(c, true)
	c.cancelLocked()
	return nil
}

// steer sends a message into the running turn, and says whether the agent has it. Its
// answer is recorded after the message, because the caller holds mu.
func (c *conversation) steer(t *turn, message protocol.QueuedMessage) bool {
	session := c.agent.session
	if !c.state.Head.Can.Steer || !t.prompting || t.beside || t.cancelled || session == nil {
		return false
	}
	if err := session.Steer(t.ctx, c.prompt(message, c.agent.starter, c.state.Head.Can.Images)); err != nil {
		c.log.Info("a message could not be put into the turn", "error", err)
		return false
	}
	return true
}

// userEntry returns the entry of a message. The entry's id is the message's id.
func userEntry(message protocol.QueuedMessage) protocol.ChatEntry {
	return protocol.ChatEntry{
		ID: string(message.ID), Message: message.ID, Kind: protocol.EntryUser, Text: message.Text, Attachments: message.Attachments,
	}
}
