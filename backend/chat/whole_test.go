//go:build unix

package chat_test

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/chat"
	"pilotfish/backend/chat/acp"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// whole is a fixture with a real process: the scripted agent, over ACP.
type whole struct {
	*chat.Manager
	t      *testing.T
	dir    string
	broker *policy.Broker
	stop   func()
	args   []string
}

// scripted builds the scripted agent.
func scripted(t *testing.T) string {
	t.Helper()
	program := filepath.Join(t.TempDir(), "scripted")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", program, "./acp/fakes/scripted").CombinedOutput(); err != nil {
		t.Fatalf("building the scripted agent: %v\n%s", err, out)
	}
	return program
}

func begin(t *testing.T, program, dir string, args ...string) *whole {
	t.Helper()
	w := &whole{t: t, dir: dir, broker: policy.NewBroker("default", func() {}), args: args}
	log := slog.New(slog.DiscardHandler)
	scripted := acp.New(acp.Config{Version: "test", Logger: log})
	m, err := chat.New(chat.Config{
		Session: "default", Tabs: opentabs.New(protocol.Tab{ID: "t1"}), Events: hub.New[any](1),
		Dir: filepath.Join(dir, "chat"), Root: dir, Attachments: filepath.Join(dir, "attachments"), Broker: w.broker, Logger: log,
		Agents: chat.PlayedAgents{Start: func(context.Context, protocol.AgentKind, string) (driver.Starter, error) {
			return driver.Starter{Driver: scripted, Launch: driver.Launch{Kind: "scripted", Name: "Scripted", Path: program, Args: w.args, Env: os.Environ(), Dir: dir}}, nil
		}},
	})
	if err != nil {
		t.Fatal(err)
	}
	w.Manager = m
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- m.Run(ctx) }()
	w.stop = func() {
		if cancel == nil {
			return
		}
		cancel()
		cancel = nil
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	t.Cleanup(w.stop)
	return w
}

var messages int

// say sends a message to the conversation c1, waits for the end of its turn and
// returns the turn's entries.
func (w *whole) say(text string) []protocol.ChatEntry {
	w.t.Helper()
	message := w.send("c1", text)
	return w.ended("c1", message)
}

func (w *whole) send(id protocol.ConversationID, text string) protocol.MessageID {
	w.t.Helper()
	if _, err := w.Start(w.t.Context(), protocol.ChatStartRequest{Conversation: id, Tab: "t1"}); err != nil {
		w.t.Fatal(err)
	}
	messages++
	message := protocol.MessageID(fmt.Sprint("m", messages))
	if _, err := w.Send(w.t.Context(), protocol.ChatSendRequest{Conversation: id, Message: message, Text: text}); err != nil {
		w.t.Fatal(err)
	}
	return message
}

// until watches a conversation until its events fulfil a condition.
func (w *whole) until(id protocol.ConversationID, want func(protocol.ChatEventsEvent) bool) {
	w.t.Helper()
	ctx, cancel := context.WithTimeout(w.t.Context(), 3*time.Minute)
	defer cancel()
	events, err := w.Watch(ctx, id, 0)
	if err != nil {
		w.t.Fatal(err)
	}
	for ev, err := range events {
		if err != nil {
			w.t.Fatal(err)
		}
		if want(ev) {
			return
		}
	}
	page, err := w.History(protocol.ChatHistoryRequest{Conversation: id})
	w.t.Fatalf("it never came to it: %v %+v", err, page)
}

func entriesOf(ev protocol.ChatEventsEvent) []protocol.ChatEntry {
	var all []protocol.ChatEntry
	if ev.Page != nil {
		all = append(all, ev.Page.Entries...)
	}
	for _, e := range ev.Events {
		if e.Entry != nil {
			all = append(all, *e.Entry)
		}
	}
	return all
}

func (w *whole) ended(id protocol.ConversationID, message protocol.MessageID) []protocol.ChatEntry {
	w.t.Helper()
	w.until(id, func(ev protocol.ChatEventsEvent) bool {
		for _, e := range entriesOf(ev) {
			if e.Message == message && e.End != nil {
				return true
			}
		}
		return false
	})
	page, err := w.History(protocol.ChatHistoryRequest{Conversation: id, Limit: protocol.ChatPageMax})
	if err != nil {
		w.t.Fatal(err)
	}
	var turn []protocol.ChatEntry
	for _, e := range page.Entries {
		if e.Message == message {
			turn = append(turn, e)
		}
	}
	return turn
}

