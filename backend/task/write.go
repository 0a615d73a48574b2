package task

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"os"
	"slices"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// record is a line of the journal; the journal itself has the index.
type record struct {
	Kind protocol.TaskEventKind `json:"kind"`
	At   string                 `json:"at"`
	Data json.RawMessage        `json:"data,omitempty"`
}

// Write records an event from the panel view that runs a task. It is on disk
// when Write returns. Only one view runs a task: another view gets CodeBusy
// until the first one has closed (see ViewerGone).
func (s *Store) Write(req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
	if err := check(req); err != nil {
		return protocol.TaskWriteReply{}, err
	}
	k, err := s.writable(req)
	if err != nil {
		return protocol.TaskWriteReply{}, err
	}
	k.mu.Lock()
	head, err := s.write(k, req)
	unborn := err != nil && k.head.Updated.IsZero() && !k.deleted
	if unborn {
		k.end()
	}
	k.mu.Unlock()
	if unborn {
		s.forget(req.Task)
	}
	if err != nil {
		return protocol.TaskWriteReply{}, err
	}
	s.config.Changes.Publish(head)
	return protocol.TaskWriteReply{Index: head.Index, Head: head}, nil
}

func check(req protocol.TaskWriteRequest) error {
	switch {
	case !taskID().MatchString(string(req.Task)):
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.64q is no id of a task", string(req.Task)), "use a UUID")
	case req.Viewer == "":
		return protocol.NewError(protocol.CodeBadArgument, "the view that runs the task is missing", "")
	case len(req.Data) > maxTaskEvent:
		return protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("an event of a task is at most %d bytes", maxTaskEvent), "keep pictures in files")
	}
	switch req.Kind {
	case protocol.TaskEventHead:
		if req.Head == nil {
			return protocol.NewError(protocol.CodeBadArgument, "the head is missing", "")
		}
	case protocol.TaskEventStep, protocol.TaskEventUser, protocol.TaskEventNotice, protocol.TaskEventSummary:
	default:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a task has no event %.40q", string(req.Kind)), "")
	}
	return nil
}

// writable returns the task of a write, and creates it if the write has a head.
func (s *Store) writable(req protocol.TaskWriteRequest) (*kept, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return nil, protocol.NewError(protocol.CodeNotRunning, "the session ends", "")
	}
	if k := s.tasks[req.Task]; k != nil {
		return k, nil
	}
	if req.Head == nil {
		return nil, protocol.NewError(protocol.CodeUnknownTask, fmt.Sprintf("there is no task %.64q", string(req.Task)), "write its head first")
	}
	k := &kept{head: protocol.Task{ID: req.Task, Created: now(), Tabs: []protocol.TabID{}}, changed: make(chan struct{})}
	s.tasks[req.Task] = k
	return k, nil
}

// write appends to the journal and then changes the head. The caller holds the
// task's lock.
func (s *Store) write(k *kept, req protocol.TaskWriteRequest) (protocol.Task, error) {
	if k.deleted {
		return protocol.Task{}, protocol.NewError(protocol.CodeUnknownTask, "this task was deleted", "")
	}
	if s.isGone(req.Viewer) {
		return protocol.Task{}, protocol.NewError(protocol.CodeNotRunning, "this view of the panel is gone", "write it again once the panel is connected")
	}
	if k.viewer != "" && k.viewer != req.Viewer && live(k.head.State) {
		return protocol.Task{}, protocol.NewError(protocol.CodeBusy, "this task is running already, in another panel or without one", "stop it there first")
	}
	if req.Seq != 0 && req.Viewer == k.writer && slices.Contains(k.wrote, req.Seq) {
		return k.head, nil
	}
	head := k.head
	if req.Head != nil {
		head = merge(k.head, *req.Head)
	}
	log, err := s.journal(k)
	if err != nil {
		return protocol.Task{}, unwritable(err)
	}
	switch {
	case req.Kind == protocol.TaskEventHead:
	case req.Seq != 0 && k.half == countOf(req):
		head.Index = log.Last() // only its head was not written
	default:
		line := record{Kind: req.Kind, At: now().Format("2006-01-02T15:04:05.000Z07:00"), Data: req.Data}
		data, err := json.Marshal(line)
		if err != nil {
			return protocol.Task{}, protocol.NewError(protocol.CodeBadArgument, "the event is not JSON: "+err.Error(), "")
		}
		if head.Index, err = log.Append(data); err != nil {
			return protocol.Task{}, unwritable(err)
		}
		k.half = countOf(req)
		if head.Question != nil && head.Question.Index == 0 {
			head.Question = &protocol.TaskQuestion{Index: head.Index, Text: head.Question.Text, Choices: head.Question.Choices}
		}
		if k.words != nil {
			k.words.take(line)
		}
	}
	head.Updated = now()
	if err := s.writeHead(head); err != nil {
		return protocol.Task{}, unwritable(err)
	}
	k.head, k.viewer, k.half = head, req.Viewer, count{}
	k.remember(req)
	if head.State.Over() {
		k.viewer = ""
	}
	close(k.changed)
	k.changed = make(chan struct{})
	return head, nil
}

