package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// What the disk does not take is said once and follows by itself: the files then
// have the newest state, without another event of a tab.
func TestStateFilesFollowWhenTheDiskTakesThemAgain(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "agent")
	synctest.Test(t, func(t *testing.T) {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var heard []error
		f := newStateFiles(dir, filepath.Join(dir, "session.json"), memory{}, slog.New(slog.DiscardHandler), func(err error) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, err)
		})
		all := func() []error {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(heard)
		}
		done, ended := make(chan struct{}), make(chan struct{})
		go func() { f.run(done); close(ended) }()
		f.write([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}})
		synctest.Wait()
		if got, said := tabsIn(t, dir), all(); got != "t1" || len(said) != 0 {
			t.Fatalf("tabs.json has %q; said: %v", got, said)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		f.write([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}, {ID: "t2", URL: "https://b.example/", Focused: true}})
		synctest.Wait()
		time.Sleep(3 * protocol.StateRetry)
		synctest.Wait()
		if said := all(); len(said) != 1 || !errors.Is(said[0], fs.ErrNotExist) {
			t.Fatalf("said: %v", said)
		}
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * protocol.StateRetry)
		synctest.Wait()
		if got, said := tabsIn(t, dir), all(); got != "t1 t2" || len(said) != 2 || said[1] != nil {
			t.Errorf("tabs.json has %q; said: %v", got, said)
		}
		if data, err := os.ReadFile(filepath.Join(dir, "session.json")); err != nil || !strings.Contains(string(data), "b.example") {
			t.Errorf("session.json has %s, %v", data, err)
		}
		close(done)
		<-ended
		if got := tabsIn(t, dir); got != "" {
			t.Errorf("tabs.json has %q when the session has ended", got)
		}
	})
}

func tabsIn(t *testing.T, dir string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, "tabs.json"))
	if err != nil {
		t.Fatal(err)
	}
	var file protocol.TabsFile
	if err := json.Unmarshal(data, &file); err != nil {
		t.Fatal(err)
	}
	var ids []string
	for _, tab := range file.Tabs {
		ids = append(ids, string(tab.ID))
	}
	return strings.Join(ids, " ")
}

// A person is told what to do: room for a full disk, rights for a folder.
func TestWhatCannotBeSavedIsSaidInWords(t *testing.T) {
	full := unsaved(&fs.PathError{Op: "write", Path: "tabs.json", Err: syscall.ENOSPC})
	if !strings.Contains(full.Message, "disk is full") || !strings.Contains(full.Hint, "free some space") {
		t.Errorf("on a full disk: %v, %s", full, full.Hint)
	}
	foreign := unsaved(&fs.PathError{Op: "open", Path: "tabs.json", Err: syscall.EACCES})
	if !strings.Contains(foreign.Message, "tabs.json") || !strings.Contains(foreign.Hint, "writable") || foreign.Code != protocol.CodeNotWritable {
		t.Errorf("in a folder that is not ours: %v, %s", foreign, foreign.Hint)
	}
}
