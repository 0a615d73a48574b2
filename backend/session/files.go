package session

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"log/slog"
	"path/filepath"
	"sync"
	"time"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// stateFiles writes tabs.json and active-tab.json, which agents read, and
// session.json, which the next start reads. The newest state wins: a state that is
// outdated before the disk took it is not written. The two have their own writer,
// which waits for no disk, so that they are right within milliseconds.
type stateFiles struct {
	dir    string // the folder that agents are given
	memory string // session.json, which they are not
	log    *slog.Logger
	// trouble hears why a file cannot be written, and nil when all can again.
	trouble func(error)
	// wake and remember have a token when there is something new for their
	// writer.
	wake, remember chan struct{}

	mu         sync.Mutex
	tabs       []protocol.Tab
	cols, rows int
	forgotten  bool

	kept    []byte   // of session.json, its writer's own
	failing [2]error // of the two writers
	saying  sync.Mutex
}

func newStateFiles(dir, path string, before memory, log *slog.Logger, trouble func(error)) *stateFiles {
	return &stateFiles{dir: dir, memory: path, log: log, trouble: trouble, wake: make(chan struct{}, 1), remember: make(chan struct{}, 1), cols: before.Cols, rows: before.Rows}
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
	for _, writer := range []chan struct{}{f.wake, f.remember} {
		select {
		case writer <- struct{}{}:
		default:
		}
	}
}

// write hands the tabs to the writers and never waits for the disk.
func (f *stateFiles) write(tabs []protocol.Tab) {
	f.mu.Lock()
	f.tabs = tabs
	f.mu.Unlock()
	f.signal()
}

// run writes until done is closed, and once more then.
func (f *stateFiles) run(done <-chan struct{}) {
	var writers sync.WaitGroup
	writers.Go(func() { f.follow(0, f.wake, done, f.tell) })
	writers.Go(func() { f.follow(1, f.remember, done, f.keep) })
	writers.Wait()
	// No tab is open any more; what is remembered stays. A full disk was said
	// already, and at the next start the files are new.
	_ = f.replace([]protocol.Tab{})
}

// follow writes what is new until done is closed, and tries again what the disk
// did not take.
func (f *stateFiles) follow(writer int, wake, done <-chan struct{}, write func() error) {
	for ending := false; !ending; {
		var again <-chan time.Time
		if f.failing[writer] != nil {
			again = time.After(protocol.StateRetry)
		}
		select {
		case <-wake:
		case <-again:
		case <-done:
			ending = true
		}
		f.outcome(writer, write())
	}
}

// outcome notes how a writing went. What cannot be written is said once, until it
// can.
func (f *stateFiles) outcome(writer int, err error) {
	f.saying.Lock() // what is said last is what is so
	defer f.saying.Unlock()
	f.mu.Lock()
	before := cmp.Or(f.failing[0], f.failing[1])
	f.failing[writer] = err
	now := cmp.Or(f.failing[0], f.failing[1])
	f.mu.Unlock()
	switch {
	case before == nil && now != nil:
		f.log.Warn("state files could not be written", "error", now)
	case before != nil && now == nil:
		f.log.Info("state files can be written again")
	default:
		return
	}
	f.trouble(now)
}

// tell writes the two files that agents read.
func (f *stateFiles) tell() error {
	f.mu.Lock()
	tabs := f.tabs
	f.mu.Unlock()
	return f.replace(tabs)
}

func (f *stateFiles) replace(tabs []protocol.Tab) error {
	now := time.Now().UTC()
	active := protocol.ActiveTabFile{Version: protocol.StateVersion, Updated: now}
	for _, tab := range tabs {
		if tab.Focused {
			active.Tab = &tab
		}
	}
	return errors.Join(
		show(filepath.Join(f.dir, "tabs.json"), protocol.TabsFile{Version: protocol.StateVersion, Updated: now, Tabs: tabs}),
		show(filepath.Join(f.dir, "active-tab.json"), active),
	)
}

// keep writes what the next start is to know, when that is something else: an
// agent that works changes its tab's state often.
func (f *stateFiles) keep() error {
	f.mu.Lock()
	tabs, forgotten, cols, rows := f.tabs, f.forgotten, f.cols, f.rows
	f.mu.Unlock()
	if len(tabs) == 0 && !forgotten {
		return nil
	}
	remembered := memoryOf(tabs)
	remembered.Cols, remembered.Rows = cols, rows
	if forgotten {
		remembered.Tabs = nil
	}
	data, err := marshal(remembered)
	if err != nil || bytes.Equal(data, f.kept) {
		return err
	}
	if err := journal.WriteFile(f.memory, data, 0o600); err != nil {
		return err
	}
	f.kept = data
	return nil
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
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return journal.WriteFile(path, data, 0o600)
}

// show writes a file for those who read it now.
func show(path string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return journal.ReplaceFile(path, data, 0o600)
}

func marshal(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(data, '\n'), err
}
