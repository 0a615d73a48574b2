package recall_test

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/recall"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/protocol"
)

// talked is a transcript of two turns, the second of which was carried out
// without the agent, and of the prompt of a third.
func talked(t *testing.T) *transcript.Transcript {
	t.Helper()
	entries := transcript.New(filepath.Join(t.TempDir(), "c1"), 0, slog.New(slog.DiscardHandler))
	if err := entries.Open(func(uint64) {}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := entries.Close(); err != nil {
			t.Error(err)
		}
	})
	for _, e := range []protocol.ChatEntry{
		{ID: "m1", Message: "m1", Kind: protocol.EntryUser, Text: "one"},
		{ID: "a", Message: "m1", Kind: protocol.EntryThought, Text: "hm"},
		{ID: "b", Message: "m1", Kind: protocol.EntryText, Text: "first"},
		{ID: "m2", Message: "m2", Kind: protocol.EntryUser, Text: "click", Route: &protocol.ChatRoute{Kind: protocol.RouteInstant}},
		{ID: "c", Message: "m2", Kind: protocol.EntryTool, Tool: &protocol.ChatTool{Title: "Clicked"}},
		{ID: "m3", Message: "m3", Kind: protocol.EntryUser, Text: "three"},
	} {
		if _, _, err := entries.Write(protocol.ChatEvent{Op: protocol.ChatPut, Entry: &e}); err != nil {
			t.Fatal(err)
		}
	}
	return entries
}

func TestQuote(t *testing.T) {
	entries := talked(t)
	got, err := recall.Quote(entries, "m3", "three")
	if err != nil || !strings.Contains(got, "\n\nPerson: one\n\nYou: first\n\nPerson: click\n\n") || !strings.HasSuffix(got, "\n\nthree") || strings.Contains(got, "hm") {
		t.Errorf("%q, %v", got, err)
	}
	long := protocol.ChatEntry{ID: "d", Message: "m2", Kind: protocol.EntryText, Text: strings.Repeat("x", protocol.ChatContext)}
	if _, _, err := entries.Write(protocol.ChatEvent{Op: protocol.ChatPut, Entry: &long}); err != nil {
		t.Fatal(err)
	}
	if got, err := recall.Quote(entries, "m3", "three"); err != nil || got != "three" {
		t.Errorf("%d bytes are quoted, %v", len(got), err)
	}
}

func TestSaid(t *testing.T) {
	entries := talked(t)
	prompt := func(m protocol.QueuedMessage, images bool) driver.Prompt {
		if !images {
			t.Errorf("%s is given without its pictures", m.ID)
		}
		return driver.Prompt{Message: m.ID, Text: m.Text}
	}
	short := func(limit int) string {
		said, err := recall.Said(entries, "m3", limit, prompt)
		if err != nil {
			t.Fatal(err)
		}
		var out []string
		for _, one := range said {
			out = append(out, fmt.Sprint(one.Entry.ID, " ", one.Prompt != nil, " ", one.Instant))
		}
		return strings.Join(out, ", ")
	}
	if got, want := short(1000), "m1 true false, b false false, m2 true true, c false true"; got != want {
		t.Errorf("it is told %q, want %q", got, want)
	}
	if got, want := short(1), "m2 true true, c false true"; got != want {
		t.Errorf("of few bytes it is told %q, want %q", got, want)
	}
}

func TestLastPrompt(t *testing.T) {
	entries := talked(t)
	for now, want := range map[protocol.MessageID]string{"m3": "one", "": "three"} {
		if got, err := recall.LastPrompt(entries, now); err != nil || got != want {
			t.Errorf("before %q it is %q, %v, want %q", now, got, err, want)
		}
	}
}

func user(text string) driver.Update { return driver.Update{User: &driver.Chunk{Text: text}} }
func text(text string) driver.Update { return driver.Update{Text: &driver.Chunk{Text: text}} }

// The turns from elsewhere are those after our last prompt.
func TestReplay(t *testing.T) {
	r := recall.Replay{Keep: true}
	if !r.Empty() || r.Take(driver.Update{Commands: []protocol.ChatCommand{}}) {
		t.Error("commands are no repetition")
	}
	for _, u := range []driver.Update{text("lost"), user("[For you to know] "), user("one"), text("first"), user("two"), text("second"), user("three"), text("third"), text("!")} {
		if !r.Take(u) {
			t.Errorf("%+v is a repetition", u)
		}
	}
	turns := r.After(" one ")
	if len(turns) != 2 || turns[0].Prompt != "two" || turns[1].Prompt != "three" || len(turns[1].Rest) != 2 {
		t.Errorf("behind it is %+v", turns)
	}
	for _, ours := range []string{"three", "never said", ""} {
		if turns := r.After(ours); len(turns) > 0 {
			t.Errorf("behind %q is %+v", ours, turns)
		}
	}
	var passed recall.Replay
	if !passed.Take(user("one")) || !passed.Empty() {
		t.Error("what is not wanted is kept")
	}
}
