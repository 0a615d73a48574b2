package activity

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/hub"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

func opened(t *testing.T) *Log {
	t.Helper()
	l, err := Open(Config{Dir: t.TempDir(), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := l.Close(); err != nil {
			t.Error(err)
		}
	})
	return l
}

func commands(entries []protocol.ActivityEntry) string {
	var names []string
	for _, e := range entries {
		names = append(names, e.Command)
	}
	return strings.Join(names, " ")
}

func TestSearch(t *testing.T) {
	l := opened(t)
	noon := time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)
	claude := protocol.Actor{Kind: protocol.ActorTerminal, ID: "k3", Name: "claude in t1", Agent: "Claude Code"}
	you := protocol.Actor{Kind: protocol.ActorUser, Name: "you"}
	for i, e := range []protocol.ActivityEntry{
		{Actor: claude, Tab: "t1", Command: "goto", OK: true, Args: map[string]string{"url": "https://Shop.example/"}},
		{Actor: claude, Tab: "t1", Command: "click", Code: protocol.CodeGone, Summary: "e5 is gone"},
		{Actor: you, Tab: "t2", Command: "navigation", Kind: protocol.ActivityNavigation, OK: true, Summary: "https://news.example/"},
		{Actor: claude, Tab: "t1", Command: "download", Kind: protocol.ActivityDownload, OK: true, Summary: "report.pdf"},
	} {
		e.Time = noon.Add(time.Duration(i) * time.Minute)
		l.Record(e)
	}
	at := func(minute int) *time.Time {
		when := noon.Add(time.Duration(minute) * time.Minute)
		return &when
	}
	for _, c := range []struct {
		q    protocol.ActivityQuery
		want string
	}{
		{protocol.ActivityQuery{}, "goto click navigation download"},
		{protocol.ActivityQuery{Text: "shop.EXAMPLE"}, "goto"},
		{protocol.ActivityQuery{Text: "gone"}, "click"},
		{protocol.ActivityQuery{Text: "claude code"}, "goto click download"},
		{protocol.ActivityQuery{Text: "nowhere"}, ""},
		{protocol.ActivityQuery{Kinds: []protocol.ActivityKind{protocol.ActivityCommand}}, "goto click"},
		{protocol.ActivityQuery{Kinds: []protocol.ActivityKind{protocol.ActivityNavigation, protocol.ActivityDownload}}, "navigation download"},
		{protocol.ActivityQuery{Kinds: []protocol.ActivityKind{protocol.ActivityError}}, "click"},
		{protocol.ActivityQuery{Actor: "person"}, "navigation"},
		{protocol.ActivityQuery{Actor: "terminal K3"}, "goto click download"},
		{protocol.ActivityQuery{Actor: "claude"}, "goto click download"},
		{protocol.ActivityQuery{Tab: "t2"}, "navigation"},
		{protocol.ActivityQuery{Since: at(1), Until: at(3)}, "click navigation"},
		{protocol.ActivityQuery{Limit: 2}, "navigation download"},
		{protocol.ActivityQuery{Before: 3, Limit: 1}, "click"},
		{protocol.ActivityQuery{Before: 3}, "goto click"},
		{protocol.ActivityQuery{Before: 99}, "goto click navigation download"},
	} {
		found, err := l.Search(t.Context(), c.q, nil)
		if err != nil || commands(found.Entries) != c.want || found.Last != 4 || len(found.Gaps) != 0 {
			t.Errorf("%+v: %q, %+v, %v", c.q, commands(found.Entries), found, err)
		}
		if full := c.q.Limit > 0 && c.q.Limit == len(found.Entries); (found.Before == 0) == full {
			t.Errorf("%+v goes on before %d", c.q, found.Before)
		}
	}
	own, err := l.Search(t.Context(), protocol.ActivityQuery{}, func(e protocol.ActivityEntry) bool { return e.Actor == you })
	if err != nil || commands(own.Entries) != "navigation" {
		t.Errorf("%+v, %v", own, err)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := l.Search(ended, protocol.ActivityQuery{}, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("after its caller is gone: %v", err)
	}
}

