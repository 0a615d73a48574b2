package bridge

import (
	"context"
	"net/url"

	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// bridgedTasks are the tasks of MCP, in the app.
type bridgedTasks struct {
	bridge  *bridge
	tab     protocol.TabID // of a task that names none
	session protocol.SessionName
}

func (b *bridgedTasks) query() url.Values {
	query := url.Values{}
	if b.session != "" {
		query.Set("session", string(b.session))
	}
	return query
}

// post asks the app, and once more when it has another address by now. What was
// asked for was not taken then.
func (b *bridgedTasks) post(ctx context.Context, path string, in, out any) error {
	for again := false; ; again = true {
		c, err := b.bridge.connected(ctx)
		if err == nil {
			err = c.Post(ctx, path+"?"+b.query().Encode(), in, out)
		}
		if err == nil || again || c == nil || !lost(err) {
			return err
		}
		b.bridge.forget(c)
	}
}

// RunTask asks a panel for a task.
func (b *bridgedTasks) RunTask(ctx context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	if req.Tab == "" {
		req.Tab = b.tab
	}
	var reply protocol.TaskRunReply
	err := b.post(ctx, "/task/run", req, &reply)
	return reply.Task, err
}

// StopTask stops one.
func (b *bridgedTasks) StopTask(ctx context.Context, id protocol.TaskID) (protocol.Task, error) {
	var reply protocol.TaskRunReply
	err := b.post(ctx, "/task/stop", protocol.TaskRequest{Task: id}, &reply)
	return reply.Task, err
}

// TaskList gives the caller's.
func (b *bridgedTasks) TaskList(ctx context.Context) ([]protocol.Task, error) {
	var reply protocol.TaskListReply
	err := b.post(ctx, "/task/list", protocol.TaskListRequest{}, &reply)
	return reply.Tasks, err
}

// FollowTask tells how a task goes until its end.
func (b *bridgedTasks) FollowTask(ctx context.Context, id protocol.TaskID, told func(protocol.Task, []string)) (protocol.Task, error) {
	c, err := b.bridge.connected(ctx)
	if err != nil {
		return protocol.Task{}, err
	}
	var teller task.Teller
	var head protocol.Task
	err = c.FollowTask(ctx, id, 0, b.query(), func(page protocol.TaskPage) error {
		head = page.Head
		told(head, teller.Lines(page))
		return nil
	})
	if err != nil && ctx.Err() != nil && head.ID != "" {
		err = nil // the caller's patience ended, not the task
	}
	return head, err
}
