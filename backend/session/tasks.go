package session

import (
	"cmp"
	"context"
	"iter"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/agent/builtin"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// taskStore is a session's tasks, opened at their first use. It outlives the
// runs of the session.
type taskStore struct {
	mu    sync.Mutex
	store *task.Store
	// orders are those that no panel has taken yet.
	orders map[protocol.TaskID]protocol.TaskOrderEvent
	// grammar reads plain instructions; nil before the first.
	grammar *builtin.Grammar
}

// taskStore returns the session's tasks.
func (s *Session) taskStore() (*task.Store, error) {
	s.tasks.mu.Lock()
	defer s.tasks.mu.Unlock()
	if s.tasks.store != nil {
		return s.tasks.store, nil
	}
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	store, err := task.Open(task.Config{
		Dir: filepath.Join(dirs.Root, "tasks"), Routines: filepath.Join(dirs.Root, "routines"),
		Changed: func(t protocol.Task) {
			s.events.Publish(protocol.TaskChangedEvent{Type: protocol.PanelTask, Task: t})
			s.pages.changed(t)
			s.taskEnded(t)
		},
		Gone: func(id protocol.TaskID) {
			s.events.Publish(protocol.TaskGoneEvent{Type: protocol.PanelTaskGone, Task: id})
		},
		Logger: s.m.cfg.Logger.With("session", s.name),
	})
	if err != nil {
		return nil, err
	}
	s.tasks.store = store
	return store, nil
}

func (s *Session) closeTasks() {
	s.tasks.mu.Lock()
	store := s.tasks.store
	s.tasks.store = nil
	s.tasks.mu.Unlock()
	if store != nil {
		store.Close()
	}
}

// panelGone interrupts what a panel ran.
func (s *Session) panelGone(panel string) {
	s.tasks.mu.Lock()
	store := s.tasks.store
	s.tasks.mu.Unlock()
	if store != nil {
		store.ViewerGone(panel)
	}
}

// unfinishedTasks is what a panel that opens is told of.
func (s *Session) unfinishedTasks() []protocol.Task {
	store, err := s.taskStore()
	if err != nil {
		s.log.Warn("tasks cannot be read", "error", err)
		return []protocol.Task{}
	}
	return store.Shown()
}

// tasksOf finds the tasks of the caller's session.
func (m *Manager) tasksOf(grant auth.Grant) (*Session, *task.Store, error) {
	s, err := m.pick(grant.Session)
	if err != nil {
		return nil, nil, err
	}
	store, err := s.taskStore()
	return s, store, err
}

// seen refuses an agent the tasks of others.
func seen(grant auth.Grant, t protocol.Task) error {
	if grant.Kind == auth.KindAgent && (t.Asker == nil || t.Asker.Kind != grant.Actor.Kind || t.Asker.ID != grant.Actor.ID) {
		return protocol.NewError(protocol.CodeForbidden, "this task is not yours", "an agent sees the tasks that it asked for")
	}
	return nil
}

// openTabs are the tabs that are open.
func (s *Session) openTabs() []protocol.Tab {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.tabs)
}

// Task gives a task and its events after an index.
func (m *Manager) Task(_ context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (protocol.TaskPage, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.TaskPage{}, err
	}
	page, err := store.Read(id, after, protocol.TaskPageSize)
	if err == nil {
		err = seen(grant, page.Head)
	}
	if err != nil {
		return protocol.TaskPage{}, err
	}
	return page, nil
}

// TaskList gives the tasks, newest first, and where the text was found; an
// agent's own.
func (m *Manager) TaskList(_ context.Context, grant auth.Grant, req protocol.TaskListRequest) (protocol.TaskListReply, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.TaskListReply{}, err
	}
	limit := req.Limit
	if grant.Kind == auth.KindAgent {
		limit = 0 // it is one of what it may see
	}
	var reply protocol.TaskListReply
	reply.Tasks, reply.Found = store.Search(req.Text, limit)
	hidden := map[protocol.TaskID]bool{}
	reply.Tasks = slices.DeleteFunc(reply.Tasks, func(t protocol.Task) bool {
		hidden[t.ID] = seen(grant, t) != nil
		return hidden[t.ID]
	})
	reply.Found = slices.DeleteFunc(reply.Found, func(f protocol.TaskFound) bool { return hidden[f.Task] })
	if req.Limit > 0 && len(reply.Tasks) > req.Limit {
		reply.Tasks, reply.Found = reply.Tasks[:req.Limit], reply.Found[:min(req.Limit, len(reply.Found))]
	}
	return reply, nil
}

// FollowTask gives a task as it goes on.
func (m *Manager) FollowTask(ctx context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return nil, err
	}
	head, err := store.Head(id)
	if err != nil {
		return nil, err
	}
	if err := seen(grant, head); err != nil {
		return nil, err
	}
	return store.Follow(ctx, id, after), nil
}

// TaskRoutines are the saved routines.
func (m *Manager) TaskRoutines(_ context.Context, grant auth.Grant) ([]protocol.TaskRoutine, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return nil, err
	}
	return store.Routines(), nil
}

