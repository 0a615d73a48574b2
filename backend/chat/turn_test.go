package chat

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/protocol"
)

func ptr[T any](v T) *T { return &v }

// A turn is cancelled at any stage: its questions and tool calls end, and it
// has one end.
func TestCancelEverywhere(t *testing.T) {
	answered := make(chan string, 1)
	for name, c := range map[string]struct {
		script script
		ready  func(protocol.ChatPage) bool
		want   []string
	}{
		"while it works": {
			untilCancelled,
			func(p protocol.ChatPage) bool { return len(p.Entries) == 2 },
			[]string{"user go", "text working", "end cancelled"},
		},
		"in a tool": {
			func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
				s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: "a", Title: ptr("Build"), Status: ptr(protocol.ToolRunning)}})
				return untilCancelled(ctx, s, p)
			},
			func(p protocol.ChatPage) bool { return len(p.Entries) == 3 },
			[]string{"user go", "tool Build cancelled", "text working", "end cancelled"},
		},
		"in a question": {
			func(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
				got := make(chan string, 1)
				s.sink.Ask(ctx, driver.Ask{Tool: driver.ToolUpdate{Call: "a", Title: ptr("rm -rf")}, Options: []protocol.PermissionOption{{ID: "y", Kind: protocol.AnswerOnce}}}, func(o string) { got <- o })
				answered <- <-got
				return driver.TurnEnd{Reason: protocol.EndCancelled}, nil
			},
			func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationNeedsYou },
			[]string{"user go", "tool rm -rf cancelled", "permission cancelled", "end cancelled"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := opened(t, &played{script: c.script}, "")
			h.start("c1")
			h.say("c1", "m1", "go")
			h.until("c1", c.ready)
			if _, err := h.Cancel(t.Context(), "c1"); err != nil {
				t.Fatal(err)
			}
			wantTexts(t, h.idle("c1").Entries, c.want...)
			if name == "in a question" {
				if got := <-answered; got != "" {
					t.Errorf("the agent was told %q", got)
				}
			}
			if n := len(h.broker.Pending()); n != 0 {
				t.Errorf("%d questions still wait", n)
			}
		})
	}
}

// Messages queued before a Stop are sent before a message that is typed after
// it.
func TestQueueKeepsItsOrderAfterAStop(t *testing.T) {
	h := opened(t, &played{script: func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
		if p.Text == "first" {
			return untilCancelled(ctx, s, p)
		}
		return echo(ctx, s, p)
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "first")
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	h.say("c1", "m2", "second")
	if _, err := h.Cancel(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.Message == "" })
	if len(page.Head.Queue) != 1 {
		t.Fatalf("after Stop %+v waits", page.Head.Queue)
	}
	h.say("c1", "m3", "third")
	page = h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 9 && p.Head.Message == "" })
	wantTexts(t, page.Entries, "user first", "text working", "end cancelled",
		"user second", "text You said: second", "end done", "user third", "text You said: third", "end done")
	if len(page.Head.Queue) != 0 {
		t.Errorf("%+v still waits", page.Head.Queue)
	}
}

// An agent that does not end a cancelled turn loses its process, and the other
// conversations of the process see why.
func TestAnAgentThatDoesNotObey(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := opened(t, &played{shared: true, script: func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
			if p.Text == "quick" {
				return echo(ctx, s, p)
			}
			s.say("working")
			<-ctx.Done()
			return driver.TurnEnd{}, context.Cause(ctx)
		}}, "")
		h.start("c1")
		h.start("c2")
		h.say("c2", "m1", "quick")
		h.idle("c2")
		h.say("c1", "m2", "go")
		synctest.Wait()
		began := time.Now()
		if _, err := h.Cancel(t.Context(), "c1"); err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		if h.Manager.conversations["c1"].Head().State != protocol.ConversationRunning {
			t.Error("the turn ended before the agent had its time")
		}
		time.Sleep(chatCancelWait + time.Second)
		synctest.Wait()
		wantTexts(t, h.idle("c1").Entries, "user go", "text working", "end cancelled")
		if took := time.Since(began); took > chatCancelWait+2*time.Second {
			t.Errorf("it took %s", took)
		}
		for _, id := range []protocol.ConversationID{"c1", "c2"} {
			head := h.Manager.conversations[id].Head()
			if head.State != protocol.ConversationFailed || !strings.Contains(head.Error.Message, "did not end a turn") {
				t.Errorf("%s: %s, %v", id, head.State, head.Error)
			}
		}
		h.stop()
	})
}

