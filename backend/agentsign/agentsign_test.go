package agentsign

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

type board struct{ said []string }

func (b *board) SetAgent(_ context.Context, tab protocol.TabID, sign *protocol.AgentSign) error {
	if sign == nil {
		b.said = append(b.said, string(tab)+" nothing")
	} else {
		b.said = append(b.said, string(tab)+" "+sign.Words)
	}
	if tab == "t9" {
		return protocol.NewError(protocol.CodeGone, "the page is gone", "")
	}
	return nil
}

func tabs(status protocol.AgentStatus, ids ...protocol.TabID) []protocol.Tab {
	var all []protocol.Tab
	for _, id := range ids {
		all = append(all, protocol.Tab{ID: id, Agent: &protocol.TabAgent{Name: "claude", Status: status}})
	}
	return all
}

func TestSigns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := New(slog.New(slog.DiscardHandler)), &board{}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx, b) }()
		synctest.Wait()
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			if got := strings.Join(b.said, "; "); got != strings.Join(want, "; ") {
				t.Errorf("the signs: %s; want %s", got, strings.Join(want, "; "))
			}
			b.said = nil
		}
		claude := protocol.Actor{Kind: protocol.ActorTerminal, Name: "claude in t1", Agent: "Claude Code"}
		for _, nobody := range []protocol.Actor{{Kind: protocol.ActorUser}, {Kind: protocol.ActorShell}, {Kind: protocol.ActorTask}} {
			s.Began(nobody, "t1")()
		}
		s.Began(claude, "")()
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect() // it works, and has not touched a page
		ended := s.Began(claude, "t1")
		expect("t1 Claude Code works in this tab")
		ended()
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect()
		s.Tabs(tabs(protocol.AgentNeedsYou, "t1"))
		expect("t1 Claude Code needs you")
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect("t1 Claude Code works in this tab")
		// A sign ends by itself, some time after the last command.
		s.Tabs(tabs(protocol.AgentIdle, "t1"))
		time.Sleep(linger + time.Second) // of the fake clock
		expect("t1 nothing")
		// A tab that was closed is forgotten.
		s.Began(claude, "t2")()
		expect("t2 Claude Code works in this tab")
		s.Tabs(nil)
		expect()
		s.mu.Lock()
		if len(s.tabs) != 0 {
			t.Errorf("%d tabs are known", len(s.tabs))
		}
		s.mu.Unlock()
		// A page that cannot be drawn on does not stop the others.
		s.Began(claude, "t9")()
		s.Began(claude, "t3")()
		synctest.Wait()
		if len(b.said) != 2 {
			t.Errorf("the signs: %q", b.said)
		}
		cancel()
		<-done
	})
}

func TestName(t *testing.T) {
	for actor, want := range map[protocol.Actor]string{
		{Name: "claude in t2"}:               "claude in t2",
		{Name: "x", Agent: "A\u202eB\n C"}:   "A B C",
		{}:                                   "An agent",
		{Agent: strings.Repeat("long ", 20)}: "long long long long long long l…",
	} {
		if got := name(actor); got != want {
			t.Errorf("%+v is called %q, want %q", actor, got, want)
		}
	}
}
