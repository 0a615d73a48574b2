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

// Write takes in what the panel that runs a task says of it.
func (t *Tasks) Write(ctx context.Context, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
	store, err := t.opened()
	if err != nil {
		return protocol.TaskWriteReply{}, err
	}
	// Before it is written: the next action waits for the picture.
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
	if r, runErr := t.cfg.Running(); runErr == nil && reply.Head.State == protocol.TaskRunning {
		reply.Did = t.pages.Did(ctx, r.Browser, req.Task)
	}
	return reply, nil
}

// Command writes what the task has to be written, and runs one command for
// it. The task acts on the tab that it was started on, those that a person let it
// use, and those that it opened. What cannot be written is the error; what became
// of the command is in the reply.
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

// join is all that the person did, where several writes asked.
func join(before *protocol.TaskWriteReply, did string) string {
	if before == nil || before.Did == "" {
		return did
	}
	return strings.Trim(before.Did+"; "+did, "; ")
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
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID), Name: "task “" + head.Title + "”", Title: head.Title}
	t.pages.At(head.ID, cmp.Or(req.Command.Tab, head.Tab))
	return t.cfg.Record(actor, req.Command, func(watch command.Watch) protocol.CommandReply {
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

// joinTabs lets the tabs that a task's command or its pages opened join the
// task's own.
func (t *Tasks) joinTabs(store *task.Store, p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	tabs := t.cfg.Tabs()
	for _, tab := range tabs {
		if slices.Contains(head.Tabs, tab.ID) || p.Tab(actor, head.Tab, tab.ID, tabs) != nil {
			continue
		}
		if _, err := store.UseTab(head.ID, tab.ID, false); err != nil {
			t.log.Warn("a tab could not join its task", "task", head.ID, "tab", tab.ID, "error", err)
		}
	}
}

// Tab lets a task use a tab, or takes one from it.
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
		// Who gives it a tab means the page that it shows.
		for _, tab := range t.cfg.Tabs() {
			if tab.ID == req.Tab && !req.Remove {
				r.Policy.Learn(actor, tab.URL)
			}
		}
	}
	return head, err
}

// ended takes from a task what it was given for as long as it goes on, and
// drops what it asked.
func (t *Tasks) ended(head protocol.Task) {
	if view.Working(head.State) || head.State == protocol.TaskIdle {
		return
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(head.ID)}
	t.cfg.Gone(actor)
	if r, err := t.cfg.Running(); err == nil {
		r.Policy.Over(actor)
		r.LetGo(command.CallerName(actor))
	}
}

// begins names the pages that a task begins on: there it may enter data.
func (t *Tasks) begins(p *policy.Policy, actor protocol.Actor, head protocol.Task) {
	var pages []string
	for _, tab := range t.cfg.Tabs() {
		if slices.Contains(head.Tabs, tab.ID) {
			pages = append(pages, tab.URL)
		}
	}
	p.Begin(actor, head.Goal, pages...)
}
