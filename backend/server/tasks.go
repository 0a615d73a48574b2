package server

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// Tasks is what the routes below /task do. Each call carries the grant of its
// caller; an agent sees only the tasks that it started.
type Tasks interface {
	Run(ctx context.Context, grant auth.Grant, req protocol.TaskRunRequest) (protocol.Task, error)
	Stop(ctx context.Context, grant auth.Grant, id protocol.TaskID) (protocol.Task, error)
	Read(grant auth.Grant, id protocol.TaskID, after uint64) (protocol.TaskPage, error)
	List(grant auth.Grant, req protocol.TaskListRequest) (protocol.TaskListReply, error)
	// Follow returns a task's pages from an index on until the task has ended.
	Follow(ctx context.Context, grant auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error)
	Routines() ([]protocol.TaskRoutine, error)

	// Only the panel may call the following.
	Write(ctx context.Context, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error)
	Command(ctx context.Context, req protocol.TaskCommandRequest) (protocol.TaskCommandReply, error)
	Plain(ctx context.Context, req protocol.TaskPlainRequest) (protocol.TaskPlainReply, error)
	Tools(ctx context.Context, req protocol.TaskToolsRequest) (protocol.TaskToolsReply, error)
	Tool(ctx context.Context, req protocol.TaskToolRequest) (protocol.TaskToolReply, error)
	Tab(req protocol.TaskTabRequest) (protocol.Task, error)
	Delete(id protocol.TaskID) error
	Dismiss(id protocol.TaskID) (protocol.Task, error)
	Picture(req protocol.TaskScreenshotRequest) (protocol.ChatAttachment, error)
	SaveRoutine(routine protocol.TaskRoutine) ([]protocol.TaskRoutine, error)
	DeleteRoutine(name string) ([]protocol.TaskRoutine, error)
}

// taskRoutes are the routes below /task.
func (s *Server) taskRoutes() []route {
	anybody := func(path string, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		doc.query = []string{"session"}
		return route{method: http.MethodPost, path: path, capability: auth.CapabilityTask, origin: originNoPage, body: protocol.MaxBody, handle: inSession(handle), doc: doc}
	}
	panel := func(path string, handle func(http.ResponseWriter, *http.Request, call) error, doc routeDoc) route {
		return route{method: http.MethodPost, path: path, capability: auth.CapabilityTaskRun, origin: originExtension, body: protocol.MaxBody, handle: handle, doc: doc}
	}
	return []route{
		anybody("/task/run", tasked(s, func(ctx context.Context, t Tasks, g auth.Grant, req protocol.TaskRunRequest) (protocol.TaskRunReply, error) {
			task, err := t.Run(ctx, g, req)
			return protocol.TaskRunReply{Task: task}, err
		}), routeDoc{about: "Ask the panel for a task; the reply comes when a panel has taken it.", in: protocol.TaskRunRequest{}, out: protocol.TaskRunReply{}}),
		anybody("/task/stop", tasked(s, func(ctx context.Context, t Tasks, g auth.Grant, req protocol.TaskRequest) (protocol.TaskRunReply, error) {
			task, err := t.Stop(ctx, g, req.Task)
			return protocol.TaskRunReply{Task: task}, err
		}), routeDoc{about: "Stop a task; it ends within one action.", in: protocol.TaskRequest{}, out: protocol.TaskRunReply{}}),
		anybody("/task/get", tasked(s, func(_ context.Context, t Tasks, g auth.Grant, req protocol.TaskRequest) (protocol.TaskPage, error) {
			return t.Read(g, req.Task, req.After)
		}), routeDoc{about: "A task and its events after an index.", in: protocol.TaskRequest{}, out: protocol.TaskPage{}}),
		anybody("/task/list", tasked(s, func(_ context.Context, t Tasks, g auth.Grant, req protocol.TaskListRequest) (protocol.TaskListReply, error) {
			return t.List(g, req)
		}), routeDoc{about: "The tasks, newest first, and where in each a text was found.", in: protocol.TaskListRequest{}, out: protocol.TaskListReply{}}),
		anybody("/task/routines", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, _ struct{}) (protocol.TaskRoutinesReply, error) {
			list, err := t.Routines()
			return protocol.TaskRoutinesReply{Routines: list}, err
		}), routeDoc{about: "The saved routines.", in: struct{}{}, out: protocol.TaskRoutinesReply{}}),
		{
			method: http.MethodGet, path: "/task/stream", capability: auth.CapabilityTask, origin: originNoPage, handle: inSession(s.taskStream),
			doc: routeDoc{about: "The progress of a task: `task` has its head and its new events. It ends with the task.", query: []string{"task", "after", "session"}, stream: protocol.TaskPage{}},
		},

		panel("/task/write", tasked(s, func(ctx context.Context, t Tasks, _ auth.Grant, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
			return t.Write(ctx, req)
		}), routeDoc{about: "The panel that runs a task writes what happens in it.", in: protocol.TaskWriteRequest{}, out: protocol.TaskWriteReply{}}),
		panel("/task/command", tasked(s, func(ctx context.Context, t Tasks, _ auth.Grant, req protocol.TaskCommandRequest) (protocol.TaskCommandReply, error) {
			ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
			defer cancel()
			return t.Command(ctx, req)
		}), routeDoc{about: "Run one command for a task, on one of its tabs; what is to be written is written first.", in: protocol.TaskCommandRequest{}, out: protocol.TaskCommandReply{}}),
		panel("/task/plain", tasked(s, func(ctx context.Context, t Tasks, _ auth.Grant, req protocol.TaskPlainRequest) (protocol.TaskPlainReply, error) {
			ctx, cancel := context.WithTimeout(ctx, protocol.MaxCommandTimeout)
			defer cancel()
			return t.Plain(ctx, req)
		}), routeDoc{about: "The steps of plain instructions, for a task without a model.", in: protocol.TaskPlainRequest{}, out: protocol.TaskPlainReply{}}),
		panel("/task/tools", tasked(s, func(ctx context.Context, t Tasks, _ auth.Grant, req protocol.TaskToolsRequest) (protocol.TaskToolsReply, error) {
			return t.Tools(ctx, req)
		}), routeDoc{about: "The user's MCP servers that a task may use, with their tools; without a task their names only.", in: protocol.TaskToolsRequest{}, out: protocol.TaskToolsReply{}}),
		panel("/task/tool", tasked(s, func(ctx context.Context, t Tasks, _ auth.Grant, req protocol.TaskToolRequest) (protocol.TaskToolReply, error) {
			return t.Tool(ctx, req)
		}), routeDoc{about: "Use a tool of one of the user's MCP servers for a task; the user is asked first.", in: protocol.TaskToolRequest{}, out: protocol.TaskToolReply{}}),
		panel("/task/tab", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskTabRequest) (protocol.TaskRunReply, error) {
			task, err := t.Tab(req)
			return protocol.TaskRunReply{Task: task}, err
		}), routeDoc{about: "Let a task use a tab, or take one from it.", in: protocol.TaskTabRequest{}, out: protocol.TaskRunReply{}}),
		panel("/task/file", s.fileData, routeDoc{about: "An image that a task's command made, as data.", in: protocol.FileRequest{}, out: protocol.ChatAttachment{}}),
		panel("/task/picture", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskScreenshotRequest) (protocol.ChatAttachment, error) {
			return t.Picture(req)
		}), routeDoc{about: "The screenshot of a task's step.", in: protocol.TaskScreenshotRequest{}, out: protocol.ChatAttachment{}}),
		panel("/task/delete", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskRequest) (struct{}, error) {
			return struct{}{}, t.Delete(req.Task)
		}), routeDoc{about: "Delete a task that is not running.", in: protocol.TaskRequest{}, out: struct{}{}}),
		panel("/task/close", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskRequest) (protocol.TaskRunReply, error) {
			task, err := t.Dismiss(req.Task)
			return protocol.TaskRunReply{Task: task}, err
		}), routeDoc{about: "Dismiss a failed task: it stays in the history.", in: protocol.TaskRequest{}, out: protocol.TaskRunReply{}}),
		panel("/task/save-routine", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskRoutineRequest) (protocol.TaskRoutinesReply, error) {
			list, err := t.SaveRoutine(req.Routine)
			return protocol.TaskRoutinesReply{Routines: list}, err
		}), routeDoc{about: "Save a routine.", in: protocol.TaskRoutineRequest{}, out: protocol.TaskRoutinesReply{}}),
		panel("/task/delete-routine", tasked(s, func(_ context.Context, t Tasks, _ auth.Grant, req protocol.TaskRoutineRequest) (protocol.TaskRoutinesReply, error) {
			list, err := t.DeleteRoutine(req.Routine.Name)
			return protocol.TaskRoutinesReply{Routines: list}, err
		}), routeDoc{about: "Delete a routine.", in: protocol.TaskRoutineRequest{}, out: protocol.TaskRoutinesReply{}}),
	}
}

