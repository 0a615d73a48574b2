package control

import (
	"context"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// Caller is the access of a token's holder to tasks, as MCP offers it.
type Caller struct {
	// Find returns the tasks of the caller's session.
	Find  func(context.Context) (*Tasks, error)
	Grant auth.Grant
}

// RunTask requests a task from a panel.
func (c Caller) RunTask(ctx context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	tasks, err := c.Find(ctx)
	if err != nil {
		return protocol.Task{}, err
	}
	return tasks.Run(ctx, c.Grant, req)
}

// StopTask stops a task.
func (c Caller) StopTask(ctx context.Context, id protocol.TaskID) (protocol.Task, error) {
	tasks, err := c.Find(ctx)
	if err != nil {
		return protocol.Task{}, err
	}
	return tasks.Stop(ctx, c.Grant, id)
}

// TaskList returns the caller's tasks.
func (c Caller) TaskList(ctx context.Context) ([]protocol.Task, error) {
	tasks, err := c.Find(ctx)
	if err != nil {
		return nil, err
	}
	reply, err := tasks.List(c.Grant, protocol.TaskListRequest{})
	return reply.Tasks, err
}

// FollowTask calls report with the progress of a task until its end. If the
// task's panel has disconnected, it waits for TaskLostWait, because the panel
// may reconnect.
func (c Caller) FollowTask(ctx context.Context, id protocol.TaskID, report func(protocol.Task, []string)) (protocol.Task, error) {
	tasks, err := c.Find(ctx)
	if err != nil {
		return protocol.Task{}, err
	}
	follow, cancel := context.WithCancel(ctx)
	defer cancel()
	pages, err := tasks.Follow(follow, c.Grant, id, 0)
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
		report(head, teller.Lines(page))
	}
	return head, nil
}
