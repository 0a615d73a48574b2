package control

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// Run requests a task from the panel beside its tab, or from the task page where none is open,
// and returns when it has been taken. An agent may request a task only for its own tabs, and only
// one task at a time.
func (t *Tasks) Run(ctx context.Context, grant auth.Grant, req protocol.TaskRunRequest) (protocol.Task, error) {
	if !grant.Scopes.Has(protocol.ScopeAct) {
		return protocol.Task{}, protocol.NewError(protocol.CodeForbidden, "this agent may only read pages", "the user decides what it may do")
	}
	store, err := t.opened()
	if err != nil {
		return protocol.Task{}, err
	}
	r, err := t.cfg.Running()
	if err != nil {
		return protocol.Task{}, err
	}
	if req.Routine != "" {
		if req.Goal, err = store.Routines().Fill(req.Routine, req.Params); err != nil {
			return protocol.Task{}, err
		}
	}
	if strings.TrimSpace(req.Goal) == "" {
		return protocol.Task{}, protocol.NewError(protocol.CodeBadArgument, "the task has no goal", "write what is to be done", protocol.Example("task", "run", "fill this form with …"))
	}
	own := r.CallerTab(grant, req.Tab)
	if req.Tab == "" {
		req.Tab = own
	}
	if !t.open(req.Tab) {
		return protocol.Task{}, unknownTab(req.Tab)
	}
	if err := r.Policy.Tab(grant.Actor, own, req.Tab, t.cfg.Tabs.All()); err != nil {
		return protocol.Task{}, err
	}
	if t.cfg.Models == nil {
		req.Profile = ""
	} else if req.Profile, err = t.profile(t.cfg.Models.State(ctx), req); err != nil {
		return protocol.Task{}, err
	}
	if err := free(store, grant, req.Tab); err != nil {
		return protocol.Task{}, err
	}
	panel, err := r.Browser.TaskPanel(ctx, req.Tab)
	if err != nil {
		return protocol.Task{}, err
	}
	ordered, err := store.Order(protocol.TaskID(newUUID()), req, grant.Actor)
	if err != nil {
		return protocol.Task{}, err
	}
	order := protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: "run", Task: ordered, Request: &req, Page: !panel}
	var opened error
	if panel {
		defer t.order(order)()
		opened = r.Browser.OpenPanel(ctx, req.Tab) // it may have been closed meanwhile
	} else {
		var withdraw func()
		withdraw, opened = t.hosts(ctx, r, order)
		defer withdraw()
	}
	if opened != nil {
		t.log.Info("nothing could be opened to run a task", "tab", req.Tab, "panel", panel, "error", opened)
	}
	if opened != nil && !panel {
		return protocol.Task{}, untaken(ctx, store, ordered, opened)
	}
	return t.taken(ctx, store, ordered, opened)
}

// profile returns the id of the model profile for a requested task. The request
// may name it by id, name or model; without a name it is the profile for tasks
// of programs. An empty result means that the panel chooses, or that Pilot
// carries out the task if no model is set up. It returns CodeBadArgument if no
// profile is suitable.
func (t *Tasks) profile(state protocol.LLMState, req protocol.TaskRunRequest) (string, error) {
	usable := func(p protocol.LLMProfile) bool {
		return p.HasKey || !slices.ContainsFunc(state.Providers, func(i protocol.LLMProviderInfo) bool { return i.Provider == p.Provider && i.NeedsKey })
	}
	if req.Profile == "" {
		at := slices.IndexFunc(state.Profiles, func(p protocol.LLMProfile) bool {
			return slices.Contains(p.For, protocol.ForProgram) && usable(p)
		})
		switch {
		case at >= 0:
			return state.Profiles[at].ID, nil
		case slices.ContainsFunc(state.Profiles, usable):
			return "", nil
		case len(state.Profiles) > 0:
			return "", protocol.NewError(protocol.CodeBadArgument, state.Profiles[0].Name+" has no key: it was stored only until Pilotfish quit", "enter it again in Settings, under Models")
		}
		_, unknown := t.plainPlan(req.Goal)
		if unknown == "" {
			return "", nil
		}
		return "", protocol.NewError(protocol.CodeBadArgument, "Task needs a model for this, and none is set up", "set one up in Settings, under Models; plain instructions need none", protocol.Example("task", "run", "click Save then press Enter"))
	}
	for _, same := range []func(protocol.LLMProfile) bool{
		func(p protocol.LLMProfile) bool { return p.ID == req.Profile },
		func(p protocol.LLMProfile) bool { return strings.EqualFold(p.Name, req.Profile) },
		func(p protocol.LLMProfile) bool { return strings.EqualFold(p.Model, req.Profile) },
	} {
		at := slices.IndexFunc(state.Profiles, same)
		switch {
		case at < 0:
		case !usable(state.Profiles[at]):
			return "", protocol.NewError(protocol.CodeBadArgument, state.Profiles[at].Name+" has no key", "enter it again in Settings, under Models")
		default:
			return state.Profiles[at].ID, nil
		}
	}
	names := make([]string, len(state.Profiles))
	for i, p := range state.Profiles {
		names[i] = fmt.Sprintf("%s (%s)", p.Name, p.Model)
	}
	return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no model %.40q", req.Profile), "there are: "+strings.Join(names, ", "))
}

