// Package control is the interface of callers to the tasks of a session. A
// program can request, follow and stop a task; the panel that runs a task
// writes its events and runs its commands; and the history can be read. The
// loop of a task runs in the panel (docs/adr/190), or in the task page where no
// panel is open (docs/adr/275). Package task stores the tasks, and package view
// shows them in the browser.
package control

import (
	"context"
	"iter"
	"log/slog"
	"path/filepath"
	"slices"
	"sync"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/llm"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
	"pilotfish/backend/task/view"
)

// Config is what New needs. All fields are required unless they say otherwise.
type Config struct {
	// Dirs are the folders of the session.
	Dirs config.SessionDirs
	// Models has the model profiles; nil for none.
	Models *llm.Manager
	// Events are the events for the panels of the session. RoutinesChanged and Stepped are
	// reported.
	Events *hub.Hub[any]
	// Running returns what exists only while the session runs, or an error that
	// says why it does not run.
	Running func() (Running, error)
	// Tabs are the open tabs.
	Tabs *opentabs.List
	// Headless: the app has no window. A question of a task without a panel then waits for a
	// limited time, and only while somebody can answer it.
	Headless bool
	// Recorder records commands in the activity.
	Recorder *recorder.Recorder
	// Use counts the commands that run.
	Use *hub.Use
	// Broker has the open questions.
	Broker *policy.Broker
	Logger *slog.Logger
}

type (
	// RoutinesChanged is the event that a routine was saved or deleted.
	RoutinesChanged struct{}
	// Stepped is the event that a step of a task was written.
	Stepped struct {
		Head protocol.Task
		Step int // from 1
		Goal string
	}
)

// Running is what exists only while a session runs.
type Running struct {
	// CallerTab returns the caller's own tab, which a call means that names none. named is
	// the tab that the call names.
	CallerTab func(grant auth.Grant, named protocol.TabID) protocol.TabID
	Policy    *policy.Policy
	Commands  Commands
	Browser   Browser
	// Ready waits until the browser is up and has a tab.
	Ready func(ctx context.Context, timeoutMS int) error
	// Tools uses the user's MCP servers.
	Tools Tools
	// LetGo releases the keys and buttons that a caller holds down.
	LetGo func(caller string)
}

// Commands runs the commands of the registry.
type Commands interface {
	Execute(ctx context.Context, call command.Call) protocol.CommandReply
}

// Tools uses the tools of the user's MCP servers for tasks.
type Tools interface {
	// Names returns the servers that a task may use, without their tools.
	Names() []protocol.TaskToolServer
	// Offered returns the servers of a task with their tools, and may start them.
	Offered(ctx context.Context, actor protocol.Actor, tab protocol.TabID) ([]protocol.TaskToolServer, error)
	Call(ctx context.Context, actor protocol.Actor, tab protocol.TabID, req protocol.TaskToolRequest) protocol.TaskToolReply
	// Kept returns a text as it may be written.
	Kept(text string) string
	// Over ends the servers of a task.
	Over(actor protocol.Actor)
}

// Browser is what Tasks needs from a browser.
type Browser interface {
	// TaskPanel reports whether a panel is open beside a tab, which then runs the tab's tasks.
	TaskPanel(ctx context.Context, tab protocol.TabID) (bool, error)
	OpenPanel(ctx context.Context, tab protocol.TabID) error
	// OpenTaskPage opens the task page, and reports whether it was not open.
	OpenTaskPage(ctx context.Context) (fresh bool, err error)
	CloseTaskPage(ctx context.Context) error
	view.Browser
}

// Tasks manages a session's tasks, which are opened at the first use. It
// outlives the runs of the session. Its methods are safe for concurrent use.
type Tasks struct {
	cfg   Config
	log   *slog.Logger
	pages *view.Pages
	shots chan shot // read by TakeScreenshots
	host  host

	mu    sync.Mutex
	store *task.Store // nil until it is needed
	// orders are the orders that no panel has taken yet.
	orders map[protocol.TaskID]protocol.TaskOrderEvent
	// grammar parses plain instructions; nil until the first use.
	grammar *grammar.Grammar
}

// New returns the tasks of a session; pages shows them in its browser.
func New(cfg Config, pages *view.Pages) *Tasks {
	return &Tasks{cfg: cfg, log: cfg.Logger.With("component", "task_control"), pages: pages, shots: make(chan shot, shots), host: newHost(), orders: map[protocol.TaskID]protocol.TaskOrderEvent{}}
}