// forget removes a task whose first write failed, as if it had never existed.
func (s *Store) forget(id protocol.TaskID) {
	s.mu.Lock()
	delete(s.tasks, id)
	s.mu.Unlock()
	if err := os.RemoveAll(s.dir(id)); err != nil {
		s.log.Warn("what is left of a task that could not be written could not be removed", "task", id, "error", err)
	}
}

// countOf returns the count that identifies a write.
func countOf(req protocol.TaskWriteRequest) count { return count{req.Viewer, req.Seq} }

// remember records the count of a write.
func (k *kept) remember(req protocol.TaskWriteRequest) {
	if req.Viewer != k.writer {
		k.writer, k.wrote = req.Viewer, nil
	}
	if k.wrote = append(k.wrote, req.Seq); len(k.wrote) > taskWritesKnown {
		k.wrote = slices.Delete(k.wrote, 0, 1)
	}
}

// merge returns the task as the panel describes it, except for the fields that
// the backend itself maintains.
func merge(before, said protocol.Task) protocol.Task {
	said.ID, said.Created, said.Index = before.ID, before.Created, before.Index
	said.Asker, said.Closed = before.Asker, before.Closed && said.State.Over()
	said.Tabs = before.Tabs
	if said.State != protocol.TaskWaiting {
		said.Question = nil
	}
	if len(said.Tabs) == 0 && said.Tab != "" {
		said.Tabs = []protocol.TabID{said.Tab}
	}
	return said
}

func unwritable(err error) error {
	return protocol.NewError(protocol.CodeNotWritable, "The task cannot be written: "+journal.Reason(err), "make room on the disk and resume the task")
}

// ViewerGone is called when a panel view has closed. The task that it ran is
// interrupted, and another view may resume it. A write of the closed view that
// arrives later is refused with CodeNotRunning: it would claim the task for a
// view that no longer exists.
func (s *Store) ViewerGone(viewer string) {
	s.mu.Lock()
	s.gone = append(s.gone, viewer)
	if over := len(s.gone) - taskGoneViews; over > 0 {
		s.gone = slices.Delete(s.gone, 0, over)
	}
	all := make([]*kept, 0, len(s.tasks))
	for _, k := range s.tasks {
		all = append(all, k)
	}
	s.mu.Unlock()
	for _, k := range all {
		k.mu.Lock()
		mine := k.viewer == viewer
		if mine {
			k.viewer = ""
		}
		changed := mine && live(k.head.State)
		if changed {
			k.head.State, k.head.Question, k.head.Updated = protocol.TaskInterrupted, nil, now()
			if err := s.writeHead(k.head); err != nil {
				s.log.Warn("a task that was interrupted could not be marked so", "task", k.head.ID, "error", err)
			}
			close(k.changed)
			k.changed = make(chan struct{})
		}
		head := k.head
		k.mu.Unlock()
		if changed {
			s.config.Changes.Publish(head)
		}
	}
}

func (s *Store) isGone(viewer string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Contains(s.gone, viewer)
}

// Holds returns a task if the view runs it; only that view may act for the
// task.
func (s *Store) Holds(id protocol.TaskID, viewer string) (protocol.Task, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case viewer == "" || k.viewer != viewer:
		return protocol.Task{}, protocol.NewError(protocol.CodeForbidden, "this view does not run the task", "resume it first")
	case k.head.State != protocol.TaskRunning && k.head.State != protocol.TaskWaiting:
		return protocol.Task{}, protocol.NewError(protocol.CodeRefused, "the task does not run", "resume it first")
	}
	return k.head, nil
}

// UseTab lets a task use a tab, or, with remove, no longer use it.
func (s *Store) UseTab(id protocol.TaskID, tab protocol.TabID, remove bool) (protocol.Task, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	k.mu.Lock()
	head := k.head
	tabs := make([]protocol.TabID, 0, len(head.Tabs)+1)
	for _, t := range head.Tabs {
		if t != tab {
			tabs = append(tabs, t)
		}
	}
	if !remove {
		tabs = append(tabs, tab)
	}
	head.Tabs, head.Updated = tabs, now()
	if err = s.writeHead(head); err == nil {
		k.head = head
	}
	k.mu.Unlock()
	if err != nil {
		return protocol.Task{}, unwritable(err)
	}
	s.config.Changes.Publish(head)
	return head, nil
}

