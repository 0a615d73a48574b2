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

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// headVersion is the version of head.json.
const headVersion = 1

// headFile is head.json: a task as it is now.
type headFile struct {
	Version int           `json:"version"`
	Task    protocol.Task `json:"task"`
}

// taskID keeps an id usable as a folder.
var taskID = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-zA-Z][0-9a-zA-Z-]{3,63}$`) })

// Config is what a Store needs. Changed and Gone are called without a lock held,
// in the order of the changes of one task.
type Config struct {
	// Dir is the folder of the tasks.
	Dir string
	// Routines is the folder of the routines: those of tasks, and those that the
	// command layer records.
	Routines string
	// Changed is told of a task's new head, Gone of a task that was deleted.
	Changed func(protocol.Task)
	Gone    func(protocol.TaskID)
	Logger  *slog.Logger
}

// Store keeps the tasks of one session. It is safe for concurrent use.
type Store struct {
	config   Config
	log      *slog.Logger
	routines *Routines

	mu     sync.Mutex
	tasks  map[protocol.TaskID]*kept
	gone   []string // the views that went last
	budget int64    // of the pictures, in bytes
	closed bool
}

// count is a write of a view, as it counts them from 1; 0 is one that is not
// counted.
type count struct {
	viewer string
	seq    uint64
}

// kept is one task.
type kept struct {
	mu     sync.Mutex
	head   protocol.Task
	viewer string       // who runs it; empty for nobody
	log    *journal.Log // nil until it is needed
	words  *words       // nil until it is searched
	// writer wrote last; wrote are the counts of what it did, the newest last.
	writer string
	wrote  []uint64
	// half stands in the journal, and its head could not be written: what is
	// tried again must not stand there twice.
	half count
	// told is closed at the next event.
	told    chan struct{}
	deleted bool
}

// Open reads the tasks of a folder. Those that ran when the app ended are
// interrupted.
func Open(cfg Config) (*Store, error) {
	if cfg.Dir == "" || cfg.Routines == "" || cfg.Logger == nil {
		return nil, errors.New("the tasks need Dir, Routines and Logger")
	}
	s := &Store{config: cfg, budget: taskPictures, log: cfg.Logger.With("component", "task"), tasks: map[protocol.TaskID]*kept{}}
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

// Routines are the routines of the session.
func (s *Store) Routines() *Routines { return s.routines }

// load reads one task's head. One that cannot be read is put aside.
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
		file.Task.State = protocol.TaskInterrupted
		if err := s.writeHead(file.Task); err != nil {
			s.log.Warn("a task that was interrupted could not be marked so", "task", id, "error", err)
		}
	}
	s.tasks[id] = &kept{head: file.Task, told: make(chan struct{})}
}

// live says whether somebody has to run a task of this state.
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

// find returns a task.
func (s *Store) find(id protocol.TaskID) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if k := s.tasks[id]; k != nil && !s.closed {
		return k, nil
	}
	return nil, protocol.NewError(protocol.CodeUnknownTask, fmt.Sprintf("there is no task %.64q", string(id)), "", protocol.Try("lists them", "task", "list"))
}

// Head is a task without its steps.
func (s *Store) Head(id protocol.TaskID) (protocol.Task, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.head, nil
}

// failedShown is how long a failed task is shown that nobody closes.
const failedShown = 24 * time.Hour

// Unfinished are the tasks that are not over, newest first.
func (s *Store) Unfinished() []protocol.Task {
	all, _ := s.Search("", 0)
	return slices.DeleteFunc(all, func(t protocol.Task) bool { return t.State.Over() })
}

// Shown are the tasks that a panel shows when it opens, newest first: those that
// are not over, and those that failed a short while ago and were not closed.
func (s *Store) Shown() []protocol.Task {
	all, _ := s.Search("", 0)
	since := now().Add(-failedShown)
	return slices.DeleteFunc(all, func(t protocol.Task) bool {
		left := t.State == protocol.TaskFailed && !t.Closed && t.Updated.After(since)
		return t.State.Over() && !left
	})
}

// Dismiss notes that the user has put a failed task away.
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
	close(k.told)
	k.told = make(chan struct{})
	k.mu.Unlock()
	if s.config.Changed != nil {
		s.config.Changed(head)
	}
	return head, nil
}

// Delete forgets a task. One that runs is not deleted.
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
	if s.config.Gone != nil {
		s.config.Gone(id)
	}
	return nil
}

// end lets nobody write or wait any more; the caller holds the task's lock, and
// removes its files.
func (k *kept) end() {
	k.deleted = true
	if k.log != nil {
		_ = k.log.Close() // its files go now
	}
	close(k.told)
	k.told = make(chan struct{})
}

// Close ends the journals. Tasks that run become interrupted at the next Open.
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
		close(k.told)
		k.told = make(chan struct{})
		k.mu.Unlock()
	}
}

// journal opens a task's journal at its first use; the caller holds its lock.
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

// now is the time that is written: without the monotonic part, to the
// millisecond.
func now() time.Time { return time.Now().UTC().Truncate(time.Millisecond) }
