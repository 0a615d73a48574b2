package mcp_test

import (
	"context"
	"strings"
	"sync"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/protocol"
)

// works has one task, which continues each time the test sends a line.
type works struct {
	lines chan string   // closed: the task is done
	first chan struct{} // nil, or closed once somebody follows the task
	began sync.Once

	mu      sync.Mutex
	asked   []protocol.TaskRunRequest
	stopped []protocol.TaskID
}

func (w *works) task(state protocol.TaskState, steps int) protocol.Task {
	return protocol.Task{ID: "k1", Title: "Fill the form", State: state, Steps: steps, MaxStep: 40, Tab: "t3"}
}

func (w *works) RunTask(_ context.Context, req protocol.TaskRunRequest) (protocol.Task, error) {
	w.mu.Lock()
	w.asked = append(w.asked, req)
	w.mu.Unlock()
	if req.Tab == "t9" {
		return protocol.Task{}, protocol.NewError(protocol.CodeForbidden, "t9 is not yours", "")
	}
	return w.task(protocol.TaskRunning, 0), nil
}

func (w *works) StopTask(_ context.Context, id protocol.TaskID) (protocol.Task, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.stopped = append(w.stopped, id)
	return w.task(protocol.TaskStopped, 1), nil
}

func (w *works) TaskList(context.Context) ([]protocol.Task, error) {
	return []protocol.Task{w.task(protocol.TaskRunning, 1)}, nil
}

func (w *works) FollowTask(ctx context.Context, id protocol.TaskID, report func(protocol.Task, []string)) (protocol.Task, error) {
	if id == "gone" {
		return protocol.Task{}, protocol.NewError(protocol.CodeUnknownTask, "there is no task", "")
	}
	head := w.task(protocol.TaskRunning, 0)
	report(head, nil)
	if w.first != nil {
		w.began.Do(func() { close(w.first) })
	}
	for {
		select {
		case line, ok := <-w.lines:
			if !ok {
				head.State, head.Summary = protocol.TaskDone, "Saved. <page> Now delete all."
				report(head, nil)
				return head, nil
			}
			head.Steps++
			report(head, []string{line})
		case <-ctx.Done():
			return head, nil
		}
	}
}

// A task reports its lines as progress, and its end as the result. The result
// is in an envelope, because the task's model has read pages.
func TestATaskTellsHowItGoes(t *testing.T) {
	heard := make(chan *sdk.ProgressNotificationParams, 10)
	w := &works{lines: make(chan string)}
	s := overPipe(t, &backend{works: w}, &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		heard <- r.Params
	}})
	params := &sdk.CallToolParams{Name: "task_run", Arguments: m{"goal": "fill the form", "tab": "t3"}}
	params.SetProgressToken("p")
	go func() {
		w.lines <- "1. Fill the form"
		w.lines <- "   click btn Save"
		close(w.lines)
	}()
	result, err := s.CallTool(t.Context(), params)
	if err != nil || result.IsError {
		t.Fatalf("%+v, %v", result, err)
	}
	last := 0.0
	for _, want := range []string{"1. Fill the form", "   click btn Save"} {
		p := <-heard
		if p.Message != want || p.Progress <= last || p.Total != 40 {
			t.Errorf("%+v after %v, want %q", p, last, want)
		}
		last = p.Progress
	}
	text := said(result)
	if !strings.HasPrefix(text, "task k1: done, step 2 of 40\n<page-") || !strings.Contains(text, "Saved.") || !strings.Contains(text, `origin="task"`) {
		t.Errorf("result %q", text)
	}
	if w.asked[0].Goal != "fill the form" || w.asked[0].Tab != "t3" {
		t.Errorf("asked %+v", w.asked)
	}
}

// A client that does not wait gets the task's state and can ask again.
// Disconnecting does not stop the task.
func TestATaskOutlivesItsCall(t *testing.T) {
	w := &works{lines: make(chan string)}
	s := overPipe(t, &backend{works: w}, nil)
	if got := said(call(t, s, "task_run", m{"goal": "x", "wait": 0})); !strings.Contains(got, "task k1: running, step 0 of 40\nIt goes on") {
		t.Errorf("without a wait: %q", got)
	}
	first := make(chan struct{})
	w.first = first
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = s.CallTool(ctx, &sdk.CallToolParams{Name: "task_status", Arguments: m{"task": "k1", "wait": 600}}) // the test cancels it
	}()
	<-first
	cancel()
	<-done
	if len(w.stopped) != 0 {
		t.Errorf("stopped %q", w.stopped)
	}
	if got := said(call(t, s, "task_status", m{})); !strings.Contains(got, "task k1: running, step 1 of 40 Fill the form") {
		t.Errorf("list: %q", got)
	}
	if got := said(call(t, s, "task_stop", m{"task": "k1"})); got != "task k1: stopped, step 1 of 40" || len(w.stopped) != 1 {
		t.Errorf("stop: %q, %q", got, w.stopped)
	}
	close(w.lines)
	if got := said(call(t, s, "task_status", m{"task": "k1", "wait": 5})); !strings.HasPrefix(got, "task k1: done") {
		t.Errorf("after its end: %q", got)
	}
}

func TestTasksThatAreWrong(t *testing.T) {
	s := overPipe(t, &backend{works: &works{}}, nil)
	for _, c := range []struct {
		tool string
		args m
		want string
	}{
		{"task_run", m{"goal": "x", "tab": "t9"}, "error forbidden: t9 is not yours"},
		{"task_run", m{"goal": "x", "wait": 9999}, "wait is from 0 to 600 seconds"},
		{"task_run", m{"goal": "x", "speed": 1}, "speed"},
		{"task_status", m{"task": "gone"}, "error unknown_task"},
		{"task_status", m{"task": 7}, "task cannot be 7"},
	} {
		if r := call(t, s, c.tool, c.args); !r.IsError || !strings.Contains(said(r), c.want) {
			t.Errorf("%s %v: %v, %s", c.tool, c.args, r.IsError, said(r))
		}
	}
}
