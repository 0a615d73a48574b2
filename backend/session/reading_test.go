package session

import (
	"context"
	"encoding/json"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/chat"
	"pilotfish/backend/chat/agents"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/pilot"
	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// pilotAlone has Pilot as the only agent.
type pilotAlone struct {
	*agents.Agents
	driver *pilot.Driver
}

func (a pilotAlone) Starter(context.Context, protocol.AgentKind, string) (driver.Starter, error) {
	return driver.Starter{Driver: a.driver, Launch: driver.Launch{Kind: protocol.AgentPilot, Name: "Pilot"}, ReportsSteps: true, TakesRefs: true}, nil
}

func (pilotAlone) Folder(_ context.Context, _ protocol.Actor, _ protocol.TabID, launch driver.Launch) (driver.Launch, error) {
	return launch, nil
}

func (pilotAlone) Tools(context.Context, protocol.Actor, protocol.TabID, string) []driver.ToolServer {
	return nil
}

func (pilotAlone) Release(protocol.Actor) {}

func (pilotAlone) Settings() chat.Settings { return chat.Settings{Silence: protocol.ChatSilence} }

// chatIn returns real conversations in a folder, with Pilot.
func chatIn(t *testing.T, dir string) (m *chat.Manager, end func()) {
	t.Helper()
	rules, err := pilot.New(pilot.Config{Commander: func(driver.SessionConfig) builtin.Commander {
		return builtin.Commander(func(context.Context, protocol.CommandRequest) protocol.CommandReply {
			return protocol.CommandReply{OK: true, Text: "done"}
		})
	}})
	if err != nil {
		t.Fatal(err)
	}
	m, err = chat.New(chat.Config{
		Session: "default", Tabs: opentabs.New(protocol.Tab{ID: "t1"}), Events: hub.New[any](1),
		Dir: dir, Root: dir, Attachments: filepath.Join(dir, "attachments"), Broker: policy.NewBroker("default", func() {}), Logger: slog.New(slog.DiscardHandler),
		Agents: pilotAlone{driver: rules},
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = m.Run(ctx)
	}()
	end = func() {
		cancel()
		<-ended
	}
	t.Cleanup(end)
	return m, end
}

// shown is what a viewer has drawn: entries in order, in their current state.
type shown struct {
	index   uint64
	entries []protocol.ChatEntry
}

func (s *shown) take(said protocol.ChatEventsEvent) {
	if said.Page != nil {
		s.index, s.entries = said.Page.Index, slices.Clone(said.Page.Entries)
	}
	for _, ev := range said.Events {
		if ev.Op == protocol.ChatHead || ev.Index <= s.index {
			continue
		}
		s.index = ev.Index
		at := slices.IndexFunc(s.entries, func(e protocol.ChatEntry) bool {
			return e.ID == ev.ID || ev.Entry != nil && e.ID == ev.Entry.ID
		})
		switch {
		case ev.Op == protocol.ChatPut && at >= 0:
			s.entries[at] = *ev.Entry
		case ev.Op == protocol.ChatPut:
			s.entries = append(s.entries, *ev.Entry)
		case ev.Op == protocol.ChatAppend && at >= 0:
			s.entries[at].Text += ev.Text
		}
	}
}

// ended counts the turns that have ended.
func (s *shown) ended() (n int) {
	for _, e := range s.entries {
		if e.Kind == protocol.EntryEnd {
			n++
		}
	}
	return n
}

func (s *shown) text(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(s.entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestWindowReadsWhatAPanelReads checks that window and panel receive the same
// conversation: while it grows, after the window has read another one, and after
// a restart of the app.
func TestWindowReadsWhatAPanelReads(t *testing.T) {
	dir := t.TempDir()
	m, end := chatIn(t, dir)
	chats := m
	table := op.NewTable(nil, chat.Operations(func(protocol.SessionName) (*chat.Manager, error) { return chats, nil })...)
	const id, other = protocol.ConversationID("c1"), protocol.ConversationID("c2")
	for _, one := range []protocol.ConversationID{id, other} {
		if _, err := m.Start(t.Context(), protocol.ChatStartRequest{Conversation: one, Tab: "t1"}); err != nil {
			t.Fatal(err)
		}
	}
	say := func(m *chat.Manager, message, text string) {
		t.Helper()
		if _, err := m.Send(t.Context(), protocol.ChatSendRequest{Conversation: id, Message: protocol.MessageID(message), Text: text}); err != nil {
			t.Fatal(err)
		}
	}
	var window, panel shown
	watch := func() int {
		t.Helper()
		return called[int](t, table, "WatchConversation", protocol.ConversationWatchRequest{Conversation: id, After: window.index})
	}
	inWindow := func(number, turns int) {
		t.Helper()
		for window.ended() < turns {
			window.take(called[protocol.ChatEventsEvent](t, table, "NextSaid", number))
		}
	}
	inPanel := func(m *chat.Manager, turns int) {
		t.Helper()
		ctx, leave := context.WithCancel(t.Context())
		defer leave()
		said, err := m.Watch(ctx, id, panel.index)
		if err != nil {
			t.Fatal(err)
		}
		next, stop := iter.Pull2(said)
		defer stop()
		for panel.ended() < turns {
			event, err, more := next()
			if err != nil || !more {
				t.Fatalf("the panel reads no further: %v", err)
			}
			panel.take(event)
		}
	}
	agree := func(turns int) {
		t.Helper()
		if window.text(t) != panel.text(t) {
			t.Fatalf("after %d turns the window shows\n%s\nand the panel\n%s", turns, window.text(t), panel.text(t))
		}
		if window.ended() != turns {
			t.Fatalf("%d turns have %d ends", turns, window.ended())
		}
	}

	first := watch()
	say(m, "m1", "help")
	inWindow(first, 1)
	inPanel(m, 1)
	agree(1)

	// Another conversation replaces the one that was read.
	called[int](t, table, "WatchConversation", protocol.ConversationWatchRequest{Conversation: other})
	if _, err := calls[protocol.ChatEventsEvent](t, table, "NextSaid", first); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Fatalf("a reader that was replaced says %v", err)
	}
	say(m, "m2", "scroll down")
	inPanel(m, 2)
	inWindow(watch(), 2)
	agree(2)

	last := watch()
	end()
	for {
		said, err := calls[protocol.ChatEventsEvent](t, table, "NextSaid", last)
		if err != nil {
			break
		}
		window.take(said)
	}
	m, _ = chatIn(t, dir)
	chats = m
	say(m, "m3", "help")
	say(m, "m3", "help") // the same id is the same message
	inWindow(watch(), 3)
	inPanel(m, 3)
	agree(3)
	page := called[protocol.ChatPage](t, table, "ConversationHistory", protocol.ChatHistoryRequest{Conversation: id})
	var fresh shown
	fresh.take(protocol.ChatEventsEvent{Page: &page})
	if fresh.text(t) != window.text(t) {
		t.Errorf("the history has\n%s\nand the window\n%s", fresh.text(t), window.text(t))
	}
}

// calls calls an operation about the default session.
func calls[Out any](t *testing.T, table op.Table, name string, in any) (out Out, err error) {
	t.Helper()
	text, err := json.Marshal(in)
	if err != nil {
		t.Fatal(err)
	}
	got, err := table.Call(t.Context(), name, op.ByUser(protocol.DefaultSession, "window"), text)
	if err != nil {
		return out, err
	}
	if err := json.Unmarshal(got, &out); err != nil {
		t.Fatalf("%s: %s: %v", name, got, err)
	}
	return out, nil
}

// called is calls for a call that must succeed.
func called[Out any](t *testing.T, table op.Table, name string, in any) Out {
	t.Helper()
	out, err := calls[Out](t, table, name, in)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return out
}
