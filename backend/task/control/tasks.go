// Package control is what callers do with the tasks of a session: a program asks for
// one, follows and stops it, the panel that runs it writes down what happens and runs its
// commands, and the history is read. The loop of a task itself runs in the panel
// (docs/adr/190); how tasks are kept is package task's matter, and what is seen of them in
// the browser package view's.
package control

import (
	"context"
	"iter"
	"log/slog"
	"slices"
	"sync"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
	"pilotfish/backend/task/view"
)

// Config is what Tasks need. All fields are required unless they say otherwise.
type Config struct {
	// Dirs are the folders of the session.
	Dirs func() (Dirs, error)
	// Headless says that the session has no panel, which is where tasks run.
	Headless bool
	// Models are the model profiles; nil for none.
	Models Models
	// Publish tells the panels of the session.
	Publish func(event any)
	// Running is what the session has while it runs, or why it does not.
	Running func() (Running, error)
	// Tabs are the tabs that are open.
	Tabs func() []protocol.Tab
	// CallerTab is the tab that a call means when it names none.
	CallerTab func(auth.Grant) protocol.TabID
	// Record runs a command and records it in the activity.
	Record func(actor protocol.Actor, req protocol.CommandRequest, run func(command.Watch) protocol.CommandReply) protocol.CommandReply
	// Gone ends what an actor asked the user.
	Gone   func(protocol.Actor)
	Logger *slog.Logger
}

// Dirs are the folders of a session that tasks need.
type Dirs struct{ Tasks, Routines, Screenshots string }

// Models are the model profiles that a task can be asked for with.
type Models interface {
	State(ctx context.Context) protocol.LLMState
}

// Running is what a session has while it runs.
type Running struct {
	Policy   *policy.Policy
	Commands Commands
	Browser  Browser
	// Ready waits until the browser is up and has a tab.
	Ready func(ctx context.Context, timeoutMS int) error
	// LetGo releases the keys and buttons that a caller holds down.
	LetGo func(caller string)
	// Beside returns a context whose screenshot may be taken while a snapshot is.
	Beside func(context.Context) context.Context
}

// Commands run the commands of the registry.
type Commands interface {
	Execute(ctx context.Context, call command.Call) protocol.CommandReply
}

// Browser is what Tasks need of a browser.
type Browser interface {
	OpenPanel(ctx context.Context, tab protocol.TabID) error
	view.Hands
}

// Tasks are a session's tasks, opened at their first use. They outlive the runs of
// the session. Their methods are safe for concurrent use.
type Tasks struct {
	cfg   Config
	log   *slog.Logger
	pages *view.Pages
	shots chan shot // to TakePictures

	mu    sync.Mutex
	store *task.Store // nil until it is needed
	// orders are those that no panel has taken yet.
	orders map[protocol.TaskID]protocol.TaskOrderEvent
	// grammar reads plain instructions; nil before the first.
	grammar *grammar.Grammar
}

// New returns the tasks of a session; pages show them in its browser.
func New(cfg Config, pages *view.Pages) *Tasks {
	return &Tasks{cfg: cfg, log: cfg.Logger.With("component", "task_control"), pages: pages, shots: make(chan shot, shots), orders: map[protocol.TaskID]protocol.TaskOrderEvent{}}
}

// opened returns the store.
func (t *Tasks) opened() (*task.Store, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.store != nil {
		return t.store, nil
	}
	dirs, err := t.cfg.Dirs()
	if err != nil {
		return nil, err
	}
	store, err := task.Open(task.Config{
		Dir: dirs.Tasks, Routines: dirs.Routines,
		Changed: func(head protocol.Task) {
			t.cfg.Publish(protocol.TaskChangedEvent{Type: protocol.PanelTask, Task: head})
			t.pages.Changed(head)
			t.ended(head)
		},
		Gone: func(id protocol.TaskID) {
			t.cfg.Publish(protocol.TaskGoneEvent{Type: protocol.PanelTaskGone, Task: id})
		},
		Logger: t.cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	t.store = store
	return store, nil
}

// open says whether a tab is open.
func (t *Tasks) open(tab protocol.TabID) bool {
	return slices.ContainsFunc(t.cfg.Tabs(), func(one protocol.Tab) bool { return one.ID == tab })
}

// Close ends the store and those who follow a task.
func (t *Tasks) Close() {
	t.mu.Lock()
	store := t.store
	t.store = nil
	t.mu.Unlock()
	if store != nil {
		store.Close()
	}
}

// PanelGone interrupts what a panel ran.
func (t *Tasks) PanelGone(panel string) {
	t.mu.Lock()
	store := t.store
	t.mu.Unlock()
	if store != nil {
		store.ViewerGone(panel)
	}
}

// Shown is what a panel that opens is told of.
func (t *Tasks) Shown() []protocol.Task {
	store, err := t.opened()
	if err != nil {
		t.log.Warn("tasks cannot be read", "error", err)
		return []protocol.Task{}
	}
	return store.Shown()
}

// seen refuses an agent the tasks of others.
func seen(grant auth.Grant, t protocol.Task) error {
	if grant.Kind == auth.KindAgent && (t.Asker == nil || t.Asker.Kind != grant.Actor.Kind || t.Asker.ID != grant.Actor.ID) {
		return protocol.NewError(protocol.CodeForbidden, "this task is not yours", "an agent sees the tasks that it asked for")
	}
	return nil
}

// Read gives a task and its events after an index.
func (t *Tasks) Read(grant auth.Grant, id protocol.TaskID, after uint64) (protocol.TaskPage, error) {
	store, err := t.opened()
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

// List gives the tasks, newest first, and where the text was found; an
// agent's own.
func (t *Tasks) List(grant auth.Grant, req protocol.TaskListRequest) (protocol.TaskListReply, error) {
	store, err := t.opened()
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

// Follow gives a task as it goes on.
func (t *Tasks) Follow(ctx context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error) {
	store, err := t.opened()
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

// Routines are the saved routines.
func (t *Tasks) Routines() ([]protocol.TaskRoutine, error) {
	store, err := t.opened()
	if err != nil {
		return nil, err
	}
	return store.Routines().List(), nil
}

// Dismiss puts a failed task away: it stays in the history.
func (t *Tasks) Dismiss(id protocol.TaskID) (protocol.Task, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.Task{}, err
	}
	return store.Dismiss(id)
}

// SaveRoutine saves a routine.
func (t *Tasks) SaveRoutine(routine protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
	store, err := t.opened()
	if err != nil {
		return nil, err
	}
	return store.Routines().Save(routine)
}

// DeleteRoutine forgets a routine.
func (t *Tasks) DeleteRoutine(name string) ([]protocol.TaskRoutine, error) {
	store, err := t.opened()
	if err != nil {
		return nil, err
	}
	return store.Routines().Delete(name)
}
