package control

import (
	"context"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task"
)

// Caller is what the holder of a token may do with tasks, as MCP offers it.
type Caller struct {
	// Find gives the tasks of the caller's session.
	Find  func() (*Tasks, error)
	Grant auth.Grant
}

// RunTask asks a panel for a task.
func (c Caller) RunTask(ctx context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	tasks, err := c.Find()
	if err != nil {
		return protocol.Task{}, err
	}
	return tasks.Run(ctx, c.Grant, req)
}

// StopTask stops one.
func (c Caller) StopTask(ctx context.Context, id protocol.TaskID) (protocol.Task, error) {
	tasks, err := c.Find()
	if err != nil {
		return protocol.Task{}, err
	}
	return tasks.Stop(ctx, c.Grant, id)
}

// TaskList gives the caller's.
func (c Caller) TaskList(context.Context) ([]protocol.Task, error) {
	tasks, err := c.Find()
	if err != nil {
		return nil, err
	}
	reply, err := tasks.List(c.Grant, protocol.TaskListRequest{})
	return reply.Tasks, err
}

// FollowTask tells how a task goes until its end. One whose panel is gone is
// waited for a little: it may only have lost its connection.
func (c Caller) FollowTask(ctx context.Context, id protocol.TaskID, told func(protocol.Task, []string)) (protocol.Task, error) {
	tasks, err := c.Find()
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
		told(head, teller.Lines(page))
	}
	return head, nil
}