// When an agent dies, every turn of its process ends with the reason. A restart
// starts it again and loads the session.
func TestAnAgentThatDies(t *testing.T) {
	p := &played{shared: true, script: untilCancelled}
	h := opened(t, p, "")
	for _, id := range []protocol.ConversationID{"c1", "c2"} {
		h.start(id)
		h.say(id, protocol.MessageID("m-"+string(id)), "go")
		h.until(id, func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	}
	if p.started != 1 {
		t.Fatalf("%d processes", p.started)
	}
	p.last().die(errors.New("killed by SIGKILL"))
	for _, id := range []protocol.ConversationID{"c1", "c2"} {
		page := h.idle(id)
		wantTexts(t, page.Entries, "user go", "text working", "end crashed")
		if e := page.Entries[2].End.Error; e == nil || !strings.Contains(e.Message, "SIGKILL") || page.Head.State != protocol.ConversationFailed {
			t.Errorf("%s: %s, %v", id, page.Head.State, e)
		}
	}
	head, err := h.Restart(t.Context(), "c1")
	if err != nil || head.State != protocol.ConversationIdle || p.started != 2 || p.resumed[2] != "session-1" {
		t.Errorf("restart: %v, %s, %d processes, resumed %q", err, head.State, p.started, p.resumed)
	}
	// Sending a message starts it, too.
	p.script = echo
	h.say("c2", "m9", "again")
	page := h.until("c2", func(p protocol.ChatPage) bool { return len(p.Entries) == 6 && p.Head.Message == "" })
	wantTexts(t, page.Entries[3:], "user again", "text You said: again", "end done")
	if p.resumed[3] != "session-2" {
		t.Errorf("resumed %q", p.resumed)
	}
}

// If an agent cannot load its session, the next prompt quotes the conversation
// for it, and a notice tells the user.
func TestAnAgentThatForgets(t *testing.T) {
	p := &played{script: echo, noResume: true}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m1", "my name is Ada")
	h.idle("c1")
	h.stop()
	again := opened(t, p, h.dir)
	again.say("c1", "m2", "what is my name?")
	page := again.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 7 && p.Head.Message == "" })
	if page.Entries[4].Kind != protocol.EntryNotice {
		t.Errorf("%q", texts(page.Entries))
	}
	if last := p.prompts[1].Text; !strings.Contains(last, "my name is Ada") || !strings.HasSuffix(last, "what is my name?") || strings.Count(last, "what is my name?") != 1 {
		t.Errorf("the agent was told %q", last)
	}
}

func TestSignIn(t *testing.T) {
	h := opened(t, &played{script: echo, signIn: []protocol.SignInMethod{{ID: "key", Name: "API key"}}}, "")
	h.start("c1")
	h.say("c1", "m1", "hello")
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationSignIn })
	if len(page.Head.SignIn) != 1 {
		t.Errorf("%+v", page.Head.SignIn)
	}
	if _, err := h.SignIn(t.Context(), protocol.ChatSignInRequest{Conversation: "c1", Method: "guess"}); err == nil {
		t.Error("a wrong way was taken")
	}
	if _, err := h.SignIn(t.Context(), protocol.ChatSignInRequest{Conversation: "c1", Method: "key"}); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, h.idle("c1").Entries, "user hello", "text You said: hello", "end done")
}

