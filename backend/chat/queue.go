package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

// Queue edits, moves, removes or sends at once a queued message.
func (m *Manager) Queue(_ context.Context, req protocol.ChatQueueRequest) (protocol.Conversation, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.Conversation{}, err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if err := c.loadLocked(); err != nil {
		return c.headLocked(), err
	}
	queue := slices.Clone(c.state.Head.Queue)
	at := slices.IndexFunc(queue, func(q protocol.QueuedMessage) bool { return q.ID == req.Message })
	if at < 0 {
		return c.headLocked(), protocol.NewError(protocol.CodeBadArgument, "this message is no longer queued", "it was sent or removed")
	}
	message := queue[at]
	switch req.Action {
	case protocol.QueueEdit:
		if strings.TrimSpace(req.Text) == "" || len(req.Text) > maxChatText {
			return c.headLocked(), protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a message has 1 to %d KB", maxChatText>>10), "remove it instead")
		}
		queue[at].Text = req.Text
	case protocol.QueueMove:
		queue = slices.Delete(queue, at, at+1)
		queue = slices.Insert(queue, min(max(req.To, 0), len(queue)), message)
	case protocol.QueueRemove, protocol.QueueNow:
		queue = slices.Delete(queue, at, at+1)
	default:
		return c.headLocked(), protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not an action of the queue", req.Action), "use edit, move, remove or now")
	}
	changed := func(s *state.State) { s.Head.Queue = queue }
	switch {
	case req.Action != protocol.QueueNow:
		if err = c.change(changed); err == nil {
			c.m.news.Touch(c, true)
		}
	case c.state.Head.Terminal != "":
		err = c.mayTalk()
	case c.turn != nil:
		err = c.interrupt(message, changed)
	default:
		err = c.begin(message, changed)
	}
	return c.headLocked(), err
}

// Set changes the settings of a conversation that the user chooses: an option,
// agent, tab, title or draft.
func (m *Manager) Set(ctx context.Context, req protocol.ChatSetRequest) (protocol.Conversation, error) {
	c, err := m.find(req.Conversation)
	if err != nil {
		return protocol.Conversation{}, err
	}
	if req.Option != "" {
		if err := c.agent.setOption(ctx, req.Option, req.Value); err != nil {
			return c.Head(), err
		}
	}
	if req.Agent != nil {
		if err := c.agent.setAgent(ctx, req); err != nil {
			return c.Head(), err
		}
	}
	if req.Tab != nil {
		if err := c.agent.setTab(ctx, *req.Tab); err != nil {
			return c.Head(), err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	draft := req.Draft
	if draft != nil && req.DraftOf != "" && slices.Contains(c.state.Known, req.DraftOf) {
		draft = nil // the message was sent already
	}
	if draft != nil && len(*draft) > maxChatText {
		return c.headLocked(), protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("a message has %d KB at most", maxChatText>>10), "attach the text as a file")
	}
	err = c.change(func(s *state.State) {
		if req.Title != nil {
			if title := clip.Line(*req.Title, protocol.MaxTitle); title != "" {
				s.Head.Title, s.Titled = title, true
			}
		}
		if draft != nil {
			s.Head.Draft = *draft
		}
	})
	if err != nil {
		return c.headLocked(), err
	}
	c.m.news.Touch(c, req.Title != nil || req.Agent != nil || req.Tab != nil || req.Option != "")
	return c.headLocked(), nil
}

// setOption sets one of the agent's options. It opens a session for that if
// there is none.
func (a *connection) setOption(ctx context.Context, id, value string) error {
	c := a.c
	c.mu.Lock()
	err := c.mayTalk()
	c.mu.Unlock()
	if err != nil {
		return err
	}
	session, err := a.open(ctx)
	if err != nil {
		return err
	}
	if err := session.SetOption(ctx, id, value); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	options := slices.Clone(c.state.Head.Options)
	for i := range options {
		if options[i].ID == id {
			options[i].Value = value
		}
	}
	c.state.Head.Options = options
	return nil
}

// setAgent gives the conversation to another agent. The new agent does not know
// the conversation; its first prompt quotes it.
func (a *connection) setAgent(ctx context.Context, req protocol.ChatSetRequest) error {
	c := a.c
	command := ""
	if req.Command != nil {
		command = *req.Command
	}
	starter, err := c.m.config.Agents.Starter(ctx, *req.Agent, command)
	if err != nil {
		return err
	}
	if err := c.resting(); err != nil {
		return err
	}
	if err := a.part(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	head := &c.state.Head
	if head.Agent == starter.Launch.Kind && c.state.Command == command {
		return nil
	}
	c.state.Context = head.Entries > 0
	head.Agent, head.AgentName, c.state.Command = starter.Launch.Kind, starter.Launch.Name, command
	head.AgentSession, head.Options, head.Commands, head.Usage, head.Can = "", nil, nil, nil, protocol.ChatAbilities{}
	c.failure = nil
	return nil
}

// setTab moves the conversation to another tab. From the next turn on, the
// agent's tools act on the new tab.
func (a *connection) setTab(ctx context.Context, tab protocol.TabID) error {
	c := a.c
	if tab != "" && !c.m.config.Tabs.Has(tab) {
		return protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %.20q", tab), "", protocol.Try("lists them", "tabs"))
	}
	if err := c.resting(); err != nil {
		return err
	}
	c.mu.Lock()
	same := c.state.Head.Tab == tab
	c.mu.Unlock()
	if same {
		return nil
	}
	if err := a.part(ctx); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.state.Head.Tab = tab
	return nil
}

// resting returns an error if the agent cannot be changed now.
func (c *conversation) resting() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.turn != nil {
		return errAtWork
	}
	return c.mayTalk()
}
