package tabfiles

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

// A failed write is reported once and is retried: the files then get the newest
// state, without another event of a tab.
func TestStateFilesFollowWhenTheDiskTakesThemAgain(t *testing.T) {
	root := t.TempDir()
	dir := filepath.Join(root, "agent")
	synctest.Test(t, func(t *testing.T) {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		var mu sync.Mutex
		var heard []error
		f := New(dir, filepath.Join(dir, "session.json"), Memory{}, slog.New(slog.DiscardHandler), func(err error) {
			mu.Lock()
			defer mu.Unlock()
			heard = append(heard, err)
		})
		all := func() []error {
			mu.Lock()
			defer mu.Unlock()
			return slices.Clone(heard)
		}
		if _, open := LeftOpen(dir); open {
			t.Error("tabs were left open before the first run")
		}
		done, ended := make(chan struct{}), make(chan struct{})
		go func() { f.Run(done); close(ended) }()
		write(f, []protocol.Tab{{ID: "t1", URL: "https://a.example/"}})
		synctest.Wait()
		if got, said := tabsIn(t, dir), all(); got != "t1" || len(said) != 0 {
			t.Fatalf("tabs.json has %q; said: %v", got, said)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		write(f, []protocol.Tab{{ID: "t1", URL: "https://a.example/"}, {ID: "t2", URL: "https://b.example/", Focused: true}})
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
		if seen, open := LeftOpen(dir); !open || seen.IsZero() {
			t.Error("a run that is killed now would have closed its tabs")
		}
		close(done)
		<-ended
		if _, open := LeftOpen(dir); open {
			t.Error("tabs were left open by a run that ended")
		}
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

// The error tells the user what to do: free space on a full disk, or make a
// folder writable.
func TestWhatCannotBeSavedIsSaidInWords(t *testing.T) {
	full := Unsaved(&fs.PathError{Op: "write", Path: "tabs.json", Err: syscall.ENOSPC})
	if !strings.Contains(full.Message, "disk is full") || !strings.Contains(full.Hint, "free some space") {
		t.Errorf("on a full disk: %v, %s", full, full.Hint)
	}
	foreign := Unsaved(&fs.PathError{Op: "open", Path: "tabs.json", Err: syscall.EACCES})
	if !strings.Contains(foreign.Message, "tabs.json") || !strings.Contains(foreign.Hint, "writable") || foreign.Code != protocol.CodeNotWritable {
		t.Errorf("in a folder that is not ours: %v, %s", foreign, foreign.Hint)
	}
}

// The next start opens the tabs that were open, with the same front tab, and
// the welcome page on its own port. Pages that exist in one run only are not
// stored, and a tab's number is never reused.
func TestMemory(t *testing.T) {
	path := filepath.Join(t.TempDir(), "session.json")
	log := slog.New(slog.DiscardHandler)
	f := New(t.TempDir(), path, Memory{Cols: 40, Rows: 50}, log, func(error) {})
	done := make(chan struct{})
	write(f, []protocol.Tab{
		{ID: "t3", URL: "http://127.0.0.1:1234/welcome"},
		{ID: "t9", URL: "devtools://devtools/a"},
		{ID: "t5", URL: "https://a.example/", Focused: true},
		{ID: "t6"},
	})
	f.Size(41, 51)
	close(done)
	f.Run(done)
	m := Read(path, log)
	if m.Cols != 41 || m.Rows != 51 || m.LastTab != 9 || m.FirstTab() != "t5" {
		t.Errorf("%+v", m)
	}
	want := []MemoryTab{{ID: "t3", URL: "http://127.0.0.1:99/welcome"}, {ID: "t5", URL: "https://a.example/", Active: true}}
	if got := m.Restore("http://127.0.0.1:99/welcome"); !slices.Equal(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}

	// Closed by the user: the next start opens no old tab, and continues the
	// numbering.
	f = New(t.TempDir(), path, m, log, func(error) {})
	write(f, []protocol.Tab{{ID: "t10", URL: "https://a.example/"}})
	f.Forget()
	f.Run(done)
	if m := Read(path, log); len(m.Restore("")) != 0 || m.FirstTab() != "t11" || m.Cols != 41 {
		t.Errorf("%+v", m)
	}
	// A file that cannot be read is quarantined.
	for _, text := range []string{"{", `{"version":99,"lastTab":7}`} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if m := Read(path, log); m.LastTab != 0 || m.FirstTab() != "t1" {
			t.Errorf("%s: %+v", text, m)
		}
		if _, err := os.Stat(path + ".bad"); err != nil {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// write passes tabs of which agents may know.
func write(f *Files, tabs []protocol.Tab) { f.Write(tabs, tabs) }