// If a sign-in did not help, the user is asked again, with what the agent says
// is missing.
func TestSignInSaysWhy(t *testing.T) {
	p := &played{}
	p.script = func(ctx context.Context, s *playedSession, prompt driver.Prompt) (driver.TurnEnd, error) {
		p.mu.Lock()
		early := p.started < 3
		p.mu.Unlock()
		if early {
			return driver.TurnEnd{Reason: protocol.EndFailed}, &driver.NeedsSignIn{Why: "API key is missing"}
		}
		return echo(ctx, s, prompt)
	}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m1", "hello")
	for _, want := range []string{" needs you to sign in: API key is missing", " is still not signed in: API key is missing"} {
		page := h.until("c1", func(p protocol.ChatPage) bool {
			return p.Head.State == protocol.ConversationSignIn && p.Head.Error != nil && strings.HasSuffix(p.Head.Error.Message, want)
		})
		if page.Head.Error.Code != protocol.CodeUnauthorized {
			t.Errorf("%+v", page.Head.Error)
		}
		if _, err := h.SignIn(t.Context(), protocol.ChatSignInRequest{Conversation: "c1", Method: page.Head.SignIn[0].ID}); err != nil {
			t.Fatal(err)
		}
	}
	page := h.idle("c1")
	wantTexts(t, page.Entries, "user hello", "text You said: hello", "end done")
	if page.Head.Error != nil {
		t.Errorf("after the sign-in it says %+v", page.Head.Error)
	}
}

// An agent that notices only during a turn that nobody is signed in, and offers
// no way to sign in: the turn waits, and an agent that was started after the
// sign-in carries it out.
func TestSignInInATurn(t *testing.T) {
	p := &played{}
	p.script = func(ctx context.Context, s *playedSession, prompt driver.Prompt) (driver.TurnEnd, error) {
		p.mu.Lock()
		first := p.started == 1
		p.mu.Unlock()
		if first {
			return driver.TurnEnd{Reason: protocol.EndFailed}, &driver.NeedsSignIn{}
		}
		return echo(ctx, s, prompt)
	}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m1", "hello")
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationSignIn })
	if len(page.Head.SignIn) != 1 || page.Head.SignIn[0].About == "" {
		t.Errorf("%+v", page.Head.SignIn)
	}
	if _, err := h.SignIn(t.Context(), protocol.ChatSignInRequest{Conversation: "c1", Method: page.Head.SignIn[0].ID}); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, h.idle("c1").Entries, "user hello", "text You said: hello", "end done")
	<-p.agents[0].done
	if p.started != 2 {
		t.Errorf("%d agents", p.started)
	}
	// A user who does not sign in can stop the turn.
	p.mu.Lock()
	p.script = func(context.Context, *playedSession, driver.Prompt) (driver.TurnEnd, error) {
		return driver.TurnEnd{Reason: protocol.EndFailed}, &driver.NeedsSignIn{}
	}
	p.mu.Unlock()
	h.say("c1", "m2", "again")
	h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationSignIn })
	if _, err := h.Cancel(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, h.idle("c1").Entries, "user hello", "text You said: hello", "end done", "user again", "end cancelled")
}

// A turn that sends nothing is offered to be ended, but is not ended.
func TestSilence(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		more := make(chan struct{})
		h := opened(t, &played{script: func(_ context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
			s.say("working")
			<-more
			s.say(" on")
			<-more
			return driver.TurnEnd{Reason: protocol.EndDone}, nil
		}}, "")
		h.start("c1")
		h.say("c1", "m1", "go")
		quiet := func() bool { synctest.Wait(); return h.Manager.conversations["c1"].Head().Quiet }
		time.Sleep(protocol.ChatSilence - time.Second)
		if quiet() {
			t.Error("it is quiet too soon")
		}
		time.Sleep(2 * time.Second)
		if !quiet() {
			t.Error("nobody noticed the silence")
		}
		more <- struct{}{}
		if quiet() {
			t.Error("it is quiet although it spoke")
		}
		close(more)
		h.idle("c1")
		h.stop()
	})
}

