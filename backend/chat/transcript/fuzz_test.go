package transcript

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"slices"
	"testing"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// A conversation's two journals may have records with any content: the
// conversation opens, shows what can be read, and goes on.
func FuzzJournals(f *testing.F) {
	f.Add([]byte(`{"op":"put","entry":{"id":"a","kind":"text","text":"hello","index":1}}`), []byte("1 1 n a\t{\"id\":\"a\"}"))
	f.Add([]byte(`{"op":"append","id":"a","text":"x"}`), []byte("0 1 c\t"))
	f.Add([]byte(`{"op":"cut","entry":{"id":"a"}}`), []byte("999 18446744073709551615 a b\t{}"))
	f.Add([]byte(`{"op":"put"}`), []byte("x"))
	f.Fuzz(func(t *testing.T, event, compacted []byte) {
		dir := t.TempDir()
		for name, record := range map[string][]byte{EventsDir: event, CompactedDir: compacted} {
			l, err := journal.OpenLog(journal.LogConfig{Dir: filepath.Join(dir, name), Logger: slog.New(slog.DiscardHandler)})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := l.Append(record); err != nil {
				t.Skip()
			}
			if err := l.Close(); err != nil {
				t.Fatal(err)
			}
		}
		if r, ok := parseCompacted(compacted); ok && r.through > 1000 {
			t.Skip("the journal would be filled with as many gaps")
		}
		tr, _ := opened(t, dir)
		ev := write(t, tr, protocol.ChatEvent{Op: protocol.ChatPut, Entry: &protocol.ChatEntry{ID: "new", Kind: protocol.EntryText, Text: "new"}})
		entries, _, err := tr.View().Page(0, 10)
		// Where no older entry can be read, that is said.
		if err == nil && !slices.ContainsFunc(entries, func(e protocol.ChatEntry) bool { return e.ID == "new" }) {
			t.Errorf("event %d, then %+v", ev.Index, entries)
		}
		if _, err := json.Marshal(entries); err != nil {
			t.Error(err)
		}
		_, _ = tr.Events(0, tr.Last()) // it may say that a part is missing
	})
}
