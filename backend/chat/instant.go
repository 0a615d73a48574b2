package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/clip"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/protocol"
)

// side is the agent of instant messages (Config.Instant), beside the conversation's
// own.
type side struct {
	session driver.Session
	process *agentpool.Process
	sink    *sink
	starter driver.Starter
}

// route chooses who carries a message out; plan is for the agent of instant
// messages. The caller holds mu.
func (c *conversation) route(message protocol.QueuedMessage) (route *protocol.ChatRoute, plan any) {
	router := c.m.config.Settings().Router
	if router == nil {
		return nil, nil
	}
	head := c.headLocked()
	beside := c.beside(message)
	if message.Route == protocol.RouteInstant {
		// The elements were chosen where the agent asked which is meant.
		beside = slices.DeleteFunc(beside, func(a protocol.ChatAttachment) bool {
			return a.Kind == protocol.AttachElement && a.Tab == head.Tab
		})
	}
	made, plan := router.Route(message.Text, beside, routing.Asker{
		Agent: head.Agent, Options: head.Options, CanInstant: head.Tab != "",
	}, message.Route)
	if _, ok := protocol.ModelProfile(head.Agent); ok && made.Kind != protocol.RouteInstant {
		return nil, nil // there is one model, and nothing to choose
	}
	return &made, plan
}

// instant carries a turn out beside the conversation's agent, which is told of it
// with its next prompt.
func (c *conversation) instant(t *turn) (driver.TurnEnd, error) {
	session, err := c.openSide(t.ctx)
	if err != nil {
		return driver.TurnEnd{}, err
	}
	c.mu.Lock()
	t.prompting, t.direct = true, true
	cancelled := t.cancelled
	prompt := c.prompt(t.message, c.side.starter, false)
	prompt.Plan = t.plan
	c.m.news.touch(c, true)
	c.mu.Unlock()
	if cancelled {
		return driver.TurnEnd{}, errCancelled
	}
	end, err := session.Prompt(t.ctx, prompt)
	c.mu.Lock()
	defer c.mu.Unlock()
	if end.Brief != "" {
		c.aside(t.message.Text, end.Brief)
	}
	return end, err
}

// openSide returns the session for instant messages.
func (c *conversation) openSide(ctx context.Context) (driver.Session, error) {
	c.mu.Lock()
	if c.side.session != nil {
		defer c.mu.Unlock()
		return c.side.session, nil
	}
	tab, actor := c.headLocked().Tab, c.actor()
	c.mu.Unlock()
	starter, err := c.m.config.Agent(ctx, c.m.config.Instant, "")
	if err != nil {
		return nil, err
	}
	h, err := c.m.agents.Get(ctx, c, starter, "")
	if err != nil {
		return nil, err
	}
	s := &sink{c: c, beside: true}
	c.mu.Lock()
	c.side = side{process: h, sink: s, starter: starter}
	c.mu.Unlock()
	session, err := h.Agent().Open(ctx, driver.SessionConfig{Actor: actor, Tab: tab}, s)
	if err != nil {
		c.leaveSide()
		return nil, err
	}
	c.mu.Lock()
	c.side.session = session
	c.mu.Unlock()
	return session, nil
}

// leaveSide lets the session for instant messages go.
func (c *conversation) leaveSide() {
	c.mu.Lock()
	s := c.side
	c.side = side{}
	c.mu.Unlock()
	c.letGo(s.session, s.process)
}

// asideLimit bounds what an agent is told of an instant message, in characters.
const asideLimit = 2000

// aside notes what was done without the agent, for its next prompt. The caller holds mu.
func (c *conversation) aside(asked, done string) {
	c.state.Aside = append(c.state.Aside, fmt.Sprintf("The person said %q, and it was carried out without you: %s", clip.Cut(asked, asideLimit/4), clip.Cut(done, asideLimit)))
	if n := len(c.state.Aside); n > 5 {
		c.state.Aside = c.state.Aside[n-5:]
	}
}

// withAside puts what was done without the agent before a prompt.
func (c *conversation) withAside(text string) string {
	if len(c.state.Aside) == 0 {
		return text
	}
	before := strings.Join(c.state.Aside, "\n\n")
	c.state.Aside = nil
	return "[For you to know, not to answer: " + before + "]\n\n" + text
}