// tasked makes a route's handler from a function on the tasks of a session.
func tasked[In, Out any](s *Server, do func(ctx context.Context, tasks Tasks, grant auth.Grant, in In) (Out, error)) func(http.ResponseWriter, *http.Request, call) error {
	return handled(func(ctx context.Context, grant auth.Grant, in In) (out Out, err error) {
		tasks, err := s.tasks(grant)
		if err != nil {
			return out, err
		}
		return do(ctx, tasks, grant, in)
	})
}

// inSession lets a caller whose token is not bound to a session name one in the
// query.
func inSession(handle func(http.ResponseWriter, *http.Request, call) error) func(http.ResponseWriter, *http.Request, call) error {
	return func(w http.ResponseWriter, r *http.Request, c call) error {
		grant, err := chooseSession(c.grant, r)
		if err != nil {
			return err
		}
		c.grant = grant
		return handle(w, r, c)
	}
}

// taskStream sends a task as server-sent events until the task has ended.
func (s *Server) taskStream(w http.ResponseWriter, r *http.Request, c call) error {
	after, _, err := position(r)
	if err != nil {
		return err
	}
	ctx, release := s.lasting(r, c)
	defer release()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tasks, err := s.tasks(c.grant)
	if err != nil {
		return err
	}
	pages, err := tasks.Follow(ctx, c.grant, protocol.TaskID(r.URL.Query().Get("task")), after)
	if err != nil {
		return err
	}
	streamEvents(ctx, cancel, w, "a task", pages, taskEvent)
	return nil
}

// taskEvent formats a page as a server-sent event. Its id is where a client
// continues.
func taskEvent(page protocol.TaskPage) string {
	last := page.Head.Index
	if n := len(page.Events); n > 0 {
		last = page.Events[n-1].Index
	}
	b, err := json.Marshal(page)
	if err != nil {
		b = []byte("{}") // cannot happen: the data was valid JSON when it came in
	}
	return fmt.Sprintf("id: %d\nevent: task\ndata: %s\n\n", last, b)
}
