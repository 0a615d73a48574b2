package shots

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// camera is a fake browser.
type camera struct {
	mu    sync.Mutex
	taken []string
	err   error
	// takes is how long a screenshot takes.
	takes time.Duration
}

func (c *camera) Moment(ctx context.Context, tab protocol.TabID, _ int) ([]byte, error) {
	c.mu.Lock()
	c.taken = append(c.taken, string(tab))
	err := c.err
	c.mu.Unlock()
	select {
	case <-time.After(c.takes):
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	return []byte("jpeg of " + string(tab)), err
}

// was returns the tabs that were captured.
func (c *camera) was() []string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.taken)
}

// running returns screenshots that are taken until the test ends.
func running(t *testing.T, c *camera) *Shots {
	t.Helper()
	settings, err := config.Open(filepath.Join(t.TempDir(), "settings.toml"))
	if err != nil {
		t.Fatal(err)
	}
	s := New(Config{Dir: t.TempDir(), Settings: settings, Commands: catalogue.Table(), Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		s.Run(ctx, c)
	}()
	t.Cleanup(func() {
		cancel()
		<-ended
	})
	synctest.Wait()
	return s
}

func click(index uint64, tab protocol.TabID) protocol.ActivityEntry {
	return protocol.ActivityEntry{Index: index, Tab: tab, Command: "click", OK: true}
}

func of(s *Shots, indexes ...uint64) []uint64 {
	var entries []protocol.ActivityEntry
	for _, i := range indexes {
		entries = append(entries, protocol.ActivityEntry{Index: i})
	}
	return s.Of(entries)
}

// A screenshot is taken when its tab is quiet: of several commands in a row, the last
// one has it. Tabs do not wait for each other.
func TestAfterTheLastOfSeveral(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &camera{takes: 30 * time.Millisecond}
		s := running(t, c)
		news := s.News()
		defer news.Close()
		for i := range 20 {
			s.Recorded(click(uint64(i+1), "t1"))
			time.Sleep(quiet / 2)
		}
		s.Recorded(click(21, "t2"))
		if got := c.was(); len(got) != 0 {
			t.Errorf("taken while commands run: %v", got)
		}
		time.Sleep(quiet * 3 / 4)
		synctest.Wait()
		if got := c.was(); !slices.Equal(got, []string{"t1"}) {
			t.Errorf("taken %v", got)
		}
		s.Recorded(click(22, "t1")) // while that of 20 is taken
		time.Sleep(2 * quiet)
		synctest.Wait()
		if got := of(s, 19, 20, 21, 22); !slices.Equal(got, []uint64{20, 21, 22}) {
			t.Errorf("there are screenshots of %v", got)
		}
		if data, err := s.Read(21); err != nil || string(data) != "jpeg of t2" {
			t.Errorf("%s, %v", data, err)
		}
		if _, err := s.Read(19); protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("of an entry without one: %v", err)
		}
		if first := <-news.C(); first != 20 {
			t.Errorf("the first news is of %d", first)
		}
	})
}

// Not every entry has a screenshot, and the user can do without.
func TestOfWhat(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &camera{}
		s := running(t, c)
		s.Recorded(protocol.ActivityEntry{Index: 1, Tab: "t1", Command: "url", OK: true})
		s.Recorded(protocol.ActivityEntry{Index: 2, Command: "click", OK: true})
		s.Recorded(protocol.ActivityEntry{Index: 3, Tab: "t1", Command: "click"})
		s.Recorded(protocol.ActivityEntry{Index: 4, Tab: "t1", Command: "click", OK: true, Phase: protocol.ActivityWaiting})
		s.Recorded(protocol.ActivityEntry{Index: 5, Tab: "t1", Kind: protocol.ActivityNavigation, Command: "click", OK: true})
		settings := s.cfg.Settings.Get()
		settings.ActivityShots = false
		if _, err := s.cfg.Settings.Save(settings); err != nil {
			t.Error(err)
		}
		s.Recorded(click(6, "t1"))
		time.Sleep(time.Second)
		synctest.Wait()
		if got := c.was(); len(got) != 0 {
			t.Errorf("taken: %v", got)
		}
	})
}

// A page that cannot be captured, and a folder that cannot be written, cost the
// screenshot and nothing else.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := &camera{err: errors.New("the tab was closed")}
		s := running(t, c)
		s.Recorded(click(1, "t1"))
		time.Sleep(2 * quiet)
		c.mu.Lock()
		c.err = nil
		c.mu.Unlock()
		works := s.cfg.Dir
		s.cfg.Dir = filepath.Join(os.DevNull, "moments")
		if got := s.Of(nil); len(got) != 0 {
			t.Errorf("%v", got)
		}
		if _, err := s.Read(1); err == nil {
			t.Error("no error")
		}
		s.Recorded(click(2, "t1"))
		time.Sleep(2 * quiet)
		s.Recorded(click(3, "t1"))
		time.Sleep(2 * quiet)
		synctest.Wait()
		s.cfg.Dir = works
		s.Recorded(click(4, "t1"))
		time.Sleep(2 * quiet)
		synctest.Wait()
		if got := of(s, 1, 2, 3, 4); !slices.Equal(got, []uint64{4}) {
			t.Errorf("there are screenshots of %v", got)
		}
	})
}

// The folder is bounded by number and by size; the oldest go first, also those of an
// earlier run.
func TestBounds(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{"notes.txt", "x.jpg"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s, err := openStore(dir, 3, 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, index := range []uint64{2, 1, 5, 4, 4} { // taken in another order than recorded
		if err := s.keep(index, bytes.Repeat([]byte("j"), 100)); err != nil {
			t.Fatal(err)
		}
	}
	have := func(s *store) string {
		var entries []protocol.ActivityEntry
		for i := range 10 {
			entries = append(entries, protocol.ActivityEntry{Index: uint64(i)})
		}
		return fmt.Sprint(s.of(entries), " ", s.bytes)
	}
	if got := have(s); got != "[2 4 5] 300" {
		t.Error(got)
	}
	if s, err = openStore(dir, 3, 1000); err != nil || have(s) != "[2 4 5] 300" {
		t.Errorf("opened again: %s, %v", have(s), err)
	}
	if err := s.keep(6, bytes.Repeat([]byte("j"), 850)); err != nil || have(s) != "[5 6] 950" {
		t.Errorf("%s, %v", have(s), err)
	}
	if files, err := os.ReadDir(dir); err != nil || len(files) != 4 {
		t.Errorf("%v, %v", files, err)
	}
	if err := s.keep(7, nil); err == nil {
		t.Error("an empty screenshot is kept")
	}
	if err := s.keep(7, make([]byte, MaxShot+1)); err == nil {
		t.Error("a large screenshot is kept")
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.keep(8, []byte("j")); err == nil || have(s) != "[5 6] 950" {
		t.Errorf("without a folder: %s, %v", have(s), err)
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := openStore(file, 1, 1); err == nil {
		t.Error("a file was opened as a folder")
	}
}