// WriteTask takes in what the panel that runs a task says of it.
func (m *Manager) WriteTask(ctx context.Context, grant auth.Grant, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
	s, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.TaskWriteReply{}, err
	}
	// Before it is written: the next action waits for the picture.
	if req.Picture != nil {
		if _, err := store.Holds(req.Task, req.Viewer); err == nil {
			s.pages.shoot(req.Task, *req.Picture)
		}
	}
	reply, err := store.Write(req)
	if err != nil {
		return reply, err
	}
	s.pages.wrote(req)
	if r, runErr := s.current(); runErr == nil && reply.Head.State == protocol.TaskRunning {
		reply.Did = s.pages.did(ctx, r.browser, req.Task)
	}
	return reply, nil
}

// TaskCommand writes what the task has to be written, and runs one command for
// it. The task acts on the tab that it was started on, those that a person let it
// use, and those that it opened. What cannot be written is the error; what became
// of the command is in the reply.
func (m *Manager) TaskCommand(ctx context.Context, grant auth.Grant, req protocol.TaskCommandRequest) (reply protocol.TaskCommandReply, err error) {
	for _, one := range req.Writes {
		if one.Task != req.Task {
			return reply, protocol.NewError(protocol.CodeBadArgument, "the events belong to another task", "")
		}
		written, err := m.WriteTask(ctx, grant, one)
		if err != nil {
			return reply, err
		}
		written.Did = join(reply.Written, written.Did)
		reply.Written = &written
	}
	reply.CommandReply = m.taskCommand(ctx, grant, req)
	return reply, nil
}

// join is all that the person did, where several writes asked.
func join(before *protocol.TaskWriteReply, did string) string {
	if before == nil || before.Did == "" {
		return did
	}
	return strings.Trim(before.Did+"; "+did, "; ")
}

func (m *Manager) taskCommand(ctx context.Context, grant auth.Grant, req protocol.TaskCommandRequest) protocol.CommandReply {
	s, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	head, err := store.Holds(req.Task, req.Viewer)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: "task “" + head.Title + "”", Title: head.Title}
	s.pages.at(head.ID, cmp.Or(req.Command.Tab, head.Tab))
	defer m.use.begin()()
	return s.recorded(ctx, actor, req.Command, nil, func(ctx context.Context, note func(command.Note)) protocol.CommandReply {
		r, err := s.current()
		if err == nil {
			err = s.ready(ctx, r, req.Command.TimeoutMS)
		}
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		for _, tab := range head.Tabs {
			r.policy.Opened(actor, tab)
		}
		s.begins(r.policy, actor, head)
		reply := r.commands.Execute(ctx, command.Call{
			Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}, Tab: head.Tab, Request: req.Command, ByPage: req.ByPage, Note: note,
		})
		s.joinTabs(store, r.policy, actor, head)
		return reply
	})
}

// joinTabs lets the tabs that a task's command or its pages opened join the
// task's own.
func (s *Session) joinTabs(store *task.Store, p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	tabs := s.openTabs()
	for _, tab := range tabs {
		if slices.Contains(head.Tabs, tab.ID) || p.Tab(actor, head.Tab, tab.ID, tabs) != nil {
			continue
		}
		if _, err := store.UseTab(head.ID, tab.ID, false); err != nil {
			s.log.Warn("a tab could not join its task", "task", head.ID, "tab", tab.ID, "error", err)
		}
	}
}

// TaskTab lets a task use a tab, or takes one from it.
func (m *Manager) TaskTab(_ context.Context, grant auth.Grant, req protocol.TaskTabRequest) (protocol.Task, error) {
	s, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.Task{}, err
	}
	if !req.Remove && !s.hasTab(req.Tab) {
		return protocol.Task{}, unknownTab(req.Tab)
	}
	head, err := store.UseTab(req.Task, req.Tab, req.Remove)
	if r, runErr := s.current(); err == nil && runErr == nil {
		actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(req.Task)}
		if req.Remove {
			r.gone(actor)
		}
		// Who gives it a tab means the page that it shows.
		for _, tab := range s.openTabs() {
			if tab.ID == req.Tab && !req.Remove {
				r.policy.Learn(actor, tab.URL)
			}
		}
	}
	return head, err
}

// CloseTask puts a failed task away: it stays in the history.
func (m *Manager) CloseTask(_ context.Context, grant auth.Grant, id protocol.TaskID) (protocol.Task, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return protocol.Task{}, err
	}
	return store.Dismiss(id)
}

// SaveRoutine saves a routine.
func (m *Manager) SaveRoutine(_ context.Context, grant auth.Grant, routine protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return nil, err
	}
	return store.SaveRoutine(routine)
}

// DeleteRoutine forgets a routine.
func (m *Manager) DeleteRoutine(_ context.Context, grant auth.Grant, name string) ([]protocol.TaskRoutine, error) {
	_, store, err := m.tasksOf(grant)
	if err != nil {
		return nil, err
	}
	return store.DeleteRoutine(name)
}
