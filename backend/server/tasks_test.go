package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// works is a fake Tasks: one task of three pages. It records who called.
type works struct {
	fixture *fixture
	grant   auth.Grant // the caller of the tasks
}

func (k works) task(name string, g auth.Grant, id protocol.TaskID) (protocol.Task, error) {
	return protocol.Task{ID: id, Goal: string(g.Session), State: protocol.TaskRunning, Tabs: []protocol.TabID{}}, k.fixture.called(name, g)
}

func (k works) Run(_ context.Context, g auth.Grant, req protocol.TaskRunRequest) (protocol.Task, error) {
	task, err := k.task("task-run", g, "new")
	task.Tab = req.Tab
	return task, err
}

func (k works) Stop(_ context.Context, g auth.Grant, id protocol.TaskID) (protocol.Task, error) {
	return k.task("task-stop", g, id)
}

func (k works) Read(g auth.Grant, id protocol.TaskID, _ uint64) (protocol.TaskPage, error) {
	task, err := k.task("task-get", g, id)
	return protocol.TaskPage{Head: task, Events: []protocol.TaskEvent{}}, err
}

func (k works) List(g auth.Grant, _ protocol.TaskListRequest) (protocol.TaskListReply, error) {
	return protocol.TaskListReply{Tasks: []protocol.Task{}}, k.fixture.called("task-list", g)
}

func (k works) Follow(_ context.Context, g auth.Grant, id protocol.TaskID, after uint64) (iter.Seq2[protocol.TaskPage, error], error) {
	task, err := k.task("task-stream", g, id)
	return func(yield func(protocol.TaskPage, error) bool) {
		for i := after + 1; i <= 3; i++ {
			task.Index = i
			if !yield(protocol.TaskPage{Head: task, Events: []protocol.TaskEvent{{Index: i, Kind: protocol.TaskEventStep, Data: json.RawMessage(fmt.Sprintf(`{"n":%d}`, i))}}}, nil) {
				return
			}
		}
	}, err
}

func (k works) Routines() ([]protocol.TaskRoutine, error) {
	return []protocol.TaskRoutine{}, k.fixture.called("task-routines", k.grant)
}

func (k works) Write(_ context.Context, req protocol.TaskWriteRequest) (protocol.TaskWriteReply, error) {
	task, err := k.task("task-write", k.grant, req.Task)
	return protocol.TaskWriteReply{Head: task}, err
}

func (k works) Command(_ context.Context, _ protocol.TaskCommandRequest) (protocol.TaskCommandReply, error) {
	return protocol.TaskCommandReply{}, k.fixture.called("task-command", k.grant)
}

func (k works) Plain(_ context.Context, req protocol.TaskPlainRequest) (protocol.TaskPlainReply, error) {
	_, err := k.task("task-plain", k.grant, req.Task)
	return protocol.TaskPlainReply{Steps: []string{}}, err
}

func (k works) Tools(_ context.Context, req protocol.TaskToolsRequest) (protocol.TaskToolsReply, error) {
	_, err := k.task("task-tools", k.grant, req.Task)
	return protocol.TaskToolsReply{Servers: []protocol.TaskToolServer{}}, err
}

func (k works) Tool(_ context.Context, req protocol.TaskToolRequest) (protocol.TaskToolReply, error) {
	_, err := k.task("task-tool", k.grant, req.Task)
	return protocol.TaskToolReply{}, err
}

func (k works) Tab(req protocol.TaskTabRequest) (protocol.Task, error) {
	return k.task("task-tab", k.grant, req.Task)
}

func (k works) Dismiss(id protocol.TaskID) (protocol.Task, error) {
	return protocol.Task{ID: id}, nil
}

func (k works) Delete(_ protocol.TaskID) error {
	return k.fixture.called("task-delete", k.grant)
}

func (k works) Picture(_ protocol.TaskScreenshotRequest) (protocol.ChatAttachment, error) {
	return protocol.ChatAttachment{}, k.fixture.called("task-picture", k.grant)
}

func (k works) SaveRoutine(_ protocol.TaskRoutine) ([]protocol.TaskRoutine, error) {
	return []protocol.TaskRoutine{}, k.fixture.called("task-save-routine", k.grant)
}

func (k works) DeleteRoutine(_ string) ([]protocol.TaskRoutine, error) {
	return []protocol.TaskRoutine{}, k.fixture.called("task-delete-routine", k.grant)
}

// minds is a fake Models. It has no grant, because all callers are treated
// alike.
type minds struct{ fixture *fixture }

