// Package view shows in the browser where tasks work. An overlay covers the
// page that a task works on while it runs, the task's tabs are in a group with
// its title, and what the user does on a page while the task waits is recorded,
// so that its agent can learn of it. The package runs no command and keeps nothing
// on disk. The reasons are in docs/adr/170.
package view

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"
	"time"

	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// timeout bounds the update of a page's overlay and of a task's tab group.
const timeout = 10 * time.Second

// Config is what New needs. All fields are required.
type Config struct {
	// Tabs are the open tabs.
	Tabs *opentabs.List
	// Events are the events for the panels of the session.
	Events *hub.Hub[any]
	Logger *slog.Logger
}

// Browser is what Pages needs from a browser.
type Browser interface {
	SetOverlay(ctx context.Context, tab protocol.TabID, shown protocol.Overlay) error
	RemoveOverlay(ctx context.Context, tab protocol.TabID) error
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
	// StartRecording records what the user does on a page.
	StartRecording(ctx context.Context, by protocol.Caller, tab protocol.TabID, video string) error
	StopRecording(ctx context.Context, by protocol.Caller, tab protocol.TabID, format string) (protocol.Recording, error)
}

// Pages shows where tasks work. Callers set the desired state; one goroutine,
// Run, applies it. Its methods are safe for concurrent use.
type Pages struct {
	tabs   *opentabs.List
	events *hub.Hub[any]
	log    *slog.Logger
	wake   chan struct{} // wakes Run after a change

	mu    sync.Mutex
	tasks map[protocol.TaskID]*workplace
}

// workplace is the state of one task. The first fields are the desired state;
// the fields from covered on are the applied state, which only Run changes.
type workplace struct {
	head    protocol.Task
	tab     protocol.TabID // the tab that the task works on
	step    string
	asked   map[string]string // texts of the open questions, by id
	pausing bool

	// noted is the tab on which the user's actions are recorded.
	noted   protocol.TabID
	covered protocol.TabID
	shown   protocol.Overlay
	group   int
	color   string
	grouped []protocol.TabID
	// before is the former group of each tab.
	before map[protocol.TabID]int
}

// New returns Pages without tasks.
func New(cfg Config) *Pages {
	return &Pages{tabs: cfg.Tabs, events: cfg.Events, log: cfg.Logger.With("component", "task_view"), wake: make(chan struct{}, 1), tasks: map[protocol.TaskID]*workplace{}}
}

// open reports whether a tab is open.
func (p *Pages) open(tab protocol.TabID) bool {
	return p.tabs.Has(tab)
}

// Working reports whether a task has begun and not ended.
func Working(state protocol.TaskState) bool {
	return slices.Contains([]protocol.TaskState{protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskPaused}, state)
}

// change changes the desired state of a known task.
func (p *Pages) change(id protocol.TaskID, set func(*workplace)) {
	p.mu.Lock()
	w := p.tasks[id]
	if w != nil {
		set(w)
	}
	p.mu.Unlock()
	if w != nil {
		p.stir()
	}
}

func (p *Pages) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Changed records a task's new head.
func (p *Pages) Changed(head protocol.Task) {
	p.mu.Lock()
	if p.tasks[head.ID] == nil && Working(head.State) {
		p.tasks[head.ID] = &workplace{tab: head.Tab, asked: map[string]string{}, before: map[protocol.TabID]int{}}
	}
	p.mu.Unlock()
	p.change(head.ID, func(w *workplace) {
		if w.head.State != head.State {
			w.pausing = false
		}
		w.head = head
	})
}

// Wrote records an event that the panel wrote for a task: a step has a goal.
func (p *Pages) Wrote(req protocol.TaskWriteRequest) {
	if req.Kind != protocol.TaskEventStep {
		return
	}
	var step struct {
		Thought struct {
			Goal string `json:"goal"`
		} `json:"thought"`
	}
	if json.Unmarshal(req.Data, &step) == nil && step.Thought.Goal != "" {
		p.change(req.Task, func(w *workplace) { w.step = step.Thought.Goal })
	}
}

