package transcript

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// opened returns the opened transcript of a folder.
func opened(t *testing.T, dir string) (tr *Transcript, made int) {
	t.Helper()
	tr = New(dir, 0, slog.New(slog.DiscardHandler))
	if err := tr.Open(func(uint64) { made++ }); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tr.Close() })
	return tr, made
}

func write(t *testing.T, tr *Transcript, ev protocol.ChatEvent) protocol.ChatEvent {
	t.Helper()
	ev, _, err := tr.Write(ev)
	if err != nil {
		t.Fatal(err)
	}
	return ev
}

func put(t *testing.T, tr *Transcript, id, text string) protocol.ChatEvent {
	t.Helper()
	e := &protocol.ChatEntry{ID: id, Kind: protocol.EntryText, Text: text}
	if old, ok := tr.Entry(id); ok && id != "" {
		e.Index = old.Index
	}
	return write(t, tr, protocol.ChatEvent{Op: protocol.ChatPut, Entry: e})
}

func say(t *testing.T, tr *Transcript, id, text string) {
	t.Helper()
	write(t, tr, protocol.ChatEvent{Op: protocol.ChatAppend, ID: id, Text: text})
}

// texts returns the texts of a page, oldest first.
func texts(t *testing.T, tr *Transcript, before uint64, limit int) (list []string, more bool) {
	t.Helper()
	entries, more, err := tr.View().Page(before, limit)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		list = append(list, e.Text)
	}
	return list, more
}

func want(t *testing.T, tr *Transcript, what string, all ...string) {
	t.Helper()
	if got, _ := texts(t, tr, 0, 1000); !slices.Equal(got, all) {
		t.Errorf("%s: %q, want %q", what, got, all)
	}
}

// What was written can be read again, whether it was settled or not.
func TestComesBack(t *testing.T) {
	for name, settle := range map[string]bool{"settled": true, "not settled": false} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			tr, _ := opened(t, dir)
			first := put(t, tr, "", "one ")
			if first.Index != 1 || first.Entry.ID != "e1" || first.Entry.Index != 1 {
				t.Errorf("the first entry is %+v of %d", first.Entry, first.Index)
			}
			say(t, tr, "e1", "and ")
			say(t, tr, "e1", "more")
			put(t, tr, "b", "two")
			put(t, tr, "b", "two, changed")
			if settle {
				if err := tr.Settle(); err != nil {
					t.Fatal(err)
				}
			}
			want(t, tr, "at once", "one and more", "two, changed")
			if err := tr.Close(); err != nil {
				t.Fatal(err)
			}
			again, made := opened(t, dir)
			if fresh := map[bool]int{true: 0, false: 2}[settle]; made != fresh || again.Last() != 5 {
				t.Errorf("%d entries were made of the journal, the last event is %d", made, again.Last())
			}
			want(t, again, "again", "one and more", "two, changed")
			say(t, again, "e1", "!")
			want(t, again, "grown", "one and more!", "two, changed")
		})
	}
}

// The fold is computed again from the journal.
func TestTheCompactedFileIsMadeAgain(t *testing.T) {
	dir := t.TempDir()
	tr, _ := opened(t, dir)
	for i := range 10 {
		put(t, tr, "", fmt.Sprint(i))
	}
	if err := errors.Join(tr.Clear(), tr.Close(), os.RemoveAll(filepath.Join(dir, CompactedDir))); err != nil {
		t.Fatal(err)
	}
	again, made := opened(t, dir)
	if made != 10 {
		t.Errorf("%d entries were made", made)
	}
	want(t, again, "made again", "0", "1", "2", "3", "4", "5", "6", "7", "8", "9")
}

// A cut removes an entry and everything after it, for good; the indexes
// continue.
func TestCut(t *testing.T) {
	dir := t.TempDir()
	tr, _ := opened(t, dir)
	for _, text := range []string{"a", "b", "c", "d"} {
		put(t, tr, text, text)
	}
	b, ok := tr.Entry("b")
	if !ok {
		t.Fatal("b is not there")
	}
	ev, removed, err := tr.Cut(b)
	if err != nil || removed != 3 || ev.Op != protocol.ChatRemove || ev.Index != 5 {
		t.Errorf("%+v, %d gone, %v", ev, removed, err)
	}
	if _, ok := tr.Entry("c"); ok {
		t.Error("c is still there")
	}
	if e := put(t, tr, "e", "e"); e.Index != 6 {
		t.Errorf("the next event is %d", e.Index)
	}
	want(t, tr, "after the cut", "a", "e")
	if err := tr.Close(); err != nil {
		t.Fatal(err)
	}
	again, _ := opened(t, dir)
	want(t, again, "again", "a", "e")
}

