// Package tabfiles stores a session's tabs on disk: in tabs.json and
// active-tab.json, which agents read, and in session.json, which the next start
// reads (docs/adr/150).
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
// session.json, which the next start reads. Only the newest state is written; a
// state that was replaced before its turn is skipped. The files for agents have
// their own writer, which does not wait for the disk, so that they are up to
// date within milliseconds.
type Files struct {
	dir    string // folder of the files for agents
	memory string // path of session.json, which agents do not get
	log    *slog.Logger
	// trouble is called with the error when a file cannot be written, and with nil
	// when all files can be written again.
	trouble func(error)
	// wake and remember contain a token when their writer has something new to
	// write.
	wake, remember chan struct{}

	mu         sync.Mutex
	tabs       []protocol.Tab
	shown      []protocol.Tab // those that agents may know of
	cols, rows int
	forgotten  bool

	kept    []byte   // the last content of session.json; only its writer uses it
	failing [2]error // the last error of each of the two writers
	saying  sync.Mutex
}

// New returns Files, which writes nothing before Run. dir is the folder for
// agents, path the path of session.json, and before its earlier content.
// trouble is called with the error when a file cannot be written, and with nil
// when all can be written again.
func New(dir, path string, before Memory, log *slog.Logger, trouble func(error)) *Files {
	return &Files{dir: dir, memory: path, log: log, trouble: trouble, wake: make(chan struct{}, 1), remember: make(chan struct{}, 1), cols: before.Cols, rows: before.Rows}
}

// Size stores the size of the panel's terminals.
func (f *Files) Size(cols, rows int) {
	f.mu.Lock()
	f.cols, f.rows = cols, rows
	f.mu.Unlock()
}

// Forget makes the next start begin without tabs.
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

// Write passes the tabs to the writers, and those of them that agents may know of. It never
// waits for the disk.
func (f *Files) Write(tabs, shown []protocol.Tab) {
	f.mu.Lock()
	f.tabs, f.shown = tabs, shown
	f.mu.Unlock()
	f.signal()
}

// Run writes until done is closed, and then once more.
func (f *Files) Run(done <-chan struct{}) {
	var writers sync.WaitGroup
	writers.Go(func() { f.follow(0, f.wake, done, f.tell) })
	writers.Go(func() { f.follow(1, f.remember, done, f.keep) })
	writers.Wait()
	// No tab is open any more; session.json stays as it is. A full disk has
	// already been reported, and the next start writes these files anew.
	_ = f.replace([]protocol.Tab{})
}

// follow writes new states until done is closed, and retries writes that
// failed.
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

// outcome records the result of a write. A failure is reported once, and then
// the recovery.
func (f *Files) outcome(writer int, err error) {
	f.saying.Lock() // keeps the order: the last report is the current state
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

// tell writes the two files for agents.
func (f *Files) tell() error {
	f.mu.Lock()
	tabs := f.shown
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

// keep writes session.json if its content has changed: Write is called often
// while an agent works, because its state is part of the tabs.
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

// replaceFile writes a file for programs that read it now, without waiting for
// the disk.
func replaceFile(path string, v any) error {
	data, err := marshal(v)
	if err != nil {
		return err
	}
	return journal.ReplaceFile(path, data, 0o600)
}

func marshal(v any) ([]byte, error) {
	data, err := json.MarshalIndent(v, "", "  ")
	return append(protocol.VisibleJSON(data), '\n'), err
}

// Unsaved returns the error for the user when the files of the session's tabs
// are out of date.
func Unsaved(err error) *protocol.Error {
	e := protocol.NewError(protocol.CodeNotWritable, "The list of tabs cannot be saved: "+err.Error(), "make its folder writable; Pilotfish then saves the list automatically. The last saved list is intact")
	if journal.IsFull(err) {
		e.Message = "The disk is full: the list of tabs cannot be saved"
		e.Hint = "free some space; Pilotfish then saves the list automatically. The last saved list is intact"
	}
	return e
}
