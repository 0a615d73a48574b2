package chat

import (
	"context"
	"slices"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/files"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/protocol"
)

// route chooses the agent that carries out a message. plan is the router's plan
// for the agent for instant messages; declined says that this agent has refused it. The
// caller holds mu.
func (c *conversation) route(message protocol.QueuedMessage, declined bool) (route *protocol.ChatRoute, plan any) {
	router := c.m.config.Agents.Settings().Router
	if router == nil {
		return nil, nil
	}
	head := c.headLocked()
	beside := files.Beside(message, head.Tab)
	if message.Route == protocol.RouteInstant {
		// The user chose these elements when the agent asked which one was
		// meant.
		beside = slices.DeleteFunc(beside, func(a protocol.ChatAttachment) bool {
			return a.Kind == protocol.AttachElement && a.Tab == head.Tab
		})
	}
	made, plan := router.Route(message.Text, beside, routing.Asker{
		Agent: head.Agent, Options: head.Options, CanInstant: head.Tab != "", Declined: declined,
	}, message.Route)
	if _, ok := protocol.ModelProfile(head.Agent); ok && made.Kind != protocol.RouteInstant {
		return nil, nil // there is only one model to choose
	}
	return &made, plan
}

// instant carries out a turn without the conversation's agent. That agent
// learns of it with its next prompt.
func (t *turn) instant() (driver.TurnEnd, error) {
	c := t.c
	session, starter, err := c.agent.openSide(t.ctx)
	if err != nil {
		return driver.TurnEnd{}, err
	}
	c.mu.Lock()
	t.prompting, t.direct, t.starter = true, true, starter
	cancelled := t.cancelled
	prompt := c.prompt(t.message, starter, false)
	prompt.Plan, prompt.MayDecline = t.plan, t.message.Route != protocol.RouteInstant
	c.m.news.Touch(c, true)
	c.mu.Unlock()
	if cancelled {
		return driver.TurnEnd{}, errCancelled
	}
	end, err := session.Prompt(t.ctx, prompt)
	c.mu.Lock()
	defer c.mu.Unlock()
	if end.Declined && err == nil {
		return end, t.handOver()
	}
	if end.Brief != "" {
		c.state.AddAside(t.message.Text, end.Brief)
	}
	return end, err
}

// handOver gives a message that the agent for instant messages has declined to the
// conversation's own agent. The caller holds mu.
func (t *turn) handOver() error {
	c := t.c
	entry, ok := c.entries.Entry(string(t.message.ID))
	if !ok {
		entry = userEntry(t.message)
	}
	entry.Route, t.plan = c.route(t.message, true)
	if _, err := c.rec.Put(entry); err != nil {
		return err
	}
	if entry.Route != nil {
		t.model = entry.Route.Model
	}
	t.beside, t.prompting, t.direct, t.starter = false, false, false, driver.Starter{}
	return nil
}

// openSide returns the session for instant messages, and the starter of its
// agent.
func (a *connection) openSide(ctx context.Context) (driver.Session, driver.Starter, error) {
	c := a.c
	c.mu.Lock()
	if a.side.session != nil {
		defer c.mu.Unlock()
		return a.side.session, a.side.starter, nil
	}
	tab, actor := c.headLocked().Tab, c.actor()
	c.mu.Unlock()
	starter, err := c.m.config.Agents.Starter(ctx, c.m.config.Instant, "")
	if err != nil {
		return nil, starter, err
	}
	h, err := c.m.agents.Get(ctx, a, starter, "")
	if err != nil {
		return nil, starter, err
	}
	s := &sink{c: c, beside: true}
	c.mu.Lock()
	a.side = link{process: h, sink: s, starter: starter}
	c.mu.Unlock()
	session, err := h.Agent().Open(ctx, driver.SessionConfig{Actor: actor, Tab: tab}, s)
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err != nil:
		a.side.take()
		h.Release()
	case a.side.process == h: // else the process has ended already
		a.side.session = session
	}
	return session, starter, err
}
