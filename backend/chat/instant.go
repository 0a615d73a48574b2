package chat

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/protocol"
)

// planner is a session of Pilot: it carries out a plan that was made from the
// message when its route was chosen.
type planner interface {
	Run(ctx context.Context, plan builtin.Plan, chosen []string) builtin.Outcome
}

// side is Pilot beside the conversation's own agent.
type side struct {
	session AgentSession
	host    *host
	sink    *sink
}

// route chooses who carries a message out. The caller holds mu.
func (c *conversation) route(message protocol.QueuedMessage) (route *protocol.ChatRoute, plan builtin.Plan, chosen []string) {
	router := c.m.config.Settings().Router
	if router == nil {
		return nil, builtin.Plan{}, nil
	}
	head := c.headLocked()
	beside := c.beside(message)
	if message.Route == protocol.RouteInstant {
		// The elements were chosen where Pilot asked which is meant.
		beside = slices.DeleteFunc(beside, func(a protocol.ChatAttachment) bool {
			own := a.Kind == protocol.AttachElement && a.Tab == head.Tab
			if own {
				chosen = append(chosen, a.Ref)
			}
			return own
		})
	}
	made, plan := router.Route(message.Text, beside, Asker{
		Agent: head.Agent, Options: head.Options, CanInstant: head.Tab != "",
	}, message.Route)
	if _, ok := protocol.ModelProfile(head.Agent); ok && made.Kind != protocol.RouteInstant {
		return nil, plan, nil // there is one model, and nothing to choose
	}
	return &made, plan, chosen
}

// instant carries a turn out by Pilot, in this process, beside the
// conversation's agent, which is told of it with its next prompt.
func (c *conversation) instant(t *turn) (TurnEnd, error) {
	session, err := c.openSide(t.ctx)
	if err != nil {
		return TurnEnd{}, err
	}
	c.mu.Lock()
	t.prompting, t.direct = true, true
	cancelled := t.cancelled
	c.m.news.touch(c, true)
	c.mu.Unlock()
	if cancelled {
		return TurnEnd{}, errCancelled
	}
	out := session.Run(t.ctx, t.plan, t.chosen)
	c.mu.Lock()
	defer c.mu.Unlock()
	c.aside(t.message.Text, out.Brief)
	if out.Status == protocol.ToolCancelled {
		return TurnEnd{Reason: protocol.EndCancelled}, nil
	}
	return TurnEnd{Reason: protocol.EndDone}, nil
}

// openSide returns Pilot's session beside the conversation's own.
func (c *conversation) openSide(ctx context.Context) (planner, error) {
	c.mu.Lock()
	if c.side.session != nil {
		defer c.mu.Unlock()
		return c.side.session.(planner), nil
	}
	tab, actor := c.headLocked().Tab, c.actor()
	c.mu.Unlock()
	starter, err := c.m.config.Agent(ctx, protocol.AgentPilot, "")
	if err != nil {
		return nil, err
	}
	h, err := c.m.hosts.get(ctx, c, starter, "")
	if err != nil {
		return nil, err
	}
	s := &sink{c: c, beside: true}
	c.mu.Lock()
	c.side = side{host: h, sink: s}
	c.mu.Unlock()
	session, err := h.agent.Open(ctx, SessionConfig{Actor: actor, Tab: tab}, s)
	if err != nil {
		c.leaveSide()
		return nil, err
	}
	p, ok := session.(planner)
	if !ok {
		c.leaveSide()
		return nil, fmt.Errorf("%s takes no plan", starter.Launch.Name)
	}
	c.mu.Lock()
	c.side.session = session
	c.mu.Unlock()
	return p, nil
}

// leaveSide lets Pilot go.
func (c *conversation) leaveSide() {
	c.mu.Lock()
	s := c.side
	c.side = side{}
	c.mu.Unlock()
	c.letGo(s.session, s.host)
}

// asideLimit bounds what an agent is told of what Pilot did, in characters.
const asideLimit = 2000

// aside notes what Pilot did for the agent's next prompt. The caller holds mu.
func (c *conversation) aside(asked, done string) {
	c.state.Aside = append(c.state.Aside, fmt.Sprintf("The person said %q, and it was carried out without you: %s", cut(asked, asideLimit/4), cut(done, asideLimit)))
	if n := len(c.state.Aside); n > 5 {
		c.state.Aside = c.state.Aside[n-5:]
	}
}

// withAside puts what Pilot did before a prompt.
func (c *conversation) withAside(text string) string {
	if len(c.state.Aside) == 0 {
		return text
	}
	before := strings.Join(c.state.Aside, "\n\n")
	c.state.Aside = nil
	return "[For you to know, not to answer: " + before + "]\n\n" + text
}
