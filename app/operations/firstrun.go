package operations

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"sync"

	"pilotfish/backend/journal"
)

// FirstRun knows whether the user has seen the steps of the first run: whether
// there is a file. It is safe for concurrent use.
type FirstRun struct {
	path string // empty: this run keeps nothing, and shows no steps

	mu    sync.Mutex
	known bool
	seen  bool
}

// NewFirstRun returns that of a folder of the state; empty for a run that keeps nothing.
func NewFirstRun(stateDir string) *FirstRun {
	if stateDir == "" {
		return &FirstRun{}
	}
	return &FirstRun{path: filepath.Join(stateDir, "firstrun.json")}
}

// Wanted reports whether the steps are shown without being asked for. A file that
// cannot be read counts as seen: the steps must not come again and again.
func (f *FirstRun) Wanted() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.known {
		_, err := os.Stat(f.path)
		f.known, f.seen = true, f.path == "" || !errors.Is(err, fs.ErrNotExist)
	}
	return !f.seen
}

// done records that the user has seen the steps. In this run they are not shown
// again even if that cannot be written.
func (f *FirstRun) done() error {
	f.mu.Lock()
	f.known, f.seen = true, true
	f.mu.Unlock()
	if f.path == "" {
		return nil
	}
	return journal.WriteFile(f.path, []byte("{\"version\":1}\n"), 0o600)
}
