package session

import (
	"encoding/json"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// stateFiles writes tabs.json and active-tab.json, which agents read. The newest
// state wins: a state that is outdated before the disk took it is not written.
type stateFiles struct {
	dir    string // the folder that agents are given
	memory string // session.json, which they are not
	log    *slog.Logger
	wake   chan struct{}

	mu         sync.Mutex
	tabs       []protocol.Tab
	cols, rows int
	forgotten  bool
}

func newStateFiles(dir, path string, before memory, log *slog.Logger) *stateFiles {
	return &stateFiles{dir: dir, memory: path, log: log, wake: make(chan struct{}, 1), cols: before.Cols, rows: before.Rows}
}

// size remembers the size of the panel's terminals.
func (f *stateFiles) size(cols, rows int) {
	f.mu.Lock()
	f.cols, f.rows = cols, rows
	f.mu.Unlock()
}

// forget makes the next start a fresh one: no tab is remembered.
func (f *stateFiles) forget() {
	f.mu.Lock()
	f.forgotten = true
	f.mu.Unlock()
	f.signal()
}

func (f *stateFiles) signal() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// write hands the tabs to the writer and never waits for the disk.
func (f *stateFiles) write(tabs []protocol.Tab) {
	f.mu.Lock()
	f.tabs = tabs
	f.mu.Unlock()
	f.signal()
}

// run writes until done is closed, and once more then.
func (f *stateFiles) run(done <-chan struct{}) {
	warned := false
	for {
		select {
		case <-f.wake:
			f.flush(&warned)
		case <-done:
			f.flush(&warned)
			f.ended()
			return
		}
	}
}

// flush writes both files. A disk that is full is said once, until it works
// again.
func (f *stateFiles) flush(warned *bool) {
	f.mu.Lock()
	tabs, forgotten, cols, rows := f.tabs, f.forgotten, f.cols, f.rows
	f.mu.Unlock()
	now := time.Now().UTC()
	active := protocol.ActiveTabFile{Version: protocol.StateVersion, Updated: now}
	for _, tab := range tabs {
		if tab.Focused {
			active.Tab = &tab
		}
	}
	err := writeJSON(filepath.Join(f.dir, "tabs.json"), protocol.TabsFile{Version: protocol.StateVersion, Updated: now, Tabs: tabs})
	if err == nil {
		err = writeJSON(filepath.Join(f.dir, "active-tab.json"), active)
	}
	if err == nil && (len(tabs) > 0 || forgotten) {
		remembered := memoryOf(tabs)
		remembered.Cols, remembered.Rows = cols, rows
		if forgotten {
			remembered.Tabs = nil
		}
		err = writeJSON(f.memory, remembered)
	}
	if err != nil && !*warned {
		f.log.Warn("state files could not be written", "error", err)
	}
	*warned = err != nil
}

// ended writes that no tab is open; what is remembered stays.
func (f *stateFiles) ended() {
	now := time.Now().UTC()
	if err := writeJSON(filepath.Join(f.dir, "tabs.json"), protocol.TabsFile{Version: protocol.StateVersion, Updated: now, Tabs: []protocol.Tab{}}); err != nil {
		return // a full disk was said already; at the next start the files are new
	}
	_ = writeJSON(filepath.Join(f.dir, "active-tab.json"), protocol.ActiveTabFile{Version: protocol.StateVersion, Updated: now})
}

// writeAgents writes agents.json.
func (s *Session) writeAgents(agents protocol.AgentsFile) {
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err == nil {
		err = writeJSON(filepath.Join(dirs.Root, "agents.json"), agents)
	}
	if err != nil {
		s.log.Warn("agents.json could not be written", "error", err)
	}
}

// writeJSON writes a file of the state folder, whole or not at all.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(path, append(data, '\n'), 0o600)
}