// A search goes through the ring and the journal page by page, each entry once, and
// reads a bounded number of entries each time.
func TestSearchPagesBackwards(t *testing.T) {
	l := opened(t)
	const most = 2 * chunk // of one search
	const total = most + 2*protocol.ActivityRing
	for i := range total {
		l.Record(protocol.ActivityEntry{Command: fmt.Sprint(i + 1), OK: true, Time: time.Now()})
	}
	want := uint64(total)
	for q := (protocol.ActivityQuery{Limit: 999}); ; {
		found, err := l.search(t.Context(), q, nil, most)
		if err != nil || len(found.Gaps) != 0 {
			t.Fatalf("%v, gaps %v", err, found.Gaps)
		}
		for _, e := range slices.Backward(found.Entries) {
			if e.Index != want || e.Command != fmt.Sprint(want) {
				t.Fatalf("entry %d is %+v", want, e)
			}
			want--
		}
		if q.Before = found.Before; q.Before == 0 {
			break
		}
	}
	if want != 0 {
		t.Errorf("%d entries are missing", want)
	}
	found, err := l.search(t.Context(), protocol.ActivityQuery{Text: "only the first has it"}, nil, most)
	if err != nil || len(found.Entries) != 0 || found.Before == 0 || found.Before > total-most+chunk {
		t.Errorf("one search read until %d, %v", found.Before, err)
	}
	// With a time it stops where older entries begin.
	future := time.Now().Add(2 * overlap)
	if found, err := l.Search(t.Context(), protocol.ActivityQuery{Since: &future}, nil); err != nil || found.Before != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// What old files had, and what the disk did not take, is a gap.
func TestSearchShowsGaps(t *testing.T) {
	j, err := journal.OpenLog(journal.LogConfig{Dir: t.TempDir(), FileSize: 2000, Files: 2, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	l := &Log{journal: j, log: slog.New(slog.DiscardHandler), news: hub.New[struct{}](1), done: make(chan struct{})}
	t.Cleanup(func() { _ = l.Close() })
	for range 40 {
		data, _ := json.Marshal(protocol.ActivityEntry{Command: "c", OK: true, Time: time.Now()})
		if _, err := j.Append(data); err != nil {
			t.Fatal(err)
		}
	}
	lost := j.Skip()
	data, _ := json.Marshal(protocol.ActivityEntry{Command: "last", OK: true, Time: time.Now()})
	if _, err := j.Append(data); err != nil {
		t.Fatal(err)
	}
	first := j.First()
	found, err := l.Search(t.Context(), protocol.ActivityQuery{}, nil)
	want := []protocol.ActivityGap{{From: 1, To: first - 1}, {From: lost, To: lost}}
	if err != nil || first < 2 || !slices.Equal(found.Gaps, want) || found.Before != 0 || found.Entries[0].Index != first || found.Entries[len(found.Entries)-1].Command != "last" {
		t.Errorf("%+v, want gaps %v, %v", found, want, err)
	}
	if got := joined([]protocol.ActivityGap{{From: 5, To: 6}, {From: 1, To: 2}, {From: 3, To: 4}}); !slices.Equal(got, []protocol.ActivityGap{{From: 1, To: 6}}) {
		t.Errorf("%v", got)
	}
}

func TestMarkdown(t *testing.T) {
	day := time.Date(2026, 3, 4, 12, 0, 0, 0, time.Local)
	got := Markdown([]protocol.ActivityEntry{
		{Time: day, Actor: protocol.Actor{Name: "claude"}, Tab: "t1", Command: "click", Args: map[string]string{"target": "a `b` **c**"}, DurationMS: 12, OK: true},
		{Time: day.Add(time.Second), Actor: protocol.Actor{Name: "you"}, Kind: protocol.ActivityNavigation, Command: "navigation", OK: true, Summary: "https://a.example/\n# no heading"},
		{Time: day.AddDate(0, 0, 1), Actor: protocol.Actor{Name: "you"}, Kind: protocol.ActivityQuestion, Phase: protocol.ActivityWaiting, Command: "eval", OK: true},
		{Time: day.AddDate(0, 0, 1), Actor: protocol.Actor{Name: "claude"}, Command: "eval", Code: protocol.CodeRefused, DurationMS: 3},
	})
	want := "## 2026-03-04\n\n" +
		"- 12:00:00 `claude` in `t1`: **command** `click` `target`=`` a `b` **c** `` (12 ms)\n" +
		"- 12:00:01 `you`: **navigation**: `https://a.example/ # no heading`\n" +
		"\n## 2026-03-05\n\n" +
		"- 12:00:00 `you`: **question** `eval` (waiting)\n" +
		"- 12:00:00 `claude`: **command** `eval` (failed: refused, 3 ms)\n"
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
}
