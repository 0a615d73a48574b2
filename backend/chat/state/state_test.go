package state_test

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/chat/state"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

func open(dir string) *state.Store { return state.NewStore(dir, slog.New(slog.DiscardHandler)) }

func TestTheLastStateIsRead(t *testing.T) {
	dir := t.TempDir()
	store := open(dir)
	for _, title := range []string{"first", "second"} {
		s := state.New()
		s.Head.Title, s.Held = title, true
		s.Know("m1")
		if err := store.Write(&s); err != nil {
			t.Fatal(err)
		}
	}
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	got, err := open(dir).Read()
	if err != nil || got.Head.Title != "second" || !got.Held || !slices.Equal(got.Known, []protocol.MessageID{"m1"}) {
		t.Errorf("%+v, %v", got, err)
	}
}

// A state of another version, or a missing one, is an error.
func TestWhatCannotBeRead(t *testing.T) {
	dir := t.TempDir()
	if _, err := open(dir).Read(); err == nil {
		t.Error("a state was read where none is")
	}
	l, err := journal.OpenLog(journal.LogConfig{
		Dir: filepath.Join(dir, state.Dir), FileSize: 128 << 10, Files: 2, MaxRecord: 8 << 20, Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := l.Append([]byte(`{"version": 7}`)); err != nil {
		t.Fatal(err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := open(dir).Read(); err == nil || !strings.Contains(err.Error(), "version 7") {
		t.Errorf("a state of version 7: %v", err)
	}
}

// Nothing is opened before the first write, and if opening failed, a later
// write tries again.
func TestAStoreOpensLate(t *testing.T) {
	dir := t.TempDir()
	store := open(dir)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	in := filepath.Join(dir, state.Dir)
	if err := os.WriteFile(in, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := state.New()
	if err := store.Write(&s); err == nil {
		t.Error("it was written into a file that is no folder")
	}
	if err := os.Remove(in); err != nil {
		t.Fatal(err)
	}
	if err := store.Write(&s); err != nil {
		t.Error(err)
	}
	if err := store.Close(); err != nil {
		t.Error(err)
	}
}

func TestKnownMessagesAreBounded(t *testing.T) {
	s := state.New()
	for i := range 1000 {
		s.Know(protocol.MessageID(fmt.Sprint(i)))
		s.Know(protocol.MessageID(fmt.Sprint(i)))
	}
	if n := len(s.Known); n > 300 || s.Known[n-1] != "999" || s.Known[n-2] != "998" {
		t.Errorf("%d are known, the last of them %v", n, s.Known[n-2:])
	}
}

// What was done without the agent is reported once, and is limited to a few items.
func TestAside(t *testing.T) {
	s := state.New()
	if got := s.TakeAside("hello"); got != "hello" {
		t.Errorf("nothing was done: %q", got)
	}
	for i := range 9 {
		s.AddAside(fmt.Sprint("click ", i), strings.Repeat("x", 9000))
	}
	got := s.TakeAside("hello")
	if strings.Contains(got, "click 3") || !strings.Contains(got, `"click 4"`) || !strings.HasSuffix(got, "]\n\nhello") || len(got) > 20_000 {
		t.Errorf("%d bytes are told: %.200s", len(got), got)
	}
	if s.TakeAside("hello") != "hello" {
		t.Error("it is told twice")
	}
}
