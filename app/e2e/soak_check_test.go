//go:build soak

package e2e

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// values are what must not grow.
type values struct {
	memory      int // of the app, in KiB
	threads     int
	descriptors int
	// disk is the size of the state in KiB without what grows with use: conversations
	// and the activity, which are kept, the logs, which are rotated, and the profile of
	// Chromium, which has the history of all visits.
	disk    int
	folders map[string]int // for the reader
}

func (v values) String() string {
	return fmt.Sprintf("memory %d KiB, %d threads, %d descriptors, disk %d KiB; %v", v.memory, v.threads, v.descriptors, v.disk, v.folders)
}

// compare prints how much each value has grown since the first ones, and fails when it
// is judged and is more than 10 %.
func (v values) compare(t *testing.T, first values, judged bool) {
	t.Helper()
	for _, one := range []struct {
		name     string
		was, now int
	}{{"memory", first.memory, v.memory}, {"threads", first.threads, v.threads}, {"descriptors", first.descriptors, v.descriptors}, {"disk", first.disk, v.disk}} {
		growth := 100 * (float64(one.now)/float64(one.was) - 1)
		t.Logf("%s: %d, then %d: %+.1f %%", one.name, one.was, one.now, growth)
		if judged && growth > 10 {
			t.Errorf("%s has grown by %.1f %%", one.name, growth)
		}
	}
}

// measured pauses the work, waits until every agent runs and nothing is going on, and
// returns the lowest of some measurements: the memory of a program in Go rises and
// falls. message is the id of the message that it sends to all conversations.
func (s *soak) measured(message protocol.MessageID) values {
	s.t.Helper()
	s.work.Lock()
	defer s.work.Unlock()
	s.askAll(message)
	low := s.measure()
	for range 20 {
		now := s.measure()
		low.memory, low.threads = min(low.memory, now.memory), min(low.threads, now.threads)
		low.descriptors, low.disk = min(low.descriptors, now.descriptors), min(low.disk, now.disk)
		<-time.After(500 * time.Millisecond)
	}
	return low
}

// measure returns the values of this moment.
func (s *soak) measure() values {
	s.t.Helper()
	pid := s.app.Process.Pid
	v := values{memory: memory(s.t, pid)}
	proc := "/proc/" + strconv.Itoa(pid)
	for _, folder := range []struct {
		name  string
		count *int
	}{{"task", &v.threads}, {"fd", &v.descriptors}} {
		entries, err := os.ReadDir(filepath.Join(proc, folder.name))
		if err != nil {
			s.t.Logf("%s of the app cannot be counted: %v", folder.name, err)
			entries = make([]os.DirEntry, 1)
		}
		*folder.count = len(entries)
	}
	v.disk, v.folders = s.size()
	return v
}

// size returns the size of the state in KiB without what grows with use, and that of
// each folder of the session and of the app.
func (s *soak) size() (disk int, folders map[string]int) {
	state := filepath.Join(s.home, "state")
	sizes := map[string]int64{}
	_ = filepath.WalkDir(state, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil //nolint:nilerr // the file is gone
		}
		info, err := d.Info()
		if err != nil || !d.Type().IsRegular() {
			return nil //nolint:nilerr // as above
		}
		rel, _ := filepath.Rel(state, path)
		parts := strings.Split(rel, string(filepath.Separator))
		top := parts[0]
		if top == "sessions" && len(parts) > 3 {
			top = parts[2]
		}
		if top == "chat" && len(parts) > 5 { // sessions, NAME, chat, CONVERSATION, FOLDER, FILE
			top = filepath.Join(top, parts[4])
		}
		sizes[top] += info.Size()
		return nil
	})
	folders = map[string]int{}
	for name, size := range sizes {
		folders[name] = int(size / 1024)
		if top, _, _ := strings.Cut(name, "/"); !slices.Contains([]string{"chat", "activity", "logs", "profile"}, top) {
			disk += int(size / 1024)
		}
	}
	return disk, folders
}

// checkMessages checks that each accepted message is in its conversation once, with one
// end, and none that was not sent.
func (s *soak) checkMessages() {
	s.t.Helper()
	for id, sent := range s.sent {
		messages, ends := map[protocol.MessageID]int{}, map[protocol.MessageID]int{}
		page := s.history(id)
		for {
			for _, e := range page.Entries {
				switch e.Kind {
				case protocol.EntryUser:
					messages[e.Message]++
				case protocol.EntryEnd:
					ends[e.Message]++
				}
			}
			if !page.More {
				break
			}
			before := page.Entries[0].Index
			page = protocol.ChatPage{}
			s.request("/chat/history", protocol.ChatHistoryRequest{Conversation: id, Before: before, Limit: protocol.ChatPageMax}, &page)
		}
		for _, m := range sent {
			if messages[m] != 1 || ends[m] != 1 {
				s.t.Errorf("conversation %s has message %s %d times, with %d ends", id, m, messages[m], ends[m])
			}
		}
		if len(messages) != len(sent) {
			s.t.Errorf("conversation %s has %d messages, and %d were sent", id, len(messages), len(sent))
		}
	}
}

// checkJournals checks that the journals have every index, and that the activity has
// every command that succeeded.
func (s *soak) checkJournals() {
	s.t.Helper()
	session := filepath.Join(s.home, "state", "sessions", string(protocol.DefaultSession))
	for id := range s.sent {
		s.journal(filepath.Join(session, "chat", string(id), "events"), func([]byte) {})
	}
	visits := map[string]int{}
	s.journal(filepath.Join(session, "activity"), func(data []byte) {
		var e protocol.ActivityEntry
		if err := json.Unmarshal(data, &e); err != nil {
			s.t.Errorf("an entry of the activity: %v", err)
		}
		if e.Command == "goto" && e.OK {
			visits[e.Args["url"]]++
		}
	})
	for _, address := range s.visited {
		if visits[address] != 1 {
			s.t.Errorf("the activity has %s %d times", address, visits[address])
		}
	}
}

// journal reads a journal and checks that no index is missing.
func (s *soak) journal(dir string, each func(data []byte)) {
	s.t.Helper()
	if _, err := os.Stat(dir); err != nil {
		s.t.Fatal(err)
	}
	log, err := journal.OpenLog(journal.LogConfig{Dir: dir, Files: math.MaxInt, Logger: slog.New(slog.NewTextHandler(s.t.Output(), nil))})
	if err != nil {
		s.t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	name := strings.TrimPrefix(dir, s.home)
	after, records := uint64(0), 0
	for {
		items, err := log.Read(after, 1000)
		if err != nil {
			s.t.Fatal(err)
		}
		if len(items) == 0 {
			break
		}
		for _, item := range items {
			if item.Gap != nil {
				s.t.Errorf("%s has a gap from %d to %d", name, item.Gap.From, item.Gap.To)
				after = item.Gap.To
				continue
			}
			if item.Index != after+1 {
				s.t.Errorf("%s goes on with %d after %d", name, item.Index, after)
			}
			after = item.Index
			records++
			each(item.Data)
		}
	}
	s.t.Logf("%s: %d records", name, records)
}
