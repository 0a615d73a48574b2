package chat

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recorder"
	"pilotfish/backend/protocol"
)

// gated is a script that waits for on, for the end of its agent, or until it is
// cancelled.
func gated(began chan<- *playedSession, on <-chan struct{}) script {
	return func(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		began <- s
		select {
		case <-on:
			return driver.TurnEnd{Reason: protocol.EndDone}, nil
		case <-s.a.done:
			return driver.TurnEnd{}, errors.New("the pipe is closed")
		case <-ctx.Done():
			return driver.TurnEnd{}, context.Cause(ctx)
		}
	}
}

// instantly sends a message to the agent for instant messages.
func (h *fixture) instantly(message protocol.MessageID, text string) {
	h.t.Helper()
	_, err := h.Send(h.t.Context(), protocol.ChatSendRequest{
		Conversation: "c1", Message: message, Text: text, Route: protocol.RouteInstant,
		Attachments: []protocol.ChatAttachment{{Kind: protocol.AttachElement, Name: "Save", Tab: "t1", Ref: "e3"}},
	})
	if err != nil {
		h.t.Fatal(err)
	}
}

func wantEnd(t *testing.T, page protocol.ChatPage, want protocol.EndReason) {
	t.Helper()
	if last := page.Entries[len(page.Entries)-1]; last.End == nil || last.End.Reason != want {
		t.Errorf("the turn ended with %+v, not %s", last.End, want)
	}
}

// An instant message that is sent while the conversation's own session is being
// closed gets a session that is not closed with it.
func TestAnInstantMessageWhileTheAgentIsLetGo(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closing, began, on := make(chan struct{}), make(chan *playedSession), make(chan struct{})
		own := &played{script: echo, closing: func(context.Context) { <-closing }}
		quick := &played{script: gated(began, on)}
		var released atomic.Int32
		h := openedWith(t, own, "", func(c *Config) {
			withInstant(quick)(c)
			withAgents(func(a *PlayedAgents) { a.release = func() { released.Add(1) } })(c)
		})
		h.start("c1")
		h.say("c1", "m1", "Why is the sky blue?")
		h.idle("c1")
		restarted := make(chan error)
		go func() {
			_, err := h.Restart(t.Context(), "c1")
			restarted <- err
		}()
		synctest.Wait() // it is closing the session
		h.instantly("m2", "click Save")
		<-began
		if released.Load() != 1 {
			t.Error("what the conversation may do ends with the instant message")
		}
		close(closing)
		if err := <-restarted; err != nil {
			t.Error(err)
		}
		synctest.Wait() // the released sessions have ended
		if released.Load() != 1 {
			t.Error("what the instant message may do was ended")
		}
		close(on)
		wantEnd(t, h.idle("c1"), protocol.EndDone)
	})
}

// The turn of a message that replaces an earlier one shares the process of the
// previous session, which is being closed meanwhile.
func TestAnEditKeepsTheProcessOfItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		closing, began, on := make(chan struct{}), make(chan *playedSession), make(chan struct{})
		p := &played{shared: true, script: echo, closing: func(context.Context) { <-closing }}
		h := opened(t, p, "")
		h.start("c1")
		h.say("c1", "m1", "hello")
		h.idle("c1")
		p.mu.Lock()
		p.script = gated(began, on)
		p.mu.Unlock()
		_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "goodbye", Replaces: "m1"})
		if err != nil {
			t.Fatal(err)
		}
		<-began
		close(closing)
		synctest.Wait() // the previous session is closed
		close(on)
		wantEnd(t, h.idle("c1"), protocol.EndDone)
		if p.started != 1 {
			t.Errorf("%d agents were started", p.started)
		}
	})
}

// The end of a Manager waits for an idle agent that is being released.
func TestTheEndWaitsForAnIdleAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		begun, closing := make(chan struct{}), make(chan struct{})
		p := &played{script: echo, closing: func(context.Context) { close(begun); <-closing }}
		h := opened(t, p, "")
		h.start("c1")
		h.say("c1", "m1", "hello")
		h.idle("c1")
		time.Sleep(chatIdle)
		<-begun
		ended := make(chan struct{})
		go func() { defer close(ended); h.stop() }()
		synctest.Wait()
		select {
		case <-ended:
			t.Error("it ended while a session was closed")
		default:
		}
		close(closing)
		<-ended
	})
}