// At records the tab on which a task works now.
func (p *Pages) At(id protocol.TaskID, tab protocol.TabID) {
	if tab != "" {
		p.change(id, func(w *workplace) { w.tab = tab })
	}
}

// Question records that a task waits for the user's approval, or no longer
// does.
func (p *Pages) Question(question protocol.Approval, over *policy.Over) {
	if question.Actor.Kind != protocol.ActorTask {
		return
	}
	p.change(protocol.TaskID(question.Actor.ID), func(w *workplace) {
		if over == nil {
			w.asked[question.ID] = question.Words.What
		} else {
			delete(w.asked, question.ID)
		}
	})
}

// Pause asks the panel that runs the task of a covered tab to pause it.
func (p *Pages) Pause(tab protocol.TabID) {
	p.mu.Lock()
	var task *protocol.Task
	for _, w := range p.tasks {
		if w.covered == tab && w.head.State == protocol.TaskRunning {
			w.pausing = true
			task = &w.head
		}
	}
	p.mu.Unlock()
	if task == nil {
		return
	}
	p.stir()
	p.events.Publish(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: protocol.TaskOrderPause, Task: *task})
}

// Run applies the desired state in the browser until ctx ends.
func (p *Pages) Run(ctx context.Context, b Browser) {
	p.mu.Lock()
	clear(p.tasks) // from a previous run: its browser has ended
	p.mu.Unlock()
	for {
		select {
		case <-ctx.Done():
			return
		case <-p.wake:
		}
		p.mu.Lock()
		ids := make([]protocol.TaskID, 0, len(p.tasks))
		for id := range p.tasks {
			ids = append(ids, id)
		}
		p.mu.Unlock()
		for _, id := range ids {
			p.arrange(ctx, b, id)
		}
	}
}

// arrange applies the desired state of one task.
func (p *Pages) arrange(ctx context.Context, b Browser, id protocol.TaskID) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	p.mu.Lock()
	w := p.tasks[id]
	head, tab, shown := w.head, w.tab, w.wanted()
	covered, noted := w.covered, w.noted
	p.mu.Unlock()
	place := tab
	if head.State != protocol.TaskRunning || !p.open(tab) {
		tab = ""
	}
	if covered != "" && covered != tab {
		if err := b.RemoveOverlay(ctx, covered); err != nil {
			p.log.Debug("a page could not be uncovered", "tab", covered, "error", err)
		}
		p.cover(w, "")
	}
	if tab != "" && (covered != tab || w.shown != shown) {
		w.shown = shown
		p.cover(w, tab) // set first, because the user may ask for a pause as soon as the overlay is visible
		if err := b.SetOverlay(ctx, tab, shown); err != nil {
			level := slog.LevelWarn
			if protocol.AsError(err).Code == protocol.CodeNoInput { // the panel covers the page itself
				level = slog.LevelDebug
			}
			p.log.Log(ctx, level, "a page that a task works on could not be covered", "tab", tab, "error", err)
			p.cover(w, "")
		}
	}
	rests := head.State == protocol.TaskPaused || head.State == protocol.TaskWaiting
	if rests && noted == "" && p.open(place) {
		p.note(ctx, b, w, place)
	}
	p.gather(ctx, b, w, head)
	if Working(head.State) {
		return
	}
	p.Did(ctx, b, id)
	p.mu.Lock()
	if !Working(w.head.State) { // it may have been resumed meanwhile
		delete(p.tasks, id)
	}
	p.mu.Unlock()
}

func (p *Pages) cover(w *workplace, tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.covered = tab
}

// wanted returns the content of the overlay. The caller holds p.mu.
func (w *workplace) wanted() protocol.Overlay {
	m := protocol.Overlay{Title: w.head.Title, Step: w.step}
	switch {
	case w.pausing:
		m.Step = "Pausing after this action"
	case len(w.asked) > 0:
		m.Asks = true
		for _, why := range w.asked {
			m.Step = "Needs your approval in the panel: " + why
		}
	}
	return m
}
