package chat

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/state"
	"pilotfish/backend/chat/transcript"
	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

const childEnv = "CHAT_TEST_CHILD"

// runChild is the other process: it begins a turn that never ends, prints each
// word that is in the journal, and waits to be killed.
func runChild() bool {
	dir := os.Getenv(childEnv)
	if dir == "" {
		return false
	}
	ready := make(chan struct{}) // all three messages were sent
	p := &played{script: func(ctx context.Context, s *playedSession, _ driver.Prompt) (driver.TurnEnd, error) {
		<-ready
		s.sink.Update(driver.Update{Tool: &driver.ToolUpdate{Call: "a", Title: ptr("Build"), Status: ptr(protocol.ToolRunning)}})
		s.sink.Ask(ctx, driver.Ask{Tool: driver.ToolUpdate{Call: "b", Title: ptr("rm")}, Options: []protocol.PermissionOption{{ID: "y", Kind: protocol.AnswerOnce}}}, func(string) {})
		for i := 0; ; i++ {
			s.say(fmt.Sprintf("%d ", i))
			fmt.Println(i)
		}
	}}
	m, err := New(Config{
		Session: "default", Tabs: opentabs.New(protocol.Tab{ID: "t1"}), Events: hub.New[any](1),
		Dir: filepath.Join(dir, "chat"), Root: dir, Attachments: filepath.Join(dir, "attachments"), Broker: policy.NewBroker("default", func() {}), Logger: slog.New(slog.DiscardHandler),
		Agents: PlayedAgents{Start: func(context.Context, protocol.AgentKind, string) (driver.Starter, error) {
			return driver.Starter{Driver: p, Launch: driver.Launch{Kind: "played", Name: "Played"}}, nil
		}},
	})
	if err == nil {
		go func() { _ = m.Run(context.Background()) }()
		_, err = m.Start(context.Background(), protocol.ChatStartRequest{Conversation: "c1", Tab: "t1"})
	}
	for i := range 3 {
		if err == nil {
			_, err = m.Send(context.Background(), protocol.ChatSendRequest{Conversation: "c1", Message: protocol.MessageID("m" + strconv.Itoa(int(rand.Uint32()))), Text: fmt.Sprint("go ", i)})
		}
		if code(err) == protocol.CodeBusy {
			err = nil // five are queued from the rounds before
		}
	}
	if err != nil {
		fmt.Println("failed", err)
		os.Exit(1)
	}
	close(ready)
	select {}
}

// A turn interrupted by SIGKILL gets its end at the next start: nothing that
// was shown is lost, nothing runs, and the queue waits for the user.
func TestKilledInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	random := rand.New(rand.NewPCG(1, 2))
	entries := 0
	for round := range 6 {
		last := runAndKill(t, dir, 1+random.IntN(3000))
		h := opened(t, &played{script: echo}, dir)
		page, err := h.History(protocol.ChatHistoryRequest{Conversation: "c1", Limit: 1000})
		if err != nil {
			t.Fatal(err)
		}
		head := page.Head
		if head.State != protocol.ConversationIdle || head.Message != "" {
			t.Fatalf("round %d: %s, %q", round, head.State, head.Message)
		}
		// Of three messages one began its turn. The other two are queued, and
		// stay queued.
		if want := min(protocol.ChatQueue, 2*(round+1)); len(head.Queue) != want {
			t.Errorf("round %d: %d wait", round, len(head.Queue))
		}
		fresh := page.Entries[entries:]
		if len(page.Entries) != head.Entries {
			t.Errorf("round %d: %d entries, and the head says %d", round, len(page.Entries), head.Entries)
		}
		entries = len(page.Entries)
		ends, words := 0, ""
		for _, e := range fresh {
			if e.Open || e.Tool != nil && e.Tool.Status != protocol.ToolCancelled || e.Permission != nil && (e.Permission.Outcome != "cancelled" || e.Permission.Approval != "") {
				t.Errorf("round %d: still open: %+v", round, e)
			}
			if e.Kind == protocol.EntryText {
				words += e.Text
			}
			if e.End != nil {
				ends++
				if e.End.Reason != protocol.EndRestarted {
					t.Errorf("round %d: %s", round, e.End.Reason)
				}
			}
		}
		if ends != 1 || fresh[len(fresh)-1].End == nil {
			t.Errorf("round %d: %d ends: %q", round, ends, texts(fresh))
		}
		said := strings.Fields(words)
		for i, w := range said {
			if w != strconv.Itoa(i) {
				t.Fatalf("round %d: word %d is %s", round, i, w)
			}
		}
		if len(said) <= last {
			t.Errorf("round %d: %d words were shown, %d are there", round, last+1, len(said))
		}
		h.stop()
	}
}