// free refuses a second task on a tab, and a second task of an agent: each task
// costs the user money.
func free(store *task.Store, grant auth.Grant, tab protocol.TabID) error {
	for _, t := range store.Unfinished() {
		switch {
		case t.State == protocol.TaskInterrupted:
		case t.Tab == tab || slices.Contains(t.Tabs, tab):
			return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("a task works on tab %s already: %s", tab, t.ID), "wait for its end, or stop it")
		case grant.Kind == auth.KindAgent && seen(grant, t) == nil:
			return protocol.NewError(protocol.CodeBusy, fmt.Sprintf("your task %s has not ended", t.ID), "wait for its end, or stop it")
		}
	}
	return nil
}

// order sends an order to the panels, now and when they connect, until it is
// withdrawn.
func (t *Tasks) order(event protocol.TaskOrderEvent) (withdraw func()) {
	t.mu.Lock()
	t.orders[event.Task.ID] = event
	t.mu.Unlock()
	t.cfg.Events.Publish(event)
	return func() {
		t.mu.Lock()
		delete(t.orders, event.Task.ID)
		t.mu.Unlock()
	}
}

// OrderAgain sends the orders that no panel has taken to a panel that has just
// connected, and thereby to the others, too. A panel that knows an order
// already ignores it.
func (t *Tasks) OrderAgain() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, event := range t.orders {
		t.cfg.Events.Publish(event)
	}
}

// taken waits until a panel or the task page has taken an order. opened is the error from
// opening one for it, or nil.
func (t *Tasks) taken(ctx context.Context, store *task.Store, ordered protocol.Task, opened error) (protocol.Task, error) {
	wait, cancel := context.WithTimeout(ctx, protocol.TaskTakeTimeout)
	defer cancel()
	for page, err := range store.Follow(wait, ordered.ID, 0) {
		switch {
		case err != nil:
			return protocol.Task{}, err
		case page.Head.State == protocol.TaskFailed && page.Head.Steps == 0 && page.Head.Error != nil:
			return protocol.Task{}, page.Head.Error // the panel reports why it cannot run it
		case page.Head.State != protocol.TaskIdle:
			return page.Head, nil
		}
	}
	return protocol.Task{}, untaken(ctx, store, ordered, opened)
}

// untaken ends a task that nothing took, and returns why.
func untaken(ctx context.Context, store *task.Store, ordered protocol.Task, opened error) error {
	why := protocol.NewError(protocol.CodeNotRunning, fmt.Sprintf("no panel took the task on tab %s", ordered.Tab), "try again, or open the side panel beside that tab")
	if e := protocol.AsError(opened); e != nil {
		why.Message, why.Hint = why.Message+": "+e.Message, cmp.Or(e.Hint, why.Hint)
	}
	if errors.Is(ctx.Err(), context.Canceled) {
		why = protocol.NewError(protocol.CodeTimeout, "the program that asked for the task disconnected before a panel took it", "")
	}
	store.End(ordered.ID, protocol.TaskFailed, why)
	return why
}

// orderLiving sends the panel that runs a task an order about it.
func (t *Tasks) orderLiving(order string, id protocol.TaskID) error {
	store, head, err := t.find(id)
	if err != nil {
		return err
	}
	if !store.Held(id) {
		return protocol.NewError(protocol.CodeNotRunning, "no panel runs this task", "continue it in the panel")
	}
	t.cfg.Events.Publish(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: order, Task: head})
	return nil
}

// Stop asks the panel that runs a task to stop it, and returns when it has. A
// task that has ended stays unchanged.
func (t *Tasks) Stop(ctx context.Context, grant auth.Grant, id protocol.TaskID) (protocol.Task, error) {
	store, head, err := t.find(id)
	if err != nil {
		return protocol.Task{}, err
	}
	if err := seen(grant, head); err != nil {
		return protocol.Task{}, err
	}
	if !store.Held(id) {
		store.End(id, protocol.TaskStopped, nil)
		return store.Head(id)
	}
	t.cfg.Events.Publish(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: "stop", Task: head})
	ctx, cancel := context.WithTimeout(ctx, protocol.TaskTakeTimeout)
	defer cancel()
	for page, err := range store.Follow(ctx, id, head.Index) {
		if err != nil {
			return protocol.Task{}, err
		}
		head = page.Head
	}
	if ctx.Err() != nil {
		return head, protocol.NewError(protocol.CodeTimeout, "the panel did not stop the task in time", "stop it in the panel")
	}
	return head, nil
}

// Tell passes on to the panel that runs a task, or to the task page, what the user wants of it
// in another panel.
func (t *Tasks) Tell(req protocol.TaskOrderRequest) error {
	store, head, err := t.find(req.Task)
	if err != nil {
		return err
	}
	switch req.Order {
	case protocol.TaskOrderPause, protocol.TaskOrderTakeOver, protocol.TaskOrderGoOn, protocol.TaskOrderSay:
	default:
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("a task has no order %.40q", req.Order), "use pause, take_over, go_on or say")
	}
	if !store.Held(req.Task) {
		return protocol.NewError(protocol.CodeNotRunning, "the task does not run", "resume it first")
	}
	t.cfg.Events.Publish(protocol.TaskOrderEvent{Type: protocol.PanelTaskOrder, Order: req.Order, Task: head, Text: req.Text})
	return nil
}

// newUUID returns a random UUID (RFC 9562, version 4).
func newUUID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: crypto/rand ends the program instead
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

func unknownTab(tab protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, fmt.Sprintf("there is no tab %q", tab), "", protocol.Try("lists them", "tabs"))
}
