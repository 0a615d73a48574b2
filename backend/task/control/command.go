package control

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
	"pilotfish/backend/task/view"
)

// Write records an event from the panel that runs a task.
func (t *Tasks) Write(ctx context.Context, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.TaskWriteReply{}, err
	}
	// The screenshot is requested before the event is written, because the next
	// action waits for it.
	if req.Picture != nil {
		if _, err := store.Holds(req.Task, req.Viewer); err == nil {
			t.shoot(req.Task, *req.Picture)
		}
	}
	reply, err := store.Write(req)
	if err != nil {
		return reply, err
	}
	t.pages.Wrote(req)
	if n, goal := task.Step(req); n > 0 {
		t.cfg.Events.Report(Stepped{reply.Head, n, goal})
	}
	if r, runErr := t.cfg.Running(); runErr == nil && reply.Head.State == protocol.TaskRunning {
		reply.Did = t.pages.Did(ctx, r.Browser, req.Task)
	}
	return reply, nil
}

// Command writes the pending events of a task, and then runs one command for
// it. The task may act on the tab that it was started on, on those that the
// user let it use, and on those that it opened. A failed write is the returned
// error; the result of the command is in the reply.
func (t *Tasks) Command(ctx context.Context, req protocol.TaskCommandRequest) (reply protocol.TaskCommandReply, err error) {
	for _, one := range req.Writes {
		if one.Task != req.Task {
			return reply, protocol.NewError(protocol.CodeBadArgument, "the events belong to another task", "")
		}
		written, err := t.Write(ctx, one)
		if err != nil {
			return reply, err
		}
		written.Did = join(reply.Written, written.Did)
		reply.Written = &written
	}
	reply.CommandReply = t.command(ctx, req)
	return reply, nil
}

// join combines the descriptions of the user's actions from several writes.
func join(before *protocol.TaskWriteReply, did string) string {
	if before == nil || before.Did == "" {
		return did
	}
	return strings.Trim(before.Did+"; "+did, "; ")
}

// actorOf returns a task as the actor of what it does.
func actorOf(head protocol.Task) protocol.Actor {
	return protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: "task “" + head.Title + "”", Title: head.Title}
}

// command runs one command for a task.
func (t *Tasks) command(ctx context.Context, req protocol.TaskCommandRequest) protocol.CommandReply {
	store, err := t.opened()
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	head, err := store.Holds(req.Task, req.Viewer)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	actor := actorOf(head)
	t.pages.At(head.ID, cmp.Or(req.Command.Tab, head.Tab))
	return t.record(actor, req.Command, func(watch command.Watch) protocol.CommandReply {
		r, err := t.cfg.Running()
		if err == nil {
			err = r.Ready(ctx, req.Command.TimeoutMS)
		}
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		for _, tab := range head.Tabs {
			r.Policy.Opened(actor, tab)
		}
		t.begins(r.Policy, actor, head)
		reply := r.Commands.Execute(ctx, command.Call{
			Actor: actor, Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}, Tab: head.Tab, Request: req.Command, ByPage: req.ByPage, Watch: watch,
		})
		t.joinTabs(store, r.Policy, actor, head)
		return reply
	})
}

// joinTabs adds the tabs that a task's command or its pages opened to the
// task's own tabs.
func (t *Tasks) joinTabs(store *task.Store, p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	tabs := t.cfg.Tabs.All()
	for _, tab := range tabs {
		if slices.Contains(head.Tabs, tab.ID) || p.Tab(actor, head.Tab, tab.ID, tabs) != nil {
			continue
		}
		if _, err := store.UseTab(head.ID, tab.ID, false); err != nil {
			t.log.Warn("a tab could not join its task", "task", head.ID, "tab", tab.ID, "error", err)
		}
	}
}

// Tab lets a task use a tab, or no longer use it.
func (t *Tasks) Tab(req protocol.TaskTabRequest) (protocol.Task, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.Task{}, err
	}
	if !req.Remove && !t.open(req.Tab) {
		return protocol.Task{}, unknownTab(req.Tab)
	}
	head, err := store.UseTab(req.Task, req.Tab, req.Remove)
	if r, runErr := t.cfg.Running(); err == nil && runErr == nil {
		actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(req.Task)}
		if req.Remove {
			r.Policy.Forget(actor)
			r.LetGo(command.CallerName(actor))
		}
		// A user who gives a tab to a task also lets it enter data on the
		// site that the tab shows.
		for _, tab := range t.cfg.Tabs.All() {
			if tab.ID == req.Tab && !req.Remove {
				r.Policy.Learn(actor, tab.URL)
			}
		}
	}
	return head, err
}

// ended removes the permissions and held keys of a task that has ended, and
// withdraws its questions.
func (t *Tasks) ended(head protocol.Task) {
	if view.Working(head.State) || head.State == protocol.TaskIdle {
		return
	}
	t.host.ended(head)
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID)}
	t.cfg.Broker.Gone(actor)
	if r, err := t.cfg.Running(); err == nil {
		r.Policy.Over(actor)
		r.Tools.Over(actor)
		r.LetGo(command.CallerName(actor))
	}
}

// begins tells the policy which pages a task begins on: it may enter data
// there.
func (t *Tasks) begins(p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	var pages []string
	for _, tab := range t.cfg.Tabs.All() {
		if slices.Contains(head.Tabs, tab.ID) {
			pages = append(pages, tab.URL)
		}
	}
	p.Begin(actor, head.Goal, pages...)
}
