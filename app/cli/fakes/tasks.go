package fakes

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"pilotfish/backend/protocol"
)

// tasks adds the routes of tasks. A task's goal is also its id, and says how the
// task ends: done, failed, stopped, lost (its app ends), asks (and is done) or hangs.
func (b *Backend) tasks(routes *http.ServeMux) {
	routes.Handle("POST /task/run", b.route(func(_ context.Context, body []byte) (any, error) {
		var req protocol.TaskRunRequest
		if err := json.Unmarshal(body, &req); err != nil {
			return nil, err
		}
		if req.Tab == "t9" {
			return nil, protocol.NewError(protocol.CodeUnknownTab, "there is no tab t9", "", protocol.Try("lists them", "tabs"))
		}
		return protocol.TaskRunReply{Task: aTask(req.Goal, protocol.TaskRunning)}, nil
	}))
	one := func(state protocol.TaskState) http.Handler {
		return b.route(func(_ context.Context, body []byte) (any, error) {
			var req protocol.TaskRequest
			if err := json.Unmarshal(body, &req); err != nil {
				return nil, err
			}
			if req.Task == "nobody" {
				return nil, protocol.NewError(protocol.CodeUnknownTask, "there is no task \"nobody\"", "", protocol.Try("lists them", "task", "list"))
			}
			task := aTask(string(req.Task), state)
			return struct {
				protocol.TaskRunReply
				protocol.TaskPage
			}{protocol.TaskRunReply{Task: task}, protocol.TaskPage{Head: task, Events: taskEvents()}}, nil
		})
	}
	routes.Handle("POST /task/stop", one(protocol.TaskStopped))
	routes.Handle("POST /task/get", one(protocol.TaskDone))
	routes.Handle("POST /task/list", b.route(func(context.Context, []byte) (any, error) {
		return protocol.TaskListReply{Tasks: []protocol.Task{aTask("done", protocol.TaskDone), aTask("hangs", protocol.TaskWaiting)}}, nil
	}))
	routes.Handle("POST /task/answer", b.route(func(context.Context, []byte) (any, error) { return struct{}{}, nil }))
	routes.Handle("POST /task/routines", b.route(func(context.Context, []byte) (any, error) {
		return protocol.TaskRoutinesReply{Routines: []protocol.TaskRoutine{{Name: "weather", Goal: "weather in ${city}", Params: []string{"city"}}}}, nil
	}))
	routes.HandleFunc("GET /task/stream", b.taskStream)
}

func aTask(goal string, state protocol.TaskState) protocol.Task {
	at := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	task := protocol.Task{ID: protocol.TaskID(goal), Title: goal, Goal: goal, Tab: "t3", Tabs: []protocol.TabID{"t3"}, State: state, Steps: 1, MaxStep: 40, Tokens: 12, Created: at, Updated: at, Index: 3}
	switch state {
	case protocol.TaskDone:
		task.Summary = "Saved."
	case protocol.TaskFailed:
		task.Summary, task.Error = "The model refuses the key.", protocol.NewError(protocol.CodeUnauthorized, "The model refuses the key.", "enter it again")
	case protocol.TaskIdle, protocol.TaskRunning, protocol.TaskWaiting, protocol.TaskPaused, protocol.TaskStopped, protocol.TaskInterrupted:
	}
	return task
}

func taskEvents() []protocol.TaskEvent {
	return []protocol.TaskEvent{
		{Index: 1, Kind: protocol.TaskEventStep, Data: json.RawMessage(`{"n":1,"url":"","thought":{"goal":"Press Save"},"deeds":[]}`)},
		{Index: 2, Kind: protocol.TaskEventNotice, Data: json.RawMessage(`{"question":"Which one?"}`)},
		{Index: 3, Kind: protocol.TaskEventStep, Data: json.RawMessage(`{"n":1,"url":"http://a.test/","thought":{"goal":"Press Save"},"deeds":[{"action":{"do":"click"},"target":"btn Save","result":{"ok":true,"text":"clicked"}}]}`)},
	}
}

// taskStream sends a task's events one by one, then its end.
func (b *Backend) taskStream(w http.ResponseWriter, r *http.Request) {
	goal := r.URL.Query().Get("task")
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = fmt.Fprint(w, ": a task\n\n")
	tell := func(page protocol.TaskPage) {
		data, _ := json.Marshal(page)
		_, _ = fmt.Fprintf(w, "id: %d\nevent: task\ndata: %s\n\n", page.Head.Index, data)
		_ = http.NewResponseController(w).Flush()
	}
	for _, e := range taskEvents() {
		tell(protocol.TaskPage{Head: aTask(goal, protocol.TaskRunning), Events: []protocol.TaskEvent{e}})
	}
	if goal == "asks" {
		waits := aTask(goal, protocol.TaskWaiting)
		waits.Question = &protocol.TaskQuestion{Index: 3, Text: "Which one?", Choices: []protocol.TaskChoice{{Say: "1. “Save”", Where: "Cart"}, {Say: "Skip this step"}}}
		tell(protocol.TaskPage{Head: waits, Events: []protocol.TaskEvent{}})
		goal = "done"
	}
	ends := map[string]protocol.TaskState{"done": protocol.TaskDone, "failed": protocol.TaskFailed, "stopped": protocol.TaskStopped}
	switch state, ok := ends[goal]; {
	case ok:
		tell(protocol.TaskPage{Head: aTask(goal, state), Events: []protocol.TaskEvent{}})
	case goal == "hangs":
		<-r.Context().Done()
	}
}