func (m minds) called(name string) error { return m.fixture.called(name, auth.Grant{}) }

func (m minds) State(context.Context) protocol.LLMState {
	_ = m.called("llm-profiles")
	return protocol.LLMState{Profiles: []protocol.LLMProfile{}, Providers: []protocol.LLMProviderInfo{}}
}

func (m minds) Save(ctx context.Context, _ protocol.LLMSaveRequest) (protocol.LLMState, error) {
	return m.State(ctx), m.called("llm-save")
}

func (m minds) Delete(ctx context.Context, _ string) (protocol.LLMState, error) {
	return m.State(ctx), m.called("llm-delete")
}

func (m minds) Models(context.Context, string) ([]protocol.LLMModel, error) {
	return []protocol.LLMModel{}, m.called("llm-models")
}

func (m minds) Test(context.Context, string) protocol.LLMVerdict {
	_ = m.called("llm-test")
	return protocol.LLMVerdict{OK: true}
}

func (m minds) Local(context.Context) []protocol.LLMLocal {
	_ = m.called("llm-local")
	return []protocol.LLMLocal{}
}

func (m minds) Call(_ context.Context, w http.ResponseWriter, _ string, body []byte) error {
	if err := m.called("llm-call"); err != nil {
		return err
	}
	_, _ = w.Write(body)
	return nil
}

// taskTable lists the routes below /task and /llm: programs may start tasks,
// and only the panel runs them and uses models.
func taskTable() []routeCase {
	var table []routeCase
	for _, name := range []string{"run", "stop", "get", "list", "routines"} {
		table = append(table, routeCase{method: "POST", path: "/task/" + name, kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}})
	}
	table = append(table, routeCase{method: "GET", path: "/task/stream?task=x", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}})
	for _, path := range []string{
		"/task/write", "/task/command", "/task/plain", "/task/tools", "/task/tool", "/task/tab", "/task/file", "/task/picture", "/task/delete", "/task/close", "/task/save-routine", "/task/delete-routine",
		"/llm/profiles", "/llm/save", "/llm/delete", "/llm/models", "/llm/test", "/llm/local", "/llm/call",
	} {
		table = append(table, routeCase{method: "POST", path: path, kinds: []auth.Kind{auth.KindPanel}, extension: true})
	}
	return table
}

// A client that reads a task with curl gets its pages as events, can continue
// after the last one that it received, and sees the end.
func TestATaskIsStreamed(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindAgent)
	got := w.do(t, ask{path: "/task/stream?task=a&after=1", token: token})
	if kind := got.header.Get("Content-Type"); kind != "text/event-stream" {
		t.Errorf("Content-Type %q", kind)
	}
	want := []string{"id: 2\nevent: task\ndata: ", "id: 3\nevent: task\ndata: "}
	if n := strings.Count(got.body, "event: task"); n != len(want) {
		t.Errorf("%d events in %q", n, got.body)
	}
	for _, one := range want {
		if !strings.Contains(got.body, one) {
			t.Errorf("%q is not in %q", one, got.body)
		}
	}
	// A reader that was cut off sends its position in its header.
	again := w.do(t, ask{path: "/task/stream?task=a", token: token, header: http.Header{"Last-Event-ID": {"2"}}})
	if n := strings.Count(again.body, "event: task"); n != 1 {
		t.Errorf("%d events behind 2: %q", n, again.body)
	}
	if bad := w.do(t, ask{path: "/task/stream?task=a&after=x", token: token}); bad.status != http.StatusBadRequest {
		t.Errorf("after=x: %d", bad.status)
	}
}

// The user's shell names the session; an agent's token is bound to one.
func TestATasksSession(t *testing.T) {
	w := start(t, nil)
	_, shell := w.mint(auth.KindCLI)
	w.do(t, ask{method: "POST", path: "/task/run?session=work", token: shell, body: `{"goal":"x"}`})
	if g := w.fixture.lastGrant(t); g.Session != "work" {
		t.Errorf("session %q", g.Session)
	}
	_, agent := w.mint(auth.KindAgent)
	w.do(t, ask{method: "POST", path: "/task/run?session=work", token: agent, body: `{"goal":"x"}`})
	if g := w.fixture.lastGrant(t); g.Session == "work" {
		t.Error("an agent chose another session")
	}
	if bad := w.do(t, ask{method: "POST", path: "/task/run?session=../x", token: shell, body: `{"goal":"x"}`}); bad.status != http.StatusBadRequest && bad.status != http.StatusNotFound {
		t.Errorf("a session that is none: %d", bad.status)
	}
}
