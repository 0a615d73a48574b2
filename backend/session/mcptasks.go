package session

import (
	"context"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// callersTasks are the tasks of MCP for the holder of a token.
type callersTasks struct {
	m     *Manager
	grant auth.Grant
}

// RunTask asks a panel for a task.
func (c callersTasks) RunTask(ctx context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	return c.m.RunTask(ctx, c.grant, req)
}

// StopTask stops one.
func (c callersTasks) StopTask(ctx context.Context, id protocol.TaskID) (protocol.Task, error) {
	return c.m.StopTask(ctx, c.grant, id)
}

// TaskList gives the caller's.
func (c callersTasks) TaskList(ctx context.Context) ([]protocol.Task, error) {
	reply, err := c.m.TaskList(ctx, c.grant, protocol.TaskListRequest{})
	return reply.Tasks, err
}

// FollowTask tells how a task goes until its end. One whose panel is gone is
// waited for a little: it may only have lost its connection.
func (c callersTasks) FollowTask(ctx context.Context, id protocol.TaskID, told func(protocol.Task, []string)) (protocol.Task, error) {
	follow, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, err := c.m.FollowTask(follow, c.grant, id, 0)
	if err != nil {
		return protocol.Task{}, err
	}
	lost := time.AfterFunc(protocol.TaskLostWait, cancel)
	lost.Stop()
	defer lost.Stop()
	var teller task.Teller
	var head protocol.Task
	for page, err := range pages {
		if err != nil {
			return protocol.Task{}, err
		}
		head = page.Head
		if head.State == protocol.TaskInterrupted {
			lost.Reset(protocol.TaskLostWait)
		} else {
			lost.Stop()
		}
		told(head, teller.Lines(page))
	}
	return head, nil
}
