package session

import (
	"context"
	"encoding/json"
	"log/slog"
	"slices"
	"sync"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	words "pilotfish/backend/question"
)

// pagesBrowser is what is needed of a browser to show where a task works.
type pagesBrowser interface {
	Mask(ctx context.Context, tab protocol.TabID, shown protocol.Mask) error
	Unmask(ctx context.Context, tab protocol.TabID) error
	Groups(ctx context.Context) ([]protocol.TabGroup, error)
	GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error)
	UngroupTabs(ctx context.Context, tabs []protocol.TabID) error
	SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error
	handsBrowser
}

// taskPages shows in the browser where tasks work: the page that a task works on
// is covered while it runs, and its tabs are a group that is named after it. It
// says what it wants to be seen; one goroutine, run, makes it so.
type taskPages struct {
	s     *Session
	wake  chan struct{} // to run: something changed
	shots chan taskShot // to takePictures

	mu    sync.Mutex
	tasks map[protocol.TaskID]*workplace
}

// workplace is one task's. What stands above is wanted, what stands below is so;
// run alone touches the latter.
type workplace struct {
	head    protocol.Task
	tab     protocol.TabID // that it works on
	step    string
	asked   map[string]string // questions that wait, in words
	pausing bool

	// noted is the tab on which it is noted what the person does.
	noted   protocol.TabID
	covered protocol.TabID
	shown   protocol.Mask
	group   int
	color   string
	grouped []protocol.TabID
	// before is the group that a tab was taken from.
	before map[protocol.TabID]int
}

func newTaskPages(s *Session) *taskPages {
	return &taskPages{s: s, wake: make(chan struct{}, 1), shots: make(chan taskShot, shots), tasks: map[protocol.TaskID]*workplace{}}
}

// working says whether a task is under way.
func working(state protocol.TaskState) bool {
	return slices.Contains([]protocol.TaskState{protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskPaused}, state)
}

// change changes what is wanted for a task that is known.
func (p *taskPages) change(id protocol.TaskID, set func(*workplace)) {
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

func (p *taskPages) stir() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// changed takes in a task's new head.
func (p *taskPages) changed(head protocol.Task) {
	p.mu.Lock()
	if p.tasks[head.ID] == nil && working(head.State) {
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

// taskEnded takes from a task what it was given for as long as it goes on, and
// drops what it asked.
func (s *Session) taskEnded(head protocol.Task) {
	if working(head.State) || head.State == protocol.TaskIdle {
		return
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID)}
	s.approvals.Gone(actor)
	if r, err := s.current(); err == nil {
		r.policy.Over(actor)
		r.letGo(command.CallerName(actor))
	}
}

// begins names the pages that a task begins on: there it may enter data.
func (s *Session) begins(p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	var pages []string
	for _, tab := range s.openTabs() {
		if slices.Contains(head.Tabs, tab.ID) {
			pages = append(pages, tab.URL)
		}
	}
	p.Begin(actor, head.Goal, pages...)
}

// wrote takes in what the panel writes of a task: a step has a goal.
func (p *taskPages) wrote(req protocol.TaskWriteRequest) {
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

// at says on which tab a task works now.
func (p *taskPages) at(id protocol.TaskID, tab protocol.TabID) {
	if tab != "" {
		p.change(id, func(w *workplace) { w.tab = tab })
	}
}

// question shows that a task waits for the person's word.
func (p *taskPages) question(question protocol.Approval, over *policy.Over) {
	if question.Actor.Kind != protocol.ActorTask {
		return
	}
	p.change(protocol.TaskID(question.Actor.ID), func(w *workplace) {
		if over == nil {
			w.asked[question.ID] = words.What(question)
		} else {
			delete(w.asked, question.ID)
		}
	})
}

// pause asks the panel that runs the task of a covered tab to pause it.
func (p *taskPages) pause(tab protocol.TabID) {
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
	p.s.events.Publish(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: "pause", Task: *task})
}

// run makes the browser show what is wanted, until ctx ends.
func (p *taskPages) run(ctx context.Context, b pagesBrowser) {
	p.mu.Lock()
	clear(p.tasks) // of a run before: its browser is gone
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

// arrange makes it so for one task.
func (p *taskPages) arrange(ctx context.Context, b pagesBrowser, id protocol.TaskID) {
	ctx, cancel := context.WithTimeout(ctx, taskPagesTimeout)
	defer cancel()
	p.mu.Lock()
	w := p.tasks[id]
	head, tab, shown := w.head, w.tab, w.wanted()
	covered, noted := w.covered, w.noted
	p.mu.Unlock()
	place := tab
	if head.State != protocol.TaskRunning || !p.s.hasTab(tab) {
		tab = ""
	}
	if covered != "" && covered != tab {
		if err := b.Unmask(ctx, covered); err != nil {
			p.s.log.Debug("a page could not be uncovered", "tab", covered, "error", err)
		}
		p.cover(w, "")
	}
	if tab != "" && (covered != tab || w.shown != shown) {
		w.shown = shown
		p.cover(w, tab) // a pause may be asked for as soon as it is seen
		if err := b.Mask(ctx, tab, shown); err != nil {
			level := slog.LevelWarn
			if protocol.AsError(err).Code == protocol.CodeNoInput { // the panel covers it itself
				level = slog.LevelDebug
			}
			p.s.log.Log(ctx, level, "a page that a task works on could not be covered", "tab", tab, "error", err)
			p.cover(w, "")
		}
	}
	rests := head.State == protocol.TaskPaused || head.State == protocol.TaskWaiting
	if rests && noted == "" && p.s.hasTab(place) {
		p.note(ctx, b, w, place)
	}
	p.gather(ctx, b, w, head)
	if working(head.State) {
		return
	}
	p.did(ctx, b, id)
	p.mu.Lock()
	if !working(w.head.State) { // it may go on meanwhile
		delete(p.tasks, id)
	}
	p.mu.Unlock()
}

func (p *taskPages) cover(w *workplace, tab protocol.TabID) {
	p.mu.Lock()
	defer p.mu.Unlock()
	w.covered = tab
}

// wanted is what the cover says; p.mu is held.
func (w *workplace) wanted() protocol.Mask {
	m := protocol.Mask{Title: w.head.Title, Step: w.step}
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
