package recorder

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/hub"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// heard records what a Recorder reports.
type heard struct {
	steps []string
	done  []string
}

func recording(t *testing.T) (*Recorder, *heard) {
	t.Helper()
	h := &heard{}
	events := hub.New[any](1)
	events.Observe(func(event any) {
		switch e := event.(type) {
		case Step:
			h.steps = append(h.steps, fmt.Sprintf("%s %t", e.Entry.Command, e.Entry.OK))
		case Done:
			h.done = append(h.done, fmt.Sprintf("%s %t", e.Command, e.Reply.OK))
		}
	})
	r := New(Config{
		Session: protocol.DefaultSession, Dir: t.TempDir(), Commands: catalogue.Table(), Events: events, Logger: slog.New(slog.DiscardHandler),
	})
	t.Cleanup(r.Close)
	return r, h
}

func agent(id string) auth.Grant {
	return auth.Grant{Kind: auth.KindAgent, Session: protocol.DefaultSession, Tab: "t1", Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: id}}
}

// One command is one entry at its end, and one step. Each caller sees its own
// entries, the user all. A log that was closed continues after its last entry.
func TestACommandIsAnEntry(t *testing.T) {
	r, h := recording(t)
	for i, id := range []string{"a", "b", "a"} {
		reply := r.Do(agent(id).Actor, protocol.CommandRequest{Command: "goto", Args: map[string]json.RawMessage{"url": json.RawMessage(`"https://a.example/"`)}}, nil, func(command.Watch) protocol.CommandReply {
			return protocol.CommandReply{OK: i > 0}
		})
		if reply.DurationMS == 0 {
			t.Error("nobody says how long it took")
		}
	}
	if want := []string{"goto false", "goto true", "goto true"}; !slices.Equal(h.steps, want) || !slices.Equal(h.done, want) {
		t.Errorf("steps %q, done %q", h.steps, h.done)
	}
	r.Close()
	for id, want := range map[string][]uint64{"a": {1, 3}, "b": {2}, "c": nil} {
		page, err := r.History(agent(id), 0, 10)
		var got []uint64
		for _, e := range page.Entries {
			got = append(got, e.Index)
		}
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s sees %v, %v", id, got, err)
		}
	}
	if page, err := r.History(auth.Grant{Kind: auth.KindPanel}, 0, 10); err != nil || len(page.Entries) != 3 {
		t.Errorf("the user sees %+v, %v", page, err)
	}
	items, err := r.Follow(t.Context(), agent("b"), 0)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range items {
		if err != nil || item.Entry.Index != 2 {
			t.Errorf("%+v, %v", item, err)
		}
		break
	}
}

// Of a reply the entry has what was done, and no content: neither what a page wrote
// nor the value of code, a cookie or the clipboard.
func TestWhatIsNotRecordedOfAReply(t *testing.T) {
	r, _ := recording(t)
	page := foreign.Envelope("https://a.example", "topsecret")
	for _, c := range []struct{ command, text, want string }{
		{"fill", "filled\n" + page, "filled"},
		{"network", page, ""},
		{"find", page, ""},
		{"eval", "topsecret", ""},
		{"clipboard", "topsecret", ""},
		{"cookies", "topsecret", ""},
		{"storage", "topsecret", ""},
		{"unknown", "topsecret", ""},
	} {
		r.Do(agent("a").Actor, protocol.CommandRequest{Command: c.command}, nil, func(command.Watch) protocol.CommandReply {
			return protocol.CommandReply{OK: true, Text: c.text}
		})
		all, err := r.History(agent("a"), 0, 100)
		if err != nil {
			t.Fatal(err)
		}
		if got := all.Entries[len(all.Entries)-1]; got.Command != c.command || got.Summary != c.want {
			t.Errorf("%s %q is recorded as %+v", c.command, c.text, got)
		}
	}
}

// A command that asks is an entry when it starts to wait, and its end refers to
// that entry. A command that runs others is an entry when it begins, and its
// end is not a step.
func TestWhatHappensBeforeTheEnd(t *testing.T) {
	r, h := recording(t)
	broker := policy.NewBroker(protocol.DefaultSession, func() {})
	broker.Watch(func(question protocol.Approval, over *policy.Over) {
		if over == nil {
			go func() { _ = broker.Answer(question.ID, protocol.AnswerOnce) }()
		}
	})
	reported := 0
	r.Do(agent("a").Actor, protocol.CommandRequest{Command: "clipboard"}, func(protocol.Waiting) { reported++ }, func(watch command.Watch) protocol.CommandReply {
		_, err := broker.AskVerdict(t.Context(), protocol.Approval{Actor: agent("a").Actor, Command: "clipboard", Kind: protocol.ActionClipboard, Tab: "t1"}, watch.Asking)
		return protocol.CommandReply{OK: err == nil}
	})
	r.Do(agent("a").Actor, protocol.CommandRequest{Command: "chain"}, nil, func(watch command.Watch) protocol.CommandReply {
		watch.Note(command.Note{Phase: protocol.ActivityBegun, Request: protocol.CommandRequest{Command: "chain"}, Reply: protocol.CommandReply{OK: true}})
		watch.Note(command.Note{Request: protocol.CommandRequest{Command: "tabs"}, Reply: protocol.CommandReply{OK: true}})
		return protocol.CommandReply{OK: true}
	})
	page, err := r.History(agent("a"), 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, e := range page.Entries {
		got = append(got, fmt.Sprintf("%d %s %s of %d", e.Index, e.Command, e.Phase, e.Parent))
	}
	want := []string{"1 clipboard waiting of 0", "2 clipboard  of 1", "3 chain begun of 0", "4 tabs  of 3", "5 chain  of 3"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if reported != 1 {
		t.Errorf("%d of the reports to the caller say that it waits", reported)
	}
	if want := []string{"clipboard true", "tabs true"}; !slices.Equal(h.steps, want) {
		t.Errorf("steps %q, want %q", h.steps, want)
	}
}

// Secrets are in no entry of the activity, not even those in the lines of a
// chain.
func TestSecretArgumentsAreNotRecorded(t *testing.T) {
	r, _ := recording(t)
	for _, one := range []struct {
		command, arg string
		secret       bool
	}{
		{"state", "passphrase", true},
		{"state", "name", false},
		{"chain", "commands", true},
		{"cookies", "value", true},
		{"fill", "value", true},
		{"fill", "target", false},
		{"nothing", "known", true},
	} {
		if got := r.secret(one.command, one.arg); got != one.secret {
			t.Errorf("%s %s: secret is %v", one.command, one.arg, got)
		}
	}
}