// Order creates a task that a program requests; a panel takes it with its first
// write.
func (s *Store) Order(id protocol.TaskID, req protocol.TaskRunRequest, asker protocol.Actor) (protocol.Task, error) {
	if !taskID().MatchString(string(id)) {
		return protocol.Task{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.64q is no id of a task", string(id)), "")
	}
	k := &kept{changed: make(chan struct{}), head: protocol.Task{
		ID: id, Title: title(req.Goal), Goal: req.Goal, Tab: req.Tab, Tabs: []protocol.TabID{}, State: protocol.TaskIdle, Profile: req.Profile,
		MaxStep: req.MaxSteps, Created: now(), Updated: now(), Routine: req.Routine, Asker: &asker,
	}}
	if req.Tab != "" {
		k.head.Tabs = append(k.head.Tabs, req.Tab)
	}
	s.mu.Lock()
	if s.closed || s.tasks[id] != nil {
		s.mu.Unlock()
		return protocol.Task{}, protocol.NewError(protocol.CodeBusy, "this task exists already", "")
	}
	s.mu.Unlock()
	if err := s.writeHead(k.head); err != nil {
		return protocol.Task{}, unwritable(err)
	}
	s.mu.Lock()
	s.tasks[id] = k
	s.mu.Unlock()
	s.config.Changes.Publish(k.head)
	return k.head, nil
}

// title returns the first line of a goal, shortened.
func title(goal string) string {
	const most = 60
	line := []rune(goal)
	for i, r := range line {
		if r == '\n' {
			line = line[:i]
			break
		}
	}
	if len(line) > most {
		return string(line[:most-1]) + "…"
	}
	return string(line)
}

// Read returns a task's events after an index, at most limit of them, with the
// current head.
func (s *Store) Read(id protocol.TaskID, after uint64, limit int) (protocol.TaskPage, error) {
	k, err := s.find(id)
	if err != nil {
		return protocol.TaskPage{}, err
	}
	k.mu.Lock()
	log, err := s.journal(k)
	head := k.head
	k.mu.Unlock()
	if err != nil {
		return protocol.TaskPage{}, fmt.Errorf("opening a task's journal: %w", err)
	}
	items, err := log.Read(after, limit)
	if err != nil && !errors.Is(err, journal.ErrClosed) {
		return protocol.TaskPage{}, fmt.Errorf("reading a task's journal: %w", err)
	}
	page := protocol.TaskPage{Head: head, Events: []protocol.TaskEvent{}}
	for _, item := range items {
		if item.Gap != nil {
			continue // the oldest steps of a very long task were removed; their summary is there
		}
		var r record
		if json.Unmarshal(item.Data, &r) != nil {
			continue // from a newer version
		}
		e := protocol.TaskEvent{Index: item.Index, Kind: r.Kind, Data: r.Data}
		_ = e.At.UnmarshalText([]byte(r.At)) // an unreadable time stays zero
		page.Events = append(page.Events, e)
	}
	return page, nil
}

// Follow returns pages of a task from an index on, and a new page at each
// change. It ends when ctx ends, when the task is deleted, or with the last
// page of a task that has ended.
func (s *Store) Follow(ctx context.Context, id protocol.TaskID, after uint64) iter.Seq2[protocol.TaskPage, error] {
	return func(yield func(protocol.TaskPage, error) bool) {
		for {
			k, err := s.find(id)
			if err != nil {
				yield(protocol.TaskPage{}, err)
				return
			}
			k.mu.Lock()
			changed := k.changed
			k.mu.Unlock()
			page, err := s.Read(id, after, protocol.TaskPageSize)
			if !yield(page, err) || err != nil {
				return
			}
			full := len(page.Events) == protocol.TaskPageSize
			if n := len(page.Events); n > 0 {
				after = page.Events[n-1].Index
			}
			if full {
				continue
			}
			if page.Head.State.Over() {
				return
			}
			select {
			case <-changed:
			case <-ctx.Done():
				return
			}
		}
	}
}

// Held reports whether a panel view runs a task.
func (s *Store) Held(id protocol.TaskID) bool {
	k, err := s.find(id)
	if err != nil {
		return false
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.viewer != ""
}

// End ends a task that no view runs; why is nil if the end was requested. A
// task that has ended stays unchanged.
func (s *Store) End(id protocol.TaskID, state protocol.TaskState, why *protocol.Error) {
	k, err := s.find(id)
	if err != nil {
		return
	}
	k.mu.Lock()
	if k.viewer != "" || k.head.State.Over() {
		k.mu.Unlock()
		return
	}
	k.head.State, k.head.Error, k.head.Question, k.head.Updated = state, why, nil, now()
	if err := s.writeHead(k.head); err != nil {
		s.log.Warn("the end of a task could not be written", "task", id, "error", err)
	}
	head := k.head
	close(k.changed)
	k.changed = make(chan struct{})
	k.mu.Unlock()
	s.config.Changes.Publish(head)
}
