// Package tabfiles keeps on disk which tabs a session has: tabs.json and active-tab.json,
// which agents read, and session.json, which the next start reads (docs/adr/150).
package tabfiles

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

// Files writes tabs.json and active-tab.json, which agents read, and
// session.json, which the next start reads. The newest state wins: a state that is
// outdated before the disk took it is not written. The two have their own writer,
// which waits for no disk, so that they are right within milliseconds.
type Files struct {
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

// New returns Files that nobody writes before Run. dir is the folder that agents are
// given, path that of session.json, and before what it had; trouble hears why a file
// cannot be written, and nil when all can again.
func New(dir, path string, before Memory, log *slog.Logger, trouble func(error)) *Files {
	return &Files{dir: dir, memory: path, log: log, trouble: trouble, wake: make(chan struct{}, 1), remember: make(chan struct{}, 1), cols: before.Cols, rows: before.Rows}
}

// Size remembers the size of the panel's terminals.
func (f *Files) Size(cols, rows int) {
	f.mu.Lock()
	f.cols, f.rows = cols, rows
	f.mu.Unlock()
}

// Forget makes the next start a fresh one: no tab is remembered.
func (f *Files) Forget() {
	f.mu.Lock()
	f.forgotten = true
	f.mu.Unlock()
	f.signal()
}

func (f *Files) signal() {
	for _, writer := range []chan struct{}{f.wake, f.remember} {
		select {
		case writer <- struct{}{}:
		default:
		}
	}
}

// Write hands the tabs to the writers and never waits for the disk.
func (f *Files) Write(tabs []protocol.Tab) {
	f.mu.Lock()
	f.tabs = tabs
	f.mu.Unlock()
	f.signal()
}

// Run writes until done is closed, and once more then.
func (f *Files) Run(done <-chan struct{}) {
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
func (f *Files) follow(writer int, wake, done <-chan struct{}, write func() error) {
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
func (f *Files) outcome(writer int, err error) {
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
func (f *Files) tell() error {
	f.mu.Lock()
	tabs := f.tabs
	f.mu.Unlock()
	return f.replace(tabs)
}

func (f *Files) replace(tabs []protocol.Tab) error {
	now := time.Now().UTC()
	active := protocol.ActiveTabFile{Version: protocol.StateVersion, Updated: now}
	for _, tab := range tabs {
		if tab.Focused {
			active.Tab = &tab
		}
	}
	return errors.Join(
		replaceFile(filepath.Join(f.dir, "tabs.json"), protocol.TabsFile{Version: protocol.StateVersion, Updated: now, Tabs: tabs}),
		replaceFile(filepath.Join(f.dir, "active-tab.json"), active),
	)
}

// keep writes what the next start is to know, when that is something else: an
// agent that works changes its tab's state often.
func (f *Files) keep() error {
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

// replaceFile writes a file for those who read it now.
func replaceFile(path string, v any) error {
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

// Unsaved says that the files of the session's tabs are behind.
func Unsaved(err error) *protocol.Error {
	e := protocol.NewError(protocol.CodeNotWritable, "The list of tabs cannot be saved: "+err.Error(), "make its folder writable; Pilotfish then saves the list automatically. The last saved list is intact")
	if journal.IsFull(err) {
		e.Message = "The disk is full: the list of tabs cannot be saved"
		e.Hint = "free some space; Pilotfish then saves the list automatically. The last saved list is intact"
	}
	return e
}
