package control

import (
	"context"
	"iter"

	"pilotfish/backend/auth"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what callers do with the tasks of a session, which find returns. An agent
// sees only the tasks that it started. Only the panel writes a task's journal and carries
// its commands out.
func Operations(find func(protocol.SessionName) (*Tasks, error)) []op.Operation {
	anybody := func(path, about string) op.Route {
		return op.Route{Path: "/task/" + path, Capability: auth.CapabilityTask, About: about}
	}
	panel := func(path, about string) op.Route {
		return op.Route{Path: "/task/" + path, Capability: auth.CapabilityTaskRun, Panel: true, About: about}
	}
	type run = protocol.TaskRunReply
	stream := anybody("stream", "The progress of a task: `task` has its head and its new events. It ends with the task.")
	stream.Get = true
	return []op.Operation{
		op.Of(find, "RunTask", func(ctx context.Context, t *Tasks, call op.Call, req protocol.TaskRunRequest) (run, error) {
			task, err := t.Run(ctx, call.Grant, req)
			return run{Task: task}, err
		}).At(anybody("run", "Ask for a task; the reply comes when the panel beside its tab, or the task page, has taken it.")),
		op.Of(find, "StopTask", func(ctx context.Context, t *Tasks, call op.Call, req protocol.TaskRequest) (run, error) {
			task, err := t.Stop(ctx, call.Grant, req.Task)
			return run{Task: task}, err
		}).At(anybody("stop", "Stop a task; it ends within one action.")),
		// The user takes a task's tab over, on the control page, and gives it back.
		op.On(find, "TakeOverTask", func(t *Tasks, _ context.Context, req protocol.TaskRequest) (op.None, error) {
			return op.None{}, t.orderLiving(protocol.TaskOrderTakeOver, req.Task)
		}),
		op.On(find, "HandBackTask", func(t *Tasks, _ context.Context, req protocol.TaskRequest) (op.None, error) {
			return op.None{}, t.orderLiving(protocol.TaskOrderGoOn, req.Task)
		}),
		op.Of(find, "ReadTask", func(_ context.Context, t *Tasks, call op.Call, req protocol.TaskRequest) (protocol.TaskPage, error) {
			return t.Read(call.Grant, req.Task, req.After)
		}).At(anybody("get", "A task and its events after an index.")),
		op.Of(find, "Tasks", func(_ context.Context, t *Tasks, call op.Call, req protocol.TaskListRequest) (protocol.TaskListReply, error) {
			return t.List(call.Grant, req)
		}).At(anybody("list", "The tasks, newest first, and where in each a text was found.")),
		op.Of(find, "Routines", func(_ context.Context, t *Tasks, _ op.Call, _ op.None) (protocol.TaskRoutinesReply, error) {
			list, err := t.Routines()
			return protocol.TaskRoutinesReply{Routines: list}, err
		}).At(anybody("routines", "The saved routines.")),
		op.Streamed("FollowTask", func(ctx context.Context, call op.Call, req protocol.TaskRequest) (iter.Seq2[protocol.TaskPage, error], error) {
			t, err := find(call.Session)
			if err != nil {
				return nil, err
			}
			pages, err := t.Follow(ctx, call.Grant, req.Task, req.After)
			if err == nil && req.Answers && call.Grant.Kind == auth.KindCLI {
				pages = t.answerable(req.Task, pages)
			}
			return pages, err
		}, event).At(stream),

		op.On(find, "WriteTask", (*Tasks).Write).At(panel("write", "The panel that runs a task writes what happens in it.")),
		op.Of(find, "TellTask", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskOrderRequest) (op.None, error) {
			return op.None{}, t.Tell(req)
		}).At(panel("order", "Tell the panel that runs a task, or the task page, what the user wants of it in another panel.")),
		op.On(find, "RunTaskCommand", limited((*Tasks).Command)).At(panel("command", "Run one command for a task, on one of its tabs; what is to be written is written first.")),
		op.On(find, "PlanSteps", limited((*Tasks).Plain)).At(panel("plain", "The steps of plain instructions, for a task without a model.")),
		op.On(find, "TaskTools", (*Tasks).Tools).At(panel("tools", "The user's MCP servers that a task may use, with their tools; without a task their names only.")),
		op.On(find, "UseTaskTool", (*Tasks).Tool).At(panel("tool", "Use a tool of one of the user's MCP servers for a task; the user is asked first.")),
		op.Of(find, "SetTaskTab", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskTabRequest) (run, error) {
			task, err := t.Tab(req)
			return run{Task: task}, err
		}).At(panel("tab", "Let a task use a tab, or take one from it.")),
		op.Of(find, "TaskPicture", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskScreenshotRequest) (protocol.ChatAttachment, error) {
			return t.Picture(req)
		}).At(panel("picture", "The screenshot of a task's step.")),
		op.Of(find, "DeleteTask", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskRequest) (op.None, error) {
			return op.None{}, t.Delete(req.Task)
		}).At(panel("delete", "Delete a task that is not running.")),
		op.Of(find, "DismissTask", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskRequest) (run, error) {
			task, err := t.Dismiss(req.Task)
			return run{Task: task}, err
		}).At(panel("close", "Dismiss a failed task: it stays in the history.")),
		op.Of(find, "SaveRoutine", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskRoutineRequest) (protocol.TaskRoutinesReply, error) {
			list, err := t.SaveRoutine(req.Routine)
			return protocol.TaskRoutinesReply{Routines: list}, err
		}).At(panel("save-routine", "Save a routine.")),
		op.Of(find, "DeleteRoutine", func(_ context.Context, t *Tasks, _ op.Call, req protocol.TaskRoutineRequest) (protocol.TaskRoutinesReply, error) {
			list, err := t.DeleteRoutine(req.Routine.Name)
			return protocol.TaskRoutinesReply{Routines: list}, err
		}).At(panel("delete-routine", "Delete a routine.")),
	}
}

// limited gives an operation the time that a command may take.
func limited[In, Out any](do func(*Tasks, context.Context, In) (Out, error)) func(*Tasks, context.Context, In) (Out, error) {
	return func(t *Tasks, ctx context.Context, in In) (Out, error) {
		ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
		defer cancel()
		return do(t, ctx, in)
	}
}

// event returns a page of a task as an event of a stream.
func event(page protocol.TaskPage) op.Event {
	last := page.Head.Index
	if n := len(page.Events); n > 0 {
		last = page.Events[n-1].Index
	}
	return op.Event{ID: last, Name: "task", Data: page}
}