// A message that is sent now replaces the running turn, or is added to it if
// the agent can do that.
func TestSendNow(t *testing.T) {
	p := &played{script: untilCancelled}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	h.say("c1", "m2", "later")
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	p.mu.Lock()
	p.script = echo
	p.mu.Unlock()
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m3", Text: "stop that", Now: true}); err != nil {
		t.Fatal(err)
	}
	page := h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 9 && p.Head.Message == "" })
	wantTexts(t, page.Entries, "user go", "text working", "end cancelled", "user stop that", "text You said: stop that", "end done", "user later", "text You said: later", "end done")

	steered := opened(t, &played{script: untilCancelled, steer: true}, "")
	steered.start("c1")
	steered.say("c1", "m1", "go")
	steered.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	if _, err := steered.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m3", Text: "left", Now: true}); err != nil {
		t.Fatal(err)
	}
	steered.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 4 })
	if _, err := steered.Cancel(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, steered.idle("c1").Entries, "user go", "text working", "user left", "text steered: left", "end cancelled")
}

// A message of the queue that went into the running turn is not in the queue any more: for
// no viewer, and not after a crash.
func TestSendNowOfAQueuedMessage(t *testing.T) {
	h := opened(t, &played{script: untilCancelled, steer: true}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	h.say("c1", "m2", "left")
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 && len(p.Head.Queue) == 1 })
	if _, err := h.Queue(t.Context(), protocol.ChatQueueRequest{Conversation: "c1", Message: "m2", Action: protocol.QueueNow}); err != nil {
		t.Fatal(err)
	}
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 4 && len(p.Head.Queue) == 0 })
	crashed := t.TempDir()
	if err := os.CopyFS(crashed, os.DirFS(filepath.Join(h.dir, "chat", "c1"))); err != nil {
		t.Fatal(err)
	}
	kept, err := state.NewStore(crashed, slog.New(slog.DiscardHandler)).Read()
	if err != nil || len(kept.Head.Queue) != 0 {
		t.Errorf("after a crash the queue is %v, %v", kept.Head.Queue, err)
	}
	if _, err := h.Cancel(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	wantTexts(t, h.idle("c1").Entries, "user go", "text working", "user left", "text steered: left", "end cancelled")
}

// An agent that can take a message into its turn refuses one: it is sent after the turn,
// once, as to an agent that cannot.
func TestSendNowThatTheAgentRefuses(t *testing.T) {
	p := &played{script: untilCancelled, steer: true, refused: errors.New("no turn runs")}
	h := opened(t, p, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	h.say("c1", "m2", "later")
	h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 2 })
	p.mu.Lock()
	p.script = echo
	p.mu.Unlock()
	if _, err := h.Send(t.Context(), protocol.ChatSendRequest{Conversation: "c1", Message: "m3", Text: "left", Now: true}); err != nil {
		t.Fatal(err)
	}
	page := h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 9 && p.Head.Message == "" })
	wantTexts(t, page.Entries, "user go", "text working", "end cancelled", "user left", "text You said: left", "end done", "user later", "text You said: later", "end done")
}

// An unused agent is ended, and loads its session when it is needed again.
func TestAnIdleAgentIsEnded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := &played{script: echo}
		h := opened(t, p, "")
		h.start("c1")
		h.say("c1", "m1", "hello")
		h.idle("c1")
		agent := p.last()
		time.Sleep(chatIdle - time.Second)
		synctest.Wait()
		select {
		case <-agent.done:
			t.Error("it ended too soon")
		default:
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		<-agent.done
		if head := h.List()[0]; head.State != protocol.ConversationIdle || head.Error != nil {
			t.Errorf("%s, %v", head.State, head.Error)
		}
		h.say("c1", "m2", "again")
		h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 6 && p.Head.Message == "" })
		if p.resumed[1] != "session-1" {
			t.Errorf("resumed %q", p.resumed)
		}
		h.stop()
	})
}