func (w *whole) want(turn []protocol.ChatEntry, text string, end protocol.EndReason) {
	w.t.Helper()
	said, ends := "", 0
	for _, e := range turn {
		if e.Kind == protocol.EntryText {
			said += e.Text
		}
		if e.Open {
			w.t.Errorf("%s is open after the end", e.ID)
		}
		if e.End != nil {
			ends++
			if e.End.Reason != end {
				w.t.Errorf("the end is %s (%v) and not %s", e.End.Reason, e.End.Error, end)
			}
		}
	}
	if ends != 1 || !strings.Contains(said, text) {
		w.t.Errorf("%d ends, it said %.200q and not %q", ends, said, text)
	}
}

// Everything that an agent does, and much that it must not do, through the
// driver and the process: each turn has its one end, and the next one works.
func TestAScriptedAgent(t *testing.T) {
	program := scripted(t)
	w := begin(t, program, t.TempDir(), "-state", t.TempDir())
	w.want(w.say("say hello; tool Look; unannounced; plan; replace; unknown; stranger; split"), "hello", protocol.EndDone)
	flood := w.say("flood 5000")
	var words strings.Builder
	for _, e := range flood {
		if e.Kind == protocol.EntryText {
			words.WriteString(e.Text)
		}
	}
	for i, word := range strings.Fields(words.String()) {
		if word != fmt.Sprint(i) {
			t.Fatalf("word %d is %s", i, word)
		}
	}
	if n := len(strings.Fields(words.String())); n != 5000 {
		t.Errorf("%d words and not 5000", n)
	}
	w.want(w.say("error no luck"), "", protocol.EndFailed)
	w.want(w.say("refuse"), "", protocol.EndRefused)
	w.want(w.say("max-tokens"), "", protocol.EndMaxTokens)
	for _, death := range []string{"die 3", "kill", "close-out", "rubbish 3000"} {
		w.want(w.say("open Build; say dying; "+death), "dying", protocol.EndCrashed)
		w.want(w.say("say alive"), "alive", protocol.EndDone)
	}
	// A silent turn is cancelled, in this conversation only.
	message := w.send("c1", "silent")
	other := w.send("c2", "silent")
	w.until("c1", running)
	w.until("c2", running)
	if _, err := w.Cancel(t.Context(), "c1"); err != nil {
		t.Fatal(err)
	}
	w.want(w.ended("c1", message), "", protocol.EndCancelled)
	if head := w.List()[0]; head.ID != "c1" && head.ID != "c2" {
		t.Errorf("%+v", head)
	}
	if _, err := w.Cancel(t.Context(), "c2"); err != nil {
		t.Fatal(err)
	}
	w.want(w.ended("c2", other), "", protocol.EndCancelled)

	// A question, answered in the tray.
	message = w.send("c1", "ask-new Delete it")
	w.until("c1", func(ev protocol.ChatEventsEvent) bool {
		for _, e := range entriesOf(ev) {
			if e.Permission != nil && e.Permission.Approval != "" {
				return true
			}
		}
		return false
	})
	if err := w.broker.AnswerOption(w.broker.Pending()[0].ID, protocol.AnswerOnce, "", "tray"); err != nil {
		t.Fatal(err)
	}
	turn := w.ended("c1", message)
	if p := turn[2].Permission; p == nil || p.Outcome != "allowed once by you in the tray" || p.Subject.Title == "" {
		t.Errorf("%+v", turn[2])
	}

	// Another process in another run of the Manager: the session is loaded.
	w.stop()
	again := begin(t, program, w.dir, w.args...)
	before := again.List()
	again.want(again.say("say still here"), "still here", protocol.EndDone)
	for _, head := range again.List() {
		for _, old := range before {
			if old.ID == head.ID && head.ID == "c1" && (old.AgentSession != head.AgentSession || head.Entries != old.Entries+3) {
				t.Errorf("session %s, then %s; %d entries, then %d", old.AgentSession, head.AgentSession, old.Entries, head.Entries)
			}
		}
	}
}

func running(ev protocol.ChatEventsEvent) bool {
	heads := []protocol.ConversationState{}
	if ev.Page != nil {
		heads = append(heads, ev.Page.Head.State)
	}
	for _, e := range ev.Events {
		if e.Head != nil {
			heads = append(heads, e.Head.State)
		}
	}
	for _, s := range heads {
		if s == protocol.ConversationRunning {
			return true
		}
	}
	return false
}