// What could not be written did not happen: neither in memory nor for a reader.
func TestWhatCannotBeWrittenDidNotHappen(t *testing.T) {
	tr, _ := opened(t, t.TempDir())
	put(t, tr, "a", "before")
	if err := tr.events.Close(); err != nil {
		t.Fatal(err)
	}
	for _, ev := range []protocol.ChatEvent{
		{Op: protocol.ChatPut, Entry: &protocol.ChatEntry{ID: "b", Kind: protocol.EntryText, Text: "after"}},
		{Op: protocol.ChatPut, Entry: &protocol.ChatEntry{ID: "a", Index: 1, Kind: protocol.EntryText, Text: "changed"}},
		{Op: protocol.ChatAppend, ID: "a", Text: " and after"},
	} {
		if _, made, err := tr.Write(ev); made || protocol.AsError(err).Code != protocol.CodeNotWritable {
			t.Errorf("%s: %v, %v", ev.Op, made, err)
		}
	}
	a, _ := tr.Entry("a")
	if ev, removed, err := tr.Cut(a); err == nil || ev.Index != 0 || removed != 0 {
		t.Errorf("a cut: %+v, %d, %v", ev, removed, err)
	}
	want(t, tr, "afterwards", "before")
	if tr.Last() != 1 {
		t.Errorf("the last event is %d", tr.Last())
	}
}

// A long turn is not kept in memory, and nothing of it is missing.
func TestALongTurn(t *testing.T) {
	tr, _ := opened(t, t.TempDir())
	const many = 2*Window + 50
	for i := range many {
		put(t, tr, "", fmt.Sprint(i))
	}
	if n := tr.Held(); n > Window {
		t.Errorf("%d entries are in memory", n)
	}
	say(t, tr, "e1", " grown") // it is only on disk
	var all []string
	before, more := uint64(0), true
	for more {
		entries, rest, err := tr.View().Page(before, 300)
		if err != nil || len(entries) == 0 {
			t.Fatalf("%d entries, %v", len(entries), err)
		}
		before, more = entries[0].Index, rest
		for _, e := range slices.Backward(entries) {
			all = append(all, e.Text)
		}
	}
	slices.Reverse(all)
	if len(all) != many || all[0] != "0 grown" || all[many-1] != fmt.Sprint(many-1) || !slices.IsSortedFunc(all[1:], func(a, b string) int { return len(a) - len(b) }) {
		t.Errorf("%d entries, from %q to %q", len(all), all[0], all[len(all)-1])
	}
}

// A view does not change while the transcript changes.
func TestAViewStays(t *testing.T) {
	tr, _ := opened(t, t.TempDir())
	put(t, tr, "a", "a")
	v := tr.View()
	put(t, tr, "b", "b")
	say(t, tr, "a", " grown")
	if err := tr.Settle(); err != nil {
		t.Fatal(err)
	}
	entries, more, err := v.Page(0, 10)
	if err != nil || more || len(entries) != 1 || entries[0].Text != "a" {
		t.Errorf("%+v, %v, %v", entries, more, err)
	}
}

func TestPages(t *testing.T) {
	tr, _ := opened(t, t.TempDir())
	for i := range 6 {
		put(t, tr, "", fmt.Sprint(i))
		if i == 3 {
			if err := tr.Clear(); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		before uint64
		limit  int
		want   string
		more   bool
	}{
		{0, 2, "4 5", true}, {5, 2, "2 3", true}, {3, 2, "0 1", false}, {0, 6, "0 1 2 3 4 5", false}, {0, 4, "2 3 4 5", true}, {1, 4, "", false},
	} {
		got, more := texts(t, tr, c.before, c.limit)
		if strings.Join(got, " ") != c.want || more != c.more {
			t.Errorf("%d before %d: %q, more %v", c.limit, c.before, got, more)
		}
	}
	var back []string
	if err := tr.Each(2, func(e protocol.ChatEntry) bool { back = append(back, e.Text); return true }); err != nil || strings.Join(back, " ") != "3 2 1" {
		t.Errorf("on disk from 2: %q, %v", back, err)
	}
}

func TestEvents(t *testing.T) {
	tr, _ := opened(t, t.TempDir())
	put(t, tr, "a", "a")
	say(t, tr, "a", "b")
	say(t, tr, "a", "c")
	events, err := tr.Events(1, 2)
	if err != nil || len(events) != 1 || events[0].Index != 2 || events[0].Text != "b" {
		t.Errorf("%+v, %v", events, err)
	}
	if events, err := tr.Events(3, 3); err != nil || len(events) != 0 {
		t.Errorf("%+v, %v", events, err)
	}
}

// A power cut loses the journal's events after the fold's last batch: new
// indexes continue after the fold's, so that none is used twice.
func TestAJournalShorterThanItsCompactedFile(t *testing.T) {
	dir := t.TempDir()
	tr, _ := opened(t, dir)
	put(t, tr, "a", "a")
	put(t, tr, "b", "b")
	if err := errors.Join(tr.Settle(), tr.Close(), os.RemoveAll(filepath.Join(dir, EventsDir))); err != nil {
		t.Fatal(err)
	}
	again, _ := opened(t, dir)
	if e := put(t, again, "c", "c"); e.Index != 3 {
		t.Errorf("the next event is %d", e.Index)
	}
	want(t, again, "again", "a", "b", "c")
}
