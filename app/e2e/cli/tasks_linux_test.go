package cli_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/protocol"
)

// order is a page that tells its server each time that it is sent.
const order = `<!doctype html><title>Order</title><form onsubmit="event.preventDefault();
	fetch('/sent?'+document.querySelector('input').value).then((r) => r.text()).then((t) => { out.textContent = t })">
	<label>Name <input></label><button>Add</button></form><button>Pay</button><p id=out></p>`

// planner is a model that orders for the first word of a goal. It asks the user on "Ask".
type planner struct {
	held    atomic.Bool   // the next turn after the first waits
	waiting chan struct{} // receives when it waits
	release chan struct{}
}

func (p *planner) reply(r model.Request) model.Reply {
	prompt := r.Messages[len(r.Messages)-1].Text
	act := func(actions ...map[string]any) model.Reply {
		return model.Reply{Calls: []model.Call{{Name: "step", Input: map[string]any{
			"evaluation": "As expected.", "memory": "None.", "goal": "Do what comes next.", "actions": actions,
		}}}}
	}
	ref := func(what string) string {
		if found := regexp.MustCompile(`(?m)^\s*(\S+) ` + what + `\b`).FindStringSubmatch(prompt); found != nil {
			return found[1]
		}
		return "none"
	}
	_, goal, _ := strings.Cut(prompt, "# Goal")
	_, goal, _ = strings.Cut(goal, "\n")
	who, _, _ := strings.Cut(strings.TrimSpace(goal), " ")
	switch {
	case len(r.Tools) == 0:
		return model.Reply{Text: "OK"}
	case who == "Ask":
		return act(map[string]any{"do": "ask", "question": "Which colour?"})
	case !strings.Contains(prompt, "# Steps so far"):
		return act(
			map[string]any{"do": "type", "ref": ref("edit Name"), "text": who},
			map[string]any{"do": "click", "ref": ref("btn Add")},
		)
	case p.held.CompareAndSwap(true, false):
		p.waiting <- struct{}{}
		<-p.release
	}
	return act(map[string]any{"do": "done", "success": true, "text": "Ordered for " + who + "."})
}

// Without a window tasks of programs and of schedules run in the task page, with a model and
// without one. It is in no list. When its browser ends they are resumed, and nothing is done
// twice. A question ends a task, because nobody is there to answer.
func TestTasksWithoutAWindow(t *testing.T) {
	var sent struct {
		sync.Mutex
		by []string
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sent" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, order)
			return
		}
		sent.Lock()
		defer sent.Unlock()
		sent.by = append(sent.by, r.URL.RawQuery)
		_, _ = fmt.Fprintf(w, "Order %d is sent", len(sent.by))
	}))
	defer site.Close()
	p := &planner{waiting: make(chan struct{}), release: make(chan struct{})}
	m := model.New(p.reply)
	defer m.Close()
	behind, err := url.Parse(m.URL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Header.Set("Authorization", "Bearer "+model.Key)
	}})
	defer front.Close()

	r := install(t, "60s")
	r.run("goto", site.URL)
	if out := r.run("task", "run", "type Plain into Name then click Add"); !strings.Contains(out, "All 2 instructions are done.") {
		t.Errorf("without a model:\n%s", out)
	}
	if out, err := r.command(t.Context(), "task", "run", "click Pay").CombinedOutput(); err == nil || !strings.Contains(string(out), "nobody to ask") {
		t.Errorf("what needs an approval: %v\n%s", err, out)
	}
	r.run("app", "quit")
	profiles, err := json.Marshal(map[string]any{"version": 1, "profiles": []protocol.LLMProfile{
		{ID: "m", Name: "Fake", Provider: protocol.LLMCompatible, URL: front.URL + "/v1", Model: "fake-model", For: []string{protocol.ForTask}},
	}})
	if err == nil {
		err = os.WriteFile(filepath.Join(r.home, "config", "models.json"), profiles, 0o600)
	}
	if err != nil {
		t.Fatal(err)
	}
	r.run("goto", site.URL)
	out := r.run("task", "run", "Ada orders")
	for _, want := range []string{"\n1. Do what comes next.\n", "\n   click btn Add", ": done, step 2 of 40", "Ordered for Ada."} {
		if !strings.Contains(out, want) {
			t.Errorf("%q is not in:\n%s", want, out)
		}
	}
	if text := r.run("text"); !strings.Contains(text, "Order 2 is sent") {
		t.Errorf("the page says %s", text)
	}
	task := r.newestTask()
	if shown := r.run("task", "show", string(task.ID)); task.State != protocol.TaskDone || !strings.Contains(shown, "click btn Add") {
		t.Errorf("%+v is shown as:\n%s", task, shown)
	}

	ask, err := r.command(t.Context(), "task", "run", "Ask me").CombinedOutput()
	if err == nil || !strings.Contains(string(ask), "Which colour?”, and nobody is there to answer") {
		t.Errorf("a question: %v\n%s", err, ask)
	}

	// The browser ends while the model thinks about the second step.
	p.held.Store(true)
	var said bytes.Buffer
	cmd := r.command(t.Context(), "task", "run", "Bob orders")
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-p.waiting
	if listed := r.run("tabs", "--json") + r.run("windows") + r.run("activity"); strings.Contains(listed, "tasks.html") || strings.Count(listed, `"id"`) != 1 {
		t.Errorf("while a task runs the lists are:\n%s", listed)
	}
	if err := syscall.Kill(r.browser(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	err = cmd.Wait()
	close(p.release)
	if err != nil || !strings.Contains(said.String(), "Ordered for Bob.") {
		t.Errorf("after the end of the browser: %v\n%s", err, said.String())
	}

	r.run("schedule", "add", "daily", "--at", "daily 00:00", "--task", "Eve orders", "--open", site.URL)
	r.run("schedule", "run", "daily")
	var daily protocol.Schedule
	for len(daily.Runs) == 0 || daily.Runs[0].DurationMS == 0 {
		if err := json.Unmarshal([]byte(r.run("schedule", "show", "daily", "--json")), &daily); err != nil {
			t.Fatal(err)
		}
	}
	if run := daily.Runs[0]; run.State != protocol.ScheduleDone || run.Message != "Ordered for Eve." {
		t.Errorf("the schedule's run is %+v", run)
	}
	if tabs := r.run("tabs"); strings.Count(tabs, "\n") != 1 {
		t.Errorf("tabs are:\n%s", tabs)
	}
	sent.Lock()
	defer sent.Unlock()
	if got := strings.Join(sent.by, " "); got != "Plain Ada Bob Eve" {
		t.Errorf("what was sent is %s", got)
	}
}

// newestTask returns the task that was started last.
func (r *installation) newestTask() protocol.Task {
	r.t.Helper()
	var reply protocol.TaskListReply
	if err := json.Unmarshal([]byte(r.run("task", "list", "--json")), &reply); err != nil || len(reply.Tasks) == 0 {
		r.t.Fatalf("task list: %+v, %v", reply, err)
	}
	return reply.Tasks[0]
}

// browser returns the process of the default session's browser.
func (r *installation) browser() int {
	r.t.Helper()
	var reply protocol.AppReply
	if err := json.Unmarshal([]byte(r.run("sessions", "--json")), &reply); err != nil || len(reply.Sessions) != 1 || reply.Sessions[0].Browser == nil {
		r.t.Fatalf("sessions: %+v, %v", reply, err)
	}
	return reply.Sessions[0].Browser.PID
}
