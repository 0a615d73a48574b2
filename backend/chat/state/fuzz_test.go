package state_test

import (
	"log/slog"
	"path/filepath"
	"testing"

	"pilotfish/backend/chat/state"
	"pilotfish/backend/journal"
)

// The newest record may have any content: the state before it counts, and what is
// written afterwards is read.
func FuzzState(f *testing.F) {
	f.Add([]byte(`{"version":1,"head":{"title":"a","queue":null},"known":["m"]}`))
	f.Add([]byte(`{"version":9}`))
	f.Add([]byte(`{"version":"1"}`))
	f.Add([]byte("a\nb"))
	f.Fuzz(func(t *testing.T, record []byte) {
		dir := t.TempDir()
		l, err := journal.OpenLog(journal.LogConfig{Dir: filepath.Join(dir, state.Dir), Logger: slog.New(slog.DiscardHandler)})
		if err != nil {
			t.Fatal(err)
		}
		_, err = l.Append(record)
		if err := l.Close(); err != nil {
			t.Fatal(err)
		}
		if err != nil {
			return
		}
		s, err := open(dir).Read()
		if err != nil {
			return
		}
		s.Know("new")
		store := open(dir)
		if err := store.Write(&s); err != nil {
			t.Fatal(err)
		}
		if err := store.Close(); err != nil {
			t.Fatal(err)
		}
		again, err := open(dir).Read()
		if err != nil || len(again.Known) == 0 || again.Known[len(again.Known)-1] != "new" && len(again.Known) != len(s.Known) {
			t.Errorf("%q: %+v, %v", record, again, err)
		}
	})
}