// runAndKill lets the other process print a number of words and kills it. It
// returns the last word that it printed.
func runAndKill(t *testing.T, dir string, words int) int {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this test itself
	cmd.Env = append(os.Environ(), childEnv+"="+dir)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	last, n := -1, 0
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		if last, err = strconv.Atoi(lines.Text()); err != nil {
			t.Fatal(lines.Text())
		}
		if n++; n == words {
			if err := cmd.Process.Kill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	_ = cmd.Wait() // killed
	return last
}

// The journal is cut at any place, or the fold or the state is damaged or
// missing: the conversation opens, and what is left of it is consistent.
func TestDamagedFiles(t *testing.T) {
	whole := t.TempDir()
	h := opened(t, &played{script: echo}, whole)
	h.start("c1")
	for i := range 5 {
		h.say("c1", protocol.MessageID(fmt.Sprint("m", i)), fmt.Sprint("message ", i))
		h.until("c1", func(p protocol.ChatPage) bool { return len(p.Entries) == 3*(i+1) && p.Head.Message == "" })
	}
	want, err := h.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	h.stop()
	folder := func(dir, which string) string { return filepath.Join(dir, "chat", "c1", which) }
	for name, c := range map[string]struct {
		damage func(dir string) error
		lost   bool
	}{
		"the fold is gone":       {func(dir string) error { return os.RemoveAll(folder(dir, transcript.CompactedDir)) }, false},
		"the fold is cut":        {func(dir string) error { return cutFile(folder(dir, transcript.CompactedDir), 100) }, false},
		"the fold is cut deeply": {func(dir string) error { return cutFile(folder(dir, transcript.CompactedDir), 2000) }, false},
		"the end of the journal is cut, as by a power cut": {func(dir string) error { return cutFile(folder(dir, transcript.EventsDir), 300) }, false},
		"both are cut": {func(dir string) error {
			if err := cutFile(folder(dir, transcript.CompactedDir), 900); err != nil {
				return err
			}
			return cutFile(folder(dir, transcript.EventsDir), 500)
		}, true},
		"a line in the middle of the journal is damaged": {func(dir string) error {
			if err := os.RemoveAll(folder(dir, transcript.CompactedDir)); err != nil {
				return err
			}
			return spoil(folder(dir, transcript.EventsDir))
		}, true},
		"the last state is cut": {func(dir string) error { return cutFile(folder(dir, state.Dir), 40) }, false},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := c.damage(dir); err != nil {
				t.Fatal(err)
			}
			again := opened(t, &played{script: echo}, dir)
			got, err := again.History(protocol.ChatHistoryRequest{Conversation: "c1"})
			if err != nil {
				t.Fatal(err)
			}
			if c.lost {
				if len(got.Entries) == 0 || len(got.Entries) > len(want.Entries) {
					t.Errorf("%q", texts(got.Entries))
				}
			} else if !slices.Equal(texts(got.Entries), texts(want.Entries)) {
				t.Errorf("%q", texts(got.Entries))
			}
			// The conversation continues, and no index is used twice.
			again.say("c1", "more", "more")
			page := again.until("c1", func(p protocol.ChatPage) bool {
				n := len(p.Entries)
				return n > 2 && p.Entries[n-1].End != nil && p.Entries[n-3].ID == "more"
			})
			for i := 1; i < len(page.Entries); i++ {
				if page.Entries[i].Index <= page.Entries[i-1].Index {
					t.Errorf("index %d after %d", page.Entries[i].Index, page.Entries[i-1].Index)
				}
			}
		})
	}
}

// cutFile cuts bytes off the end of a folder's last file.
func cutFile(dir string, bytes int64) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no files in %s: %w", dir, err)
	}
	path := files[len(files)-1]
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	return os.Truncate(path, max(20, info.Size()-bytes))
}

// spoil damages one line in the middle of a folder's first file.
func spoil(dir string) error {
	files, err := filepath.Glob(filepath.Join(dir, "*.log"))
	if err != nil || len(files) == 0 {
		return fmt.Errorf("no files in %s: %w", dir, err)
	}
	f, err := os.OpenFile(files[0], os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	size, err := f.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = f.WriteAt([]byte("???"), size/2)
	}
	return err
}

// A full disk ends the turn with an error for the user, and nothing is shown
// that is not written.
func TestAFullDisk(t *testing.T) {
	h := opened(t, &played{script: func(ctx context.Context, s *playedSession, p driver.Prompt) (driver.TurnEnd, error) {
		s.say("before")
		c := s.sink.(*sink).c
		c.mu.Lock()
		err := c.entries.Close() // has the effect of a full disk
		c.mu.Unlock()
		if err != nil {
			t.Error(err)
		}
		s.say("after")
		return untilCancelled(ctx, s, p)
	}}, "")
	h.start("c1")
	h.say("c1", "m1", "go")
	page := h.until("c1", func(p protocol.ChatPage) bool { return p.Head.State == protocol.ConversationFailed })
	wantTexts(t, page.Entries, "user go", "text before")
	if page.Head.Error == nil || page.Head.Error.Code != protocol.CodeNotWritable {
		t.Errorf("%+v", page.Head.Error)
	}
	h.stop()
	again := opened(t, &played{script: echo}, h.dir)
	page, err := again.History(protocol.ChatHistoryRequest{Conversation: "c1"})
	if err != nil {
		t.Fatal(err)
	}
	wantTexts(t, page.Entries, "user go", "text before", "end restarted")
}
