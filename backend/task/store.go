package task

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/hub"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// headVersion is the version of head.json.
const headVersion = 1

// headFile is the format of head.json: a task as it is now.
type headFile struct {
	Version int           `json:"version"`
	Task    protocol.Task `json:"task"`
}

// taskID is the form of ids that can be used as folder names.
var taskID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-zA-Z][0-9a-zA-Z-]{3,63}$`) })

// Config is what a Store needs. Changes are published without a lock, in the order of the
// changes of one task.
type Config struct {
	// Dir is the folder of the tasks.
	Dir string
	// Routines is the folder of the routines: those made from tasks, and those
	// that the command layer records.
	Routines string
	// Changes gets a task's new head; nil for no events.
	Changes *hub.Hub[protocol.Task]
	Logger  *slog.Logger
}

// Store keeps the tasks of one session. It is safe for concurrent use.
type Store struct {
	config   Config
	log      *slog.Logger
	routines *Routines

	mu     sync.Mutex
	tasks  map[protocol.TaskID]*kept
	gone   []string // the views that closed last
	budget int64    // of the screenshots, in bytes
	closed bool
}

// count identifies a write of a view by the view's own counter, which starts at
// 1; 0 means that the write is not counted.
type count struct {
	viewer string
	seq    uint64
}

// kept is one task.
type kept struct {
	mu     sync.Mutex
	head   protocol.Task
	viewer string       // the view that runs it; empty if none does
	log    *journal.Log // nil until it is needed
	words  *words       // nil until it is searched
	// writer is the view that wrote last; wrote are the counters of its writes,
	// the newest last.
	writer string
	wrote  []uint64
	// half is a write whose event is in the journal, but whose head could not
	// be written. When it is retried, the event must not be appended again.
	half count
	// changed is closed at the next change.
	changed chan struct{}
	deleted bool
}

// Open reads the tasks of a folder. Tasks that were running when the app ended
// become interrupted.
func Open(cfg Config) (*Store, error) {
	if cfg.Dir == "" || cfg.Routines == "" || cfg.Logger == nil {
		return nil, errors.New("the tasks need Dir, Routines and Logger")
	}
	s := &Store{config: cfg, budget: taskScreenshots, log: cfg.Logger.With("component", "task"), tasks: map[protocol.TaskID]*kept{}}
	s.routines = &Routines{dir: cfg.Routines, log: s.log}
	entries, err := os.ReadDir(cfg.Dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the tasks: %w", err)
	}
	for _, entry := range entries {
		if entry.IsDir() && taskID().MatchString(entry.Name()) {
			s.load(protocol.TaskID(entry.Name()))
		}
	}
	return s, nil
}

// Routines returns the routines of the session.
func (s *Store) Routines() *Routines { return s.routines }

// load reads one task's head. A task that cannot be read is renamed to *.bad.
func (s *Store) load(id protocol.TaskID) {
	path := s.headPath(id)
	data, err := os.ReadFile(path)
	var file headFile
	if err == nil {
		err = json.Unmarshal(data, &file)
	}
	if err == nil && (file.Version != headVersion || file.Task.ID != id) {
		err = fmt.Errorf("it is of version %d and names the task %q", file.Version, file.Task.ID)
	}
	if err != nil {
		s.log.Warn("a task could not be read and is put aside", "task", id, "error", err)
		dir := s.dir(id)
		if err := os.Rename(dir, dir+".bad"); err != nil {
			s.log.Warn("a task could not be put aside", "task", id, "error", err)
		}
		return
	}
	if live(file.Task.State) {
		file.Task.State, file.Task.Question = protocol.TaskInterrupted, nil
		if err := s.writeHead(file.Task); err != nil {
			s.log.Warn("a task that was interrupted could not be marked so", "task", id, "error", err)
		}
	}
	s.tasks[id] = &kept{head: file.Task, changed: make(chan struct{})}
}

// live reports whether a task in this state must have a view that runs it.
func live(state protocol.TaskState) bool {
	return slices.Contains([]protocol.TaskState{protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskPaused}, state)
}

func (s *Store) dir(id protocol.TaskID) string      { return filepath.Join(s.config.Dir, string(id)) }
func (s *Store) headPath(id protocol.TaskID) string { return filepath.Join(s.dir(id), "head.json") }

func (s *Store) writeHead(head protocol.Task) error {
	data, err := json.MarshalIndent(headFile{Version: headVersion, Task: head}, "", "  ")
	if err != nil {
		return fmt.Errorf("encoding a task: %w", err)
	}
	if err := os.MkdirAll(s.dir(head.ID), 0o700); err != nil {
		return fmt.Errorf("making a task's folder: %w", err)
	}
	if err := journal.WriteFile(s.headPath(head.ID), data, 0o600); err != nil {
		return fmt.Errorf("writing a task: %w", err)
	}
	return nil
}

func (s *Store) find(id protocol.TaskID) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.tasks[id]; k != nil && !s.closed {
		return k, nil
	}
	return nil, protocol.NewError(protocol.CodeUnknownTask, fmt.Sprintf("there is no task %.64q", string(id)), "", protocol.Try("lists them", "task", "list"))
}

// Head returns a task without its steps.
func (s *Store) Head(id protocol.TaskID) (protocol.Task, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.head, nil
}

// failedShown is how long a failed task is shown if the user does not close it.
const failedShown = 24 * time.Hour

// Unfinished returns the tasks that have not ended, newest first.
func (s *Store) Unfinished() []protocol.Task {
	all, _ := s.Search("", 0)
	return slices.DeleteFunc(all, func(t protocol.Task) bool { return t.State.Over() })
}

// Shown returns the tasks that a panel shows when it opens, newest first: those
// that have not ended, and those that failed within failedShown and were not
// closed.
func (s *Store) Shown() []protocol.Task {
	all, _ := s.Search("", 0)
	since := now().Add(-failedShown)
	return slices.DeleteFunc(all, func(t protocol.Task) bool {
		left := t.State == protocol.TaskFailed && !t.Closed && t.Updated.After(since)
		return t.State.Over() && !left
	})
}

// Dismiss records that the user has closed a failed task.
func (s *Store) Dismiss(id protocol.TaskID) (protocol.Task, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	k.mu.Lock()
	head := k.head
	if !head.State.Over() {
		k.mu.Unlock()
		return protocol.Task{}, protocol.NewError(protocol.CodeBusy, "this task is not over", "stop it first")
	}
	head.Closed = true
	if err := s.writeHead(head); err != nil {
		k.mu.Unlock()
		return protocol.Task{}, unwritable(err)
	}
	k.head = head
	close(k.changed)
	k.changed = make(chan struct{})
	k.mu.Unlock()
	s.config.Changes.Publish(head)
	return head, nil
}

// Delete deletes a task. A running task is not deleted.
func (s *Store) Delete(id protocol.TaskID) error {
	k, err := s.find(id)
	if err != nil {
		return err
	}
	k.mu.Lock()
	if live(k.head.State) {
		k.mu.Unlock()
		return protocol.NewError(protocol.CodeBusy, "this task runs", "stop it first")
	}
	k.end()
	k.mu.Unlock()
	s.mu.Lock()
	delete(s.tasks, id)
	s.mu.Unlock()
	if err := os.RemoveAll(s.dir(id)); err != nil {
		return fmt.Errorf("removing a task: %w", err)
	}
	return nil
}

// end makes further writes fail, and wakes everybody who waits for the task's
// changes. The caller holds the task's lock and removes the files.
func (k *kept) end() {
	k.deleted = true
	if k.log != nil {
		_ = k.log.Close() // its files are removed next
	}
	close(k.changed)
	k.changed = make(chan struct{})
}

// Close closes the journals. Running tasks become interrupted at the next Open.
func (s *Store) Close() {
	s.mu.Lock()
	s.closed = true
	all := s.tasks
	s.tasks = map[protocol.TaskID]*kept{}
	s.mu.Unlock()
	for _, k := range all {
		k.mu.Lock()
		if k.log != nil {
			if err := k.log.Close(); err != nil {
				s.log.Warn("a task's journal could not be closed", "task", k.head.ID, "error", err)
			}
		}
		k.deleted = true
		close(k.changed)
		k.changed = make(chan struct{})
		k.mu.Unlock()
	}
}

// journal returns a task's journal, and opens it at the first use. The caller
// holds the task's lock.
func (s *Store) journal(k *kept) (*journal.Log, error) {
	if k.log != nil {
		return k.log, nil
	}
	log, err := journal.OpenLog(journal.LogConfig{
		Dir: filepath.Join(s.dir(k.head.ID), "events"), Files: taskFiles, MaxRecord: maxTaskEvent + 4096, Logger: s.config.Logger,
	})
	if err != nil {
		return nil, err
	}
	k.log = log
	return log, nil
}

// now returns the current time as it is written: in UTC, without the monotonic
// part, in milliseconds.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
