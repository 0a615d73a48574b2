package agentsign

import (
	"context"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

type board struct {
	mu     sync.Mutex
	busy   bool // pages do not answer
	said   []string
	groups []protocol.TabGroup
}

func (b *board) Groups(context.Context) ([]protocol.TabGroup, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.groups), nil
}

func (b *board) GroupTabs(_ context.Context, _ int, tabs []protocol.TabID) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if tabs[0] == "t8" {
		return 0, protocol.NewError(protocol.CodeGone, "the tab is gone", "")
	}
	id := len(b.said) + 1
	b.groups = append(b.groups, protocol.TabGroup{ID: id, Tabs: tabs})
	return id, nil
}

func (b *board) UngroupTabs(_ context.Context, tabs []protocol.TabID) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, string(tabs[0])+" ungrouped")
	b.groups = slices.DeleteFunc(b.groups, func(g protocol.TabGroup) bool { return g.Tabs[0] == tabs[0] })
	return nil
}

func (b *board) SetGroup(_ context.Context, group int, title, color *string, _ *bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, g := range b.groups {
		if g.ID == group {
			b.said = append(b.said, string(g.Tabs[0])+" "+*color+" "+*title)
		}
	}
	return nil
}

func (b *board) SetAgent(_ context.Context, tab protocol.TabID, sign *protocol.AgentSign) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if sign == nil {
		b.said = append(b.said, string(tab)+" nothing")
	} else {
		b.said = append(b.said, string(tab)+" "+sign.Words)
	}
	if b.busy {
		return protocol.NewError(protocol.CodeTimeout, "the page is busy", "")
	}
	if tab == "t9" {
		return protocol.NewError(protocol.CodeGone, "the page is gone", "")
	}
	return nil
}

func tabs(status protocol.AgentStatus, ids ...protocol.TabID) []protocol.Tab {
	var all []protocol.Tab
	for _, id := range ids {
		all = append(all, protocol.Tab{ID: id, Active: true, Agent: &protocol.TabAgent{Name: "claude", Status: status}})
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
			b.mu.Lock()
			defer b.mu.Unlock()
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
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		ended := s.Began(claude, "t1")
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect("t1 Claude Code works in this tab")
		ended()
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect()
		s.Tabs(tabs(protocol.AgentNeedsYou, "t1"))
		expect("t1 Claude Code needs you")
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		expect("t1 Claude Code works in this tab")
		s.Tabs(tabs(protocol.AgentIdle, "t1"))
		expect("t1 nothing")
		// It ends at once, however the work of an agent that reports its state ends.
		chat := protocol.Actor{Kind: protocol.ActorChat, Name: "Claude Code"}
		for _, actor := range []protocol.Actor{claude, chat} {
			for _, end := range [][]protocol.Tab{
				tabs(protocol.AgentIdle, "t1"), tabs(protocol.AgentEnded, "t1"), tabs(protocol.AgentMissing, "t1"), {{ID: "t1", Active: true}},
			} {
				s.Tabs(tabs(protocol.AgentWorking, "t1"))
				ended := s.Began(actor, "t1")
				expect("t1 Claude Code works in this tab")
				s.Tabs(tabs(protocol.AgentNeedsYou, "t1"))
				expect("t1 Claude Code needs you")
				s.Tabs(end)
				expect("t1 Claude Code works in this tab") // a command still runs
				ended()
				time.Sleep(linger + time.Second) // of the fake clock
				expect("t1 nothing")
				s.Tabs(tabs(protocol.AgentWorking, "t1"))
				s.Began(actor, "t1")()
				expect("t1 Claude Code works in this tab")
				s.Tabs(end)
				expect("t1 nothing")
			}
		}
		// One that reports no state ends some time after its last command, whatever
		// another agent in its tab does.
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		s.Began(protocol.Actor{Kind: protocol.ActorMCP, Name: "Cursor"}, "t1")()
		s.Tabs(tabs(protocol.AgentIdle, "t1"))
		expect("t1 Cursor works in this tab")
		time.Sleep(linger + time.Second)
		expect("t1 nothing")
		// A page that is busy when the work ends loses its sign later.
		s.Tabs(tabs(protocol.AgentWorking, "t1"))
		s.Began(claude, "t1")()
		expect("t1 Claude Code works in this tab")
		b.mu.Lock()
		b.busy = true
		b.mu.Unlock()
		s.Tabs(tabs(protocol.AgentIdle, "t1"))
		expect("t1 nothing")
		b.mu.Lock()
		b.busy = false
		b.mu.Unlock()
		time.Sleep(linger + time.Second)
		expect("t1 nothing")
		time.Sleep(linger + time.Second)
		expect()
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
		b.mu.Lock()
		defer b.mu.Unlock()
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

// A tab that the user does not see shows in the tab strip what its agent does.
func TestColours(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, b := New(slog.New(slog.DiscardHandler)), &board{groups: []protocol.TabGroup{{ID: 99, Tabs: []protocol.TabID{"t2"}}}}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() { defer close(done); s.Run(ctx, b) }()
		synctest.Wait()
		expect := func(want ...string) {
			t.Helper()
			synctest.Wait()
			b.mu.Lock()
			defer b.mu.Unlock()
			said := slices.DeleteFunc(b.said, func(one string) bool { return strings.Contains(one, "tab") || strings.HasSuffix(one, "nothing") })
			if got := strings.Join(said, "; "); got != strings.Join(want, "; ") {
				t.Errorf("the tab strip: %s; want %s", got, strings.Join(want, "; "))
			}
			b.said = nil
		}
		shown := func(status protocol.AgentStatus, front protocol.TabID) {
			all := tabs(status, "t1", "t2", "t3", "t8")
			for i := range all {
				all[i].Active = all[i].ID == front
			}
			s.Tabs(all)
		}
		claude := protocol.Actor{Kind: protocol.ActorTerminal, Agent: "claude"}
		ended := s.Began(claude, "t1")
		shown(protocol.AgentIdle, "t3")
		expect("t1 blue claude")
		shown(protocol.AgentNeedsYou, "t3")
		expect("t1 claude needs you", "t1 orange Needs you: claude")
		shown(protocol.AgentWorking, "t3")
		expect("t1 blue claude")
		ended()
		shown(protocol.AgentIdle, "t3")
		time.Sleep(linger + time.Second) // of the fake clock
		expect("t1 green claude")
		// The user has seen that it is done.
		shown(protocol.AgentIdle, "t1")
		expect("t1 ungrouped")
		// A tab in view has no group; nor has one that the user has put into one, or
		// that cannot be grouped.
		s.Began(claude, "t1")()
		s.Began(claude, "t2")()
		s.Began(claude, "t8")()
		shown(protocol.AgentIdle, "t1")
		expect()
		time.Sleep(linger + time.Second) // of the fake clock
		expect()
		// The user took the tab out of its group: it stays so.
		s.Began(claude, "t1")()
		shown(protocol.AgentIdle, "t3")
		expect("t1 blue claude")
		b.mu.Lock()
		b.groups = nil
		b.mu.Unlock()
		time.Sleep(linger + time.Second) // of the fake clock
		shown(protocol.AgentIdle, "t1")
		expect()
		cancel()
		<-done
	})
}
