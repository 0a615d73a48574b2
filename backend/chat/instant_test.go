package chat

import (
	"context"
	"errors"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/chat/routing"
	"pilotfish/backend/protocol"
)

// withInstant is a configuration in which another played agent carries out the
// instant messages.
func withInstant(instant *played) func(*Config) {
	return func(c *Config) {
		own := c.Agents
		c.Instant = "quick"
		c.Agents = PlayedAgents{Router: routing.New(routing.Default()), Start: func(ctx context.Context, kind protocol.AgentKind, command string) (driver.Starter, error) {
			s, err := own.Starter(ctx, kind, command)
			if kind == c.Instant {
				s.Driver, s.ReportsSteps, s.TakesRefs = instant, true, true
			}
			return s, err
		}}
	}
}

// An instant message goes to the agent for instant messages, with the router's
// plan and the elements that the user chose. The conversation's own agent
// learns of it with its next prompt.
func TestAnInstantMessageGoesBesideTheAgent(t *testing.T) {
	own := &played{script: echo}
	quick := &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		s.sink.Update(driver.Update{Commands: []protocol.ChatCommand{{Name: "quick"}}})
		s.say("Clicked")
		return driver.TurnEnd{Reason: protocol.EndDone, Brief: "it clicked Save"}, nil
	}}
	h := openedWith(t, own, "", withInstant(quick))
	h.start("c1")
	_, err := h.Send(t.Context(), protocol.ChatSendRequest{
		Conversation: "c1", Message: "m1", Text: "click Save", Route: protocol.RouteInstant,
		Attachments: []protocol.ChatAttachment{{Kind: protocol.AttachElement, Name: "Save", Tab: "t1", Ref: "e3"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user click Save", "text Clicked", "end done")
	if len(page.Head.Commands) > 0 || own.started != 0 {
		t.Errorf("its commands are the conversation's: %+v; the own agent was started %d times", page.Head.Commands, own.started)
	}
	got := quick.prompts[0]
	if got.Plan == nil || len(got.Refs) != 1 || got.Refs[0] != "e3" || got.Text != "click Save" {
		t.Errorf("it was handed %+v", got)
	}
	h.say("c1", "m2", "Why is the sky blue?")
	h.until("c1", func(p protocol.ChatPage) bool {
		return len(p.Entries) > 4 && p.Entries[len(p.Entries)-1].Kind == protocol.EntryEnd
	})
	if got := own.prompts[0]; got.Plan != nil || !strings.Contains(got.Text, "it clicked Save") {
		t.Errorf("the own agent was handed %+v", got)
	}
}

// The conversation's own agent dies while another agent carries out an instant
// message: the instant turn continues to its own end.
func TestTheAgentDiesBesideAnInstantMessage(t *testing.T) {
	own := &played{script: echo}
	began, on := make(chan struct{}), make(chan struct{})
	quick := &played{script: func(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		close(began)
		select {
		case <-on:
			s.say("Waited")
			return driver.TurnEnd{Reason: protocol.EndDone}, nil
		case <-ctx.Done():
			return driver.TurnEnd{}, context.Cause(ctx)
		}
	}}
	h := openedWith(t, own, "", withInstant(quick))
	h.start("c1")
	h.say("c1", "m1", "Why is the sky blue?")
	h.idle("c1")
	_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "wait 5 seconds", Route: protocol.RouteInstant})
	if err != nil {
		t.Fatal(err)
	}
	<-began
	own.last().die(errors.New("killed by SIGKILL"))
	h.until("c1", func(p protocol.ChatPage) bool { return p.Head.Error != nil })
	close(on)
	h.until("c1", func(p protocol.ChatPage) bool {
		last := p.Entries[len(p.Entries)-1]
		return last.Kind == protocol.EntryEnd && last.End.Reason == protocol.EndDone && p.Entries[len(p.Entries)-2].Text == "Waited"
	})
}

// A message that is sent now during an instant message ends that turn: the conversation's
// own agent, which could take it into a turn of its own, has none.
func TestSendNowBesideAnInstantMessage(t *testing.T) {
	own := &played{script: echo, steer: true}
	quick := &played{script: untilCancelled, steer: true}
	h := openedWith(t, own, "", withInstant(quick))
	h.start("c1")
	h.say("c1", "m1", "Why is the sky blue?")
	h.idle("c1")
	_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "wait 5 seconds", Route: protocol.RouteInstant})
	if err != nil {
		t.Fatal(err)
	}
	h.until("c1", func(p protocol.ChatPage) bool { return p.Entries[len(p.Entries)-1].Text == "working" })
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m3", Text: "Why is grass green?", Now: true}); err != nil {
		t.Fatal(err)
	}
	page := h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) >= 9 && p.Head.Message == "" })
	wantTexts(t, page.Entries[3:], "user wait 5 seconds", "text working", "end cancelled", "user Why is grass green?", "text You said: Why is grass green?", "end done")
	if own.steered+quick.steered > 0 {
		t.Errorf("put into a turn: %d, %d", own.steered, quick.steered)
	}
}

// A command's step is recorded only for an agent that does not report its steps
// itself.
func TestStepsOfAnAgentThatReportsThem(t *testing.T) {
	steps := make(chan struct{})
	quick := &played{}
	h := openedWith(t, quick, "", withInstant(quick))
	quick.script = func(context.Context, *playedSession, driver.Prompt) (driver.TurnEnd, error) {
		h.Step("c1", recorder.Step{Line: "Clicked Save", OK: true})
		close(steps)
		return driver.TurnEnd{Reason: protocol.EndDone}, nil
	}
	if _, err := h.Start(t.Context(), protocol.ChatStartRequest{Conversation: "c1", Tab: "t1", Agent: "quick"}); err != nil {
		t.Fatal(err)
	}
	h.say("c1", "m1", "click Save")
	<-steps
	wantTexts(t, h.idle("c1").Entries, "user click Save", "end done")
}

// A message that the agent for instant messages declines goes to the conversation's own
// agent, in the same turn.
func TestADeclinedMessageGoesToTheAgent(t *testing.T) {
	own := &played{script: echo}
	quick := &played{script: func(_ context.Context, _ *playedSession, prompt driver.Prompt) (driver.TurnEnd, error) {
		return driver.TurnEnd{Reason: protocol.EndDone, Declined: prompt.MayDecline}, nil
	}}
	h := openedWith(t, own, "", withInstant(quick))
	h.start("c1")
	h.say("c1", "m1", "click Save")
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user click Save", "text You said: click Save", "end done")
	if route := page.Entries[0].Route; route == nil || route.Kind != protocol.RouteFast || !strings.Contains(route.Reason, "nothing of that name") {
		t.Errorf("its route is %+v", route)
	}
	if len(own.prompts) != 1 || len(quick.prompts) != 1 {
		t.Errorf("the agents got %d and %d messages", len(own.prompts), len(quick.prompts))
	}
	// What the user gave to Pilot stays there.
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "click Save", Route: protocol.RouteInstant}); err != nil {
		t.Fatal(err)
	}
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) > 4 })
	if len(own.prompts) != 1 {
		t.Error("the own agent got a message for Pilot")
	}
}