// opened returns the store, and opens it at the first use.
func (t *Tasks) opened() (*task.Store, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.store != nil {
		return t.store, nil
	}
	changes := hub.New[protocol.Task](1)
	changes.Observe(func(head protocol.Task) {
		t.cfg.Events.Publish(protocol.TaskChangedEvent{Type: protocol.PanelTask, Task: head})
		t.pages.Changed(head)
		t.asks(head)
		t.ended(head)
	})
	store, err := task.Open(task.Config{
		Dir: filepath.Join(t.cfg.Dirs.Root, "tasks"), Routines: filepath.Join(t.cfg.Dirs.Root, "routines"), Changes: changes, Logger: t.cfg.Logger,
	})
	if err != nil {
		return nil, err
	}
	t.store = store
	return store, nil
}

// find returns a task, and the store that has it.
func (t *Tasks) find(id protocol.TaskID) (*task.Store, protocol.Task, error) {
	store, err := t.opened()
	if err != nil {
		return nil, protocol.Task{}, err
	}
	head, err := store.Head(id)
	return store, head, err
}

// record runs a command and records it in the activity.
func (t *Tasks) record(actor protocol.Actor, req protocol.CommandRequest, run func(command.Watch) protocol.CommandReply) protocol.CommandReply {
	defer t.cfg.Use.Begin()()
	return t.cfg.Recorder.Do(actor, req, nil, run)
}

// open reports whether a tab is open.
func (t *Tasks) open(tab protocol.TabID) bool {
	return t.cfg.Tabs.Has(tab)
}

// Close closes the store, which ends all calls of Follow.
func (t *Tasks) Close() {
	t.mu.Lock()
	store := t.store
	t.store = nil
	t.mu.Unlock()
	if store != nil {
		store.Close()
	}
}

// PanelGone interrupts the task that a panel ran.
func (t *Tasks) PanelGone(panel string) {
	t.mu.Lock()
	store := t.store
	t.mu.Unlock()
	if store != nil {
		store.ViewerGone(panel)
	}
}

// Shown returns the tasks that a panel shows when it opens.
func (t *Tasks) Shown() []protocol.Task {
	store, err := t.opened()
	if err != nil {
		t.log.Warn("tasks cannot be read", "error", err)
		return []protocol.Task{}
	}
	return store.Shown()
}

// seen returns an error if an agent asks for a task that is not its own.
func seen(grant auth.Grant, t protocol.Task) error {
	if grant.Kind == auth.KindAgent && (t.Asker == nil || t.Asker.Kind != grant.Actor.Kind || t.Asker.ID != grant.Actor.ID) {
		return protocol.NewError(protocol.CodeForbidden, "this task is not yours", "an agent sees the tasks that it asked for")
	}
	return nil
}

// Read returns a task and its events after an index.
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

// List returns the tasks, newest first, and where the text was found. An agent
// gets only its own tasks.
func (t *Tasks) List(grant auth.Grant, req protocol.TaskListRequest) (protocol.TaskListReply, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.TaskListReply{}, err
	}
	limit := req.Limit
	if grant.Kind == auth.KindAgent {
		limit = 0 // the limit applies to the tasks that it may see, below
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

// Follow returns pages of a task as it changes.
func (t *Tasks) Follow(ctx context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error) {
	store, head, err := t.find(id)
	if err != nil {
		return nil, err
	}
	if err := seen(grant, head); err != nil {
		return nil, err
	}
	return store.Follow(ctx, id, after), nil
}

// Routines returns the saved routines.
func (t *Tasks) Routines() ([]protocol.TaskRoutine, error) {
	store, err := t.opened()
	if err != nil {
		return nil, err
	}
	return store.Routines().List(), nil
}

// Dismiss closes a failed task: it stays in the history.
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
	all, err := store.Routines().Save(routine)
	if err == nil {
		t.cfg.Events.Report(RoutinesChanged{})
	}
	return all, err
}

// DeleteRoutine deletes a routine.
func (t *Tasks) DeleteRoutine(name string) ([]protocol.TaskRoutine, error) {
	store, err := t.opened()
	if err != nil {
		return nil, err
	}
	all, err := store.Routines().Delete(name)
	if err == nil {
		t.cfg.Events.Report(RoutinesChanged{})
	}
	return all, err
}