// The steps of an instant turn are handled as the agent that it began with
// requires, also when that agent ends meanwhile.
func TestAnInstantTurnKnowsItsAgent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began, on := make(chan *playedSession), make(chan struct{})
		own := &played{script: echo}
		quick := &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
			began <- s
			<-on
			return driver.TurnEnd{Reason: protocol.EndDone}, nil
		}}
		h := openedWith(t, own, "", withInstant(quick))
		h.start("c1")
		h.instantly("m1", "click Save")
		s := <-began
		s.a.die(errors.New("killed"))
		synctest.Wait()
		h.Step("c1", recorder.Step{Line: "Clicked Save", OK: true})
		close(on)
		// The agent shows its steps itself.
		wantTexts(t, h.idle("c1").Entries, "user click Save", "end done")
	})
}

// An instant turn that fails because its agent crashed does not affect the
// conversation's own agent.
func TestAnInstantTurnThatCrashes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		began := make(chan *playedSession)
		own := &played{script: echo}
		quick := &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
			began <- s
			<-s.a.done
			return driver.TurnEnd{}, protocol.NewError(protocol.CodeCrashed, "it stopped", "")
		}}
		h := openedWith(t, own, "", withInstant(quick))
		h.start("c1")
		h.say("c1", "m1", "Why is the sky blue?")
		h.idle("c1")
		h.instantly("m2", "click Save")
		(<-began).a.die(errors.New("killed"))
		page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.Message == "" && p.Head.Error != nil })
		wantEnd(t, page, protocol.EndCrashed)
		synctest.Wait()
		select {
		case <-own.last().done:
			t.Error("the own agent was ended")
		default:
		}
	})
}

// A conversation that is deleted while its agent restarts leaves neither a
// process nor a token behind.
func TestAConversationIsDeletedWhileItsAgentStarts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := make(chan struct{})
		p := &played{script: echo}
		var allowed atomic.Int32
		h := openedWith(t, p, "", withAgents(func(a *PlayedAgents) {
			a.tooled, a.release = func() { allowed.Add(1) }, func() { allowed.Store(0) }
		}))
		h.start("c1")
		h.say("c1", "m1", "hello")
		h.idle("c1")
		p.starting = func() { <-on }
		restarted := make(chan error)
		go func() {
			_, err := h.Restart(t.Context(), "c1")
			restarted <- err
		}()
		synctest.Wait() // it is starting the agent
		if err := h.Delete(t.Context(), "c1"); err != nil {
			t.Fatal(err)
		}
		close(on)
		if err := <-restarted; code(err) != protocol.CodeNotRunning {
			t.Errorf("the restart says %v", err)
		}
		synctest.Wait()
		if allowed.Load() != 0 {
			t.Error("the agent may still do something")
		}
		select {
		case <-p.last().done:
		default:
			t.Error("the agent still runs")
		}
	})
}

// An agent that is restarted while an earlier message is replaced does not keep
// a session with the removed messages.
func TestAnEditWhileTheSessionIsOpened(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		on := make(chan struct{})
		p := &played{shared: true, script: echo}
		h := opened(t, p, "")
		h.start("c1")
		h.say("c1", "m1", "the secret is 7")
		h.idle("c1")
		p.opening = func() { <-on }
		restarted := make(chan error)
		go func() {
			_, err := h.Restart(t.Context(), "c1")
			restarted <- err
		}()
		synctest.Wait() // it is loading the session
		_, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m2", Text: "hello", Replaces: "m1"})
		if err != nil {
			t.Fatal(err)
		}
		close(on)
		if err := <-restarted; code(err) != protocol.CodeBusy {
			t.Errorf("the restart says %v", err)
		}
		wantEnd(t, h.idle("c1"), protocol.EndDone)
		p.mu.Lock()
		defer p.mu.Unlock()
		if last := p.resumed[len(p.resumed)-1]; last != "" {
			t.Errorf("the edited message resumes %q", last)
		}
	})
}
