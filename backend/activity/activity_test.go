package activity_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/activity"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func open(t *testing.T, dir string) *activity.Log {
	t.Helper()
	l, err := activity.Open(activity.Config{
		Dir: dir, Logger: slog.New(slog.DiscardHandler),
		Secret: func(command, arg string) bool { return command == "login" && arg == "password" },
	})
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

func record(l *activity.Log, actor, command string) protocol.ActivityEntry {
	return l.Record(protocol.ActivityEntry{Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: actor}, Command: command})
}

func args(texts map[string]string) map[string]json.RawMessage {
	m := map[string]json.RawMessage{}
	for name, text := range texts {
		m[name], _ = json.Marshal(text)
	}
	return m
}

func TestWhatIsRecordedOfACommand(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.FixedZone("", 3600))
	long := strings.Repeat("é", 5000)
	e := l.Record(l.Entry(at, protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}, "work",
		protocol.CommandRequest{Command: "login", Tab: "t9", Args: args(map[string]string{
			"password": "hunter2", "user": "ada\x1b[2J", "note": long,
			"url": "https://ada:hunter2@example.com/a?access_token=hunter2&page=3&code=hunter2#key=hunter2",
		})},
		protocol.CommandReply{Tab: "t2", OK: false, DurationMS: 12.5, Error: protocol.NewError(protocol.CodeRefused, "no\nmore", "hint")}))
	if e.Index != 1 || e.Tab != "t2" || e.Code != protocol.CodeRefused || e.Summary != "no" || e.DurationMS != 12.5 || e.Time.Location() != time.UTC {
		t.Errorf("%+v", e)
	}
	want := map[string]string{
		"password": "•••", "user": "ada[2J", "note": strings.Repeat("é", 199) + "…",
		"url": "https://•••@example.com/a?access_token=•••&page=3&code=•••#key=•••",
	}
	for name, w := range want {
		if e.Args[name] != w {
			t.Errorf("%s = %q, want %q", name, e.Args[name], w)
		}
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) != 1 {
		t.Fatalf("%v, %v", files, err)
	}
	stored, err := os.ReadFile(files[0])
	if err != nil || bytes.Contains(stored, []byte("hunter2")) || !bytes.Contains(stored, []byte("login")) {
		t.Errorf("%v, on disk: %s", err, stored)
	}
}

func TestHistoryReachesBehindTheRingAndTheRun(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	total := protocol.ActivityRing + 700
	for i := range total {
		record(l, fmt.Sprint(i%2), fmt.Sprint("c", i+1))
	}
	check := func(l *activity.Log) {
		t.Helper()
		page, err := l.History(0, 10, nil)
		if err != nil || len(page.Entries) != 10 || page.Entries[0].Command != "c1" || page.Next != 10 || page.Last != uint64(total) || len(page.Gaps) != 0 {
			t.Fatalf("%+v, %v", page, err)
		}
		own := func(e protocol.ActivityEntry) bool { return e.Actor.ID == "1" }
		page, err = l.History(0, protocol.ActivityPageMax, own)
		if err != nil || len(page.Entries) != total/2 || page.Entries[0].Index != 2 || len(page.Gaps) != 0 {
			t.Fatalf("%d entries, gaps %v, %v", len(page.Entries), page.Gaps, err)
		}
		page, err = l.History(uint64(total), 10, nil)
		if err != nil || len(page.Entries) != 0 || page.Next != uint64(total) {
			t.Fatalf("%+v, %v", page, err)
		}
	}
	check(l)
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	l = open(t, dir)
	check(l)
	if e := record(l, "x", "later"); e.Index != uint64(total+1) {
		t.Errorf("index %d after opening again", e.Index)
	}
}

// While one goroutine records, many follow: each sees its own entries, once and
// in order.
func TestFollow(t *testing.T) {
	l := open(t, t.TempDir())
	const total = 900
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var readers sync.WaitGroup
	for n := range 6 {
		own := fmt.Sprint(n % 3)
		readers.Go(func() {
			last, seen := uint64(0), 0
			for item, err := range l.Follow(ctx, 0, func(e protocol.ActivityEntry) bool { return e.Actor.ID == own }) {
				if err != nil || item.Gap != nil || item.Entry.Index <= last || item.Entry.Actor.ID != own {
					t.Errorf("%+v, %v after %d", item, err, last)
					return
				}
				last = item.Entry.Index
				if seen++; seen == total/3 {
					return
				}
			}
			t.Errorf("the reader ended after %d", seen)
		})
	}
	for i := range total {
		record(l, fmt.Sprint(i%3), "c")
	}
	readers.Wait()
}

func TestFollowEndsWithTheLog(t *testing.T) {
	l := open(t, t.TempDir())
	record(l, "a", "c")
	ended := make(chan struct{})
	began := make(chan struct{})
	go func() {
		defer close(ended)
		for _, err := range l.Follow(t.Context(), 0, nil) {
			if err != nil {
				t.Error(err)
			}
			close(began)
		}
	}()
	<-began
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	<-ended
}

func TestWhatTheDiskDidNotTakeIsThereAndThenAGap(t *testing.T) {
	dir := t.TempDir()
	l := open(t, dir)
	record(l, "a", "first")
	record(l, "a", strings.Repeat("x", 300<<10)) // over the journal's limit
	record(l, "a", "third")
	page, err := l.History(0, 10, nil)
	if err != nil || len(page.Entries) != 3 {
		t.Fatalf("%d entries, %v", len(page.Entries), err)
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	page, err = open(t, dir).History(0, 10, nil)
	if err != nil || len(page.Entries) != 2 || len(page.Gaps) != 1 || page.Gaps[0] != (protocol.ActivityGap{From: 2, To: 2}) || page.Entries[1].Index != 3 {
		t.Fatalf("%+v, %v", page, err)
	}
}
