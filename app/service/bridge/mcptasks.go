package bridge

import (
	"cmp"
	"context"
	"net/url"

	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

func (b *bridge) query() url.Values {
	query := url.Values{}
	if b.session != "" {
		query.Set("session", string(b.session))
	}
	return query
}

// post sends a request to the app. When the app was lost before it accepted the
// request, post finds it again and retries once.
func (b *bridge) post(ctx context.Context, path string, in, out any) error {
	for again := false; ; again = true {
		c, err := b.connected(ctx)
		if err == nil {
			err = c.Post(ctx, path+"?"+b.query().Encode(), in, out)
		}
		if err == nil || again || c == nil || !lost(err) {
			return err
		}
		b.forget(c)
	}
}

// RunTask requests a task from a panel.
func (b *bridge) RunTask(ctx context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	req.Tab = cmp.Or(req.Tab, b.tab)
	var reply protocol.TaskRunReply
	err := b.post(ctx, "/task/run", req, &reply)
	return reply.Task, err
}

// StopTask stops a task.
func (b *bridge) StopTask(ctx context.Context, id protocol.TaskID) (protocol.Task, error) {
	var reply protocol.TaskRunReply
	err := b.post(ctx, "/task/stop", protocol.TaskRequest{Task: id}, &reply)
	return reply.Task, err
}

// TaskList returns the caller's tasks.
func (b *bridge) TaskList(ctx context.Context) ([]protocol.Task, error) {
	var reply protocol.TaskListReply
	err := b.post(ctx, "/task/list", protocol.TaskListRequest{}, &reply)
	return reply.Tasks, err
}

// FollowTask calls report with a task's progress until the task ends.
func (b *bridge) FollowTask(ctx context.Context, id protocol.TaskID, report func(protocol.Task, []string)) (protocol.Task, error) {
	c, err := b.connected(ctx)
	if err != nil {
		return protocol.Task{}, err
	}
	var teller task.Teller
	var head protocol.Task
	err = c.FollowTask(ctx, id, 0, b.query(), func(page protocol.TaskPage) error {
		head = page.Head
		report(head, teller.Lines(page))
		return nil
	})
	if err != nil && ctx.Err() != nil && head.ID != "" {
		err = nil // only the caller's wait has ended, not the task
	}
	return head, err
}
