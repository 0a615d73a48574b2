package cli_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/coder/websocket"
	"github.com/creack/pty"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/browser/remote/standin"
	"pilotfish/backend/protocol"
)

// order is a page that tells its server each time that it is sent.
const order = `<!doctype html><title>Order</title><form onsubmit="event.preventDefault();
	fetch('/sent?'+document.querySelector('input').value).then((r) => r.text()).then((t) => { out.textContent = t })">
	<label>Name <input></label><button>Add</button></form><button>Pay</button><p id=out></p>`

// planner is a model that orders for the first word of a goal. It asks the user on "Ask", until
// they say green,
// and orders once more on "Twice", when somebody has typed Bob.
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
	case who == "Ask" && !strings.Contains(prompt, "the green one"):
		return act(map[string]any{"do": "ask", "question": "Which colour?"})
	case !strings.Contains(prompt, "# Steps so far") && who == "Pay":
		return act(map[string]any{"do": "click", "ref": ref("btn Pay")})
	case !strings.Contains(prompt, "# Steps so far") && !strings.Contains(prompt, "was interrupted"):
		return act(
			map[string]any{"do": "type", "ref": ref("edit Name"), "text": who},
			map[string]any{"do": "click", "ref": ref("btn Add")},
		)
	case p.held.CompareAndSwap(true, false):
		p.waiting <- struct{}{}
		<-p.release
	}
	switch {
	case who != "Twice" || strings.Contains(prompt, "Order 2 is sent"):
	case strings.Contains(prompt, "TwiceBob"):
		return act(map[string]any{"do": "click", "ref": ref("btn Add")})
	default:
		return act(map[string]any{"do": "wait", "for": "quiet"})
	}
	return act(map[string]any{"do": "done", "success": true, "text": "Ordered for " + who + "."})
}

// seller is a page that takes orders, and a model that orders.
type seller struct {
	t       *testing.T
	planner *planner
	site    *httptest.Server
	model   string           // its address
	sent    func(who string) // called with each order; may be nil

	mu sync.Mutex
	by []string // who has ordered
}

func newSeller(t *testing.T) *seller {
	t.Helper()
	s := &seller{t: t, planner: &planner{waiting: make(chan struct{}), release: make(chan struct{})}}
	s.site = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/sent" {
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, order)
			return
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.by = append(s.by, r.URL.RawQuery)
		if s.sent != nil {
			s.sent(r.URL.RawQuery)
		}
		_, _ = fmt.Fprintf(w, "Order %d is sent", len(s.by))
	}))
	t.Cleanup(s.site.Close)
	m := model.New(s.planner.reply)
	t.Cleanup(m.Close)
	behind, err := url.Parse(m.URL())
	if err != nil {
		t.Fatal(err)
	}
	front := httptest.NewServer(&httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(behind)
		r.Out.Header.Set("Authorization", "Bearer "+model.Key)
	}})
	t.Cleanup(front.Close)
	s.model = front.URL
	return s
}

// offers gives the model to an installation.
func (s *seller) offers(r *installation) {
	s.t.Helper()
	path := filepath.Join(r.home, "config", "models.json")
	profiles, err := json.Marshal(map[string]any{"version": 1, "profiles": []protocol.LLMProfile{
		{ID: "m", Name: "Fake", Provider: protocol.LLMCompatible, URL: s.model + "/v1", Model: "fake-model", For: []string{protocol.ForTask}},
	}})
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path, profiles, 0o600)
	}
	if err != nil {
		s.t.Fatal(err)
	}
}

// begins runs a task until its model thinks about the second step, and returns what waits for
// the end of the command.
func (p *planner) begins(r *installation, goal string) (ended func() (said string, err error)) {
	r.t.Helper()
	p.held.Store(true)
	var said bytes.Buffer
	cmd := r.command(r.t.Context(), "task", "run", goal)
	cmd.Stdout, cmd.Stderr = &said, &said
	if err := cmd.Start(); err != nil {
		r.t.Fatal(err)
	}
	over := make(chan error, 1)
	go func() { over <- cmd.Wait() }()
	select {
	case <-p.waiting:
	case err := <-over:
		r.t.Fatalf("the task has ended: %v\n%s", err, said.String())
	}
	return func() (string, error) {
		err := <-over
		return said.String(), err
	}
}

// orders returns who has ordered.
func (s *seller) orders() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.by, " ")
}

// Without a window tasks of programs and of schedules run in the task page, with a model and
// without one. It is in no list. When its browser ends they are resumed, and nothing is done
// twice. A question ends a task if nobody is there; who follows the task at a terminal answers.
func TestTasksWithoutAWindow(t *testing.T) {
	s := newSeller(t)
	p, site, r := s.planner, s.site, install(t, "60s")
	r.run("goto", site.URL)
	if out := r.run("task", "run", "type Plain into Name then click Add"); !strings.Contains(out, "All 2 instructions are done.") {
		t.Errorf("without a model:\n%s", out)
	}
	if out, err := r.command(t.Context(), "task", "run", "click Pay").CombinedOutput(); err == nil || !strings.Contains(string(out), "nobody to ask") {
		t.Errorf("what needs an approval: %v\n%s", err, out)
	}
	r.run("app", "quit")
	s.offers(r)
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
	if err == nil || !strings.Contains(string(ask), "Which colour?”, and nobody answered") || !strings.Contains(string(ask), "pilotfish task answer") {
		t.Errorf("a question: %v\n%s", err, ask)
	}
	if said, err := r.answersTyped("task", "run", "Ask me"); err != nil || !strings.Contains(said, "Ordered for Ask.") {
		t.Errorf("a question at a terminal: %v\n%s", err, said)
	}

	// The browser ends while the model thinks about the second step.
	ended := p.begins(r, "Bob orders")
	if listed := r.run("tabs", "--json") + r.run("windows") + r.run("activity"); strings.Contains(listed, "tasks.html") || strings.Count(listed, `"id"`) != 1 {
		t.Errorf("while a task runs the lists are:\n%s", listed)
	}
	if err := syscall.Kill(r.browser(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	said, err := ended()
	close(p.release)
	if err != nil || !strings.Contains(said, "Ordered for Bob.") {
		t.Errorf("after the end of the browser: %v\n%s", err, said)
	}

	r.run("schedule", "add", "daily", "--at", "daily 00:00", "--task", "Eve orders", "--open", site.URL)
	r.run("schedule", "run", "daily")
	if run := r.ranOnce("daily"); run.State != protocol.ScheduleDone || run.Message != "Ordered for Eve." {
		t.Errorf("the schedule's run is %+v", run)
	}
	if tabs := r.run("tabs"); strings.Count(tabs, "\n") != 1 {
		t.Errorf("tabs are:\n%s", tabs)
	}
	if got := s.orders(); got != "Plain Ada Bob Eve" {
		t.Errorf("what was sent is %s", got)
	}
}

// In a browser elsewhere tasks of programs and of schedules run, too. When the connection breaks,
// or the browser of ours that has the task page ends, they go on, and nothing is done twice.
func TestTasksElsewhere(t *testing.T) {
	s, e, r := newSeller(t), standin.New(t), install(t, "60s")
	e.Keeps = true
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n", e.Grid()))
	s.offers(r)
	r.run("goto", s.site.URL)
	own := func() string {
		t.Helper()
		left, err := filepath.Glob(filepath.Join(r.dirs().TemporaryDir(), "*", "SingletonLock"))
		if err != nil || len(left) > 1 {
			t.Fatalf("browsers of ours: %v, %v", left, err)
		}
		return strings.Join(left, "")
	}
	if own() != "" {
		t.Error("a browser of ours runs before a task")
	}
	for _, breaks := range []struct {
		who string
		it  func()
	}{
		{"Bob", e.Cut},
		{"Cid", func() {
			lock, err := os.Readlink(own())
			pid, _ := strconv.Atoi(lock[strings.LastIndexByte(lock, '-')+1:])
			if err != nil || syscall.Kill(pid, syscall.SIGKILL) != nil {
				t.Errorf("the browser of ours is %s, %v", lock, err)
			}
		}},
	} {
		who := breaks.who
		if testing.Short() && who == "Cid" {
			continue
		}
		ended := s.planner.begins(r, who+" orders")
		if listed := r.run("tabs", "--json") + r.run("activity"); strings.Contains(listed, "tasks.html") || strings.Count(listed, `"id"`) != 1 {
			t.Errorf("while a task runs the lists are:\n%s", listed)
		}
		breaks.it()
		said, err := ended()
		s.planner.release <- struct{}{}
		if err != nil || !strings.Contains(said, "Ordered for "+who+".") || !strings.Contains(said, "\n   click btn Add") {
			t.Errorf("%v\n%s", err, said)
		}
		if text := r.run("text"); !strings.Contains(text, "is sent") {
			t.Errorf("the page says %s", text)
		}
	}
	// The connection breaks in the middle of a click that orders.
	s.mu.Lock()
	s.sent = func(who string) {
		if who == "Dan" {
			e.Cut()
		}
	}
	s.mu.Unlock()
	out, err := r.command(t.Context(), "task", "run", "Dan orders").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "Ordered for Dan.") {
		t.Errorf("%v\n%s", err, out)
	}
	r.until(func() error { return r.try("text") }) // the browser is back
	// What needs an approval is asked, and waits for the user at a control page.
	control := r.control()
	allowed := control(func(s protocol.WindowState, call controlCall) (done bool, err error) {
		if len(s.Sessions) == 0 || len(s.Sessions[0].Approvals) == 0 {
			return false, nil
		}
		asked := s.Sessions[0]
		return true, call("AnswerApproval", asked.Name, protocol.ApprovalAnswerRequest{ID: asked.Approvals[0].ID, Answer: protocol.AnswerOnce})
	})
	if out := r.run("task", "run", "Pay for it"); !strings.Contains(out, "\n   click btn Pay") || !strings.Contains(out, "Ordered for Pay.") {
		t.Errorf("with an approval:\n%s", out)
	}
	if err := <-allowed; err != nil {
		t.Error(err)
	}
	// So does a question, for longer than nobody would be waited for.
	answered := control(func(s protocol.WindowState, call controlCall) (done bool, err error) {
		if len(s.Questions) == 0 {
			return false, nil
		}
		q := s.Questions[0]
		return true, call("AnswerTask", q.Session, protocol.TaskAnswerRequest{Task: q.Task, Question: q.Index, Text: "the green one"})
	})
	if out := r.run("task", "run", "Ask me"); !strings.Contains(out, "it asks: Which colour?") || !strings.Contains(out, "you: the green one") || !strings.Contains(out, "Ordered for Ask.") {
		t.Errorf("with an answer:\n%s", out)
	}
	if err := <-answered; err != nil {
		t.Error(err)
	}
	r.run("schedule", "add", "daily", "--at", "daily 00:00", "--task", "Eve orders", "--open", s.site.URL)
	r.run("schedule", "run", "daily")
	if run := r.ranOnce("daily"); run.State != protocol.ScheduleDone || run.Message != "Ordered for Eve." {
		t.Errorf("the schedule's run is %+v", run)
	}
	if got := s.orders(); strings.Replace(got, "Cid ", "", 1) != "Bob Dan Eve" {
		t.Errorf("what was sent is %s", got)
	}
	r.until(func() error { // it ends after the task
		if left := own(); left != "" {
			return errors.New(left + " runs")
		}
		return nil
	})
}

// controlCall calls an operation of a control page.
type controlCall func(op string, session protocol.SessionName, in any) error

// control opens a control page. The function that it returns gives each state of the page to
// its argument until that is done.
func (r *installation) control() func(func(protocol.WindowState, controlCall) (bool, error)) <-chan error {
	r.t.Helper()
	address, err := r.command(r.t.Context(), "control").Output()
	if err != nil {
		r.t.Fatal(err)
	}
	origin, code, _ := strings.Cut(strings.TrimSpace(string(address)), "/control/#code=")
	var page protocol.ControlToken
	var cookie string
	post := func(path string, in, out any) error {
		body, err := json.Marshal(in)
		if err != nil {
			return err
		}
		req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, origin+path, bytes.NewReader(body))
		if err != nil {
			return err
		}
		req.Header = http.Header{"Content-Type": {"application/json"}, "Origin": {origin}, "Authorization": {"Bearer " + page.Token}, "Cookie": {cookie}}
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return err
		}
		defer res.Body.Close()
		for _, c := range res.Cookies() {
			cookie = c.Name + "=" + c.Value
		}
		data, err := io.ReadAll(res.Body)
		if err != nil || res.StatusCode != http.StatusOK {
			return fmt.Errorf("%s: %s %s, %w", path, res.Status, data, err)
		}
		return json.Unmarshal(data, out)
	}
	if err := post("/control/token", map[string]string{"code": code}, &page); err != nil {
		r.t.Fatal(err)
	}
	events, _, err := websocket.Dial(r.t.Context(), strings.Replace(origin, "http", "ws", 1)+"/control/events", &websocket.DialOptions{ //nolint:bodyclose // Dial replaces the body
		HTTPHeader: http.Header{"Origin": {origin}, "Cookie": {cookie}}, Subprotocols: []string{protocol.Version, protocol.TokenSubprotocol + page.Token},
	})
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { _ = events.CloseNow() })
	events.SetReadLimit(1 << 20)
	call := func(op string, session protocol.SessionName, in any) error {
		text, err := json.Marshal(in)
		var got protocol.ControlAnswer
		if err == nil {
			err = post("/control/call", protocol.ControlCall{Op: op, Session: session, In: text}, &got)
		}
		if err == nil && got.Failed != nil {
			err = errors.New(got.Failed.Message)
		}
		return err
	}
	return func(does func(protocol.WindowState, controlCall) (bool, error)) <-chan error {
		ended := make(chan error, 1)
		go func() {
			for {
				var event struct {
					Event string
					Data  protocol.WindowState
				}
				_, data, err := events.Read(r.t.Context())
				done := err != nil
				if !done && json.Unmarshal(data, &event) == nil && event.Event == "state" {
					done, err = does(event.Data, call)
				}
				if done {
					ended <- err
					return
				}
			}
		}()
		return ended
	}
}

// answersTyped runs a command at a terminal, and types an answer when it asks for one.
func (r *installation) answersTyped(args ...string) (string, error) {
	r.t.Helper()
	cmd := r.command(r.t.Context(), args...)
	terminal, err := pty.Start(cmd)
	if err != nil {
		r.t.Fatal(err)
	}
	defer terminal.Close()
	var said strings.Builder
	buffer := make([]byte, 4096)
	for typed := false; ; {
		n, err := terminal.Read(buffer)
		said.Write(buffer[:n])
		if err != nil { // it has ended
			return said.String(), cmd.Wait()
		}
		if !typed && strings.Contains(said.String(), "Your answer: ") {
			typed = true
			if _, err := terminal.WriteString("the green one\n"); err != nil {
				r.t.Error(err)
			}
		}
	}
}

// ranOnce returns the first run of a schedule when it has ended.
func (r *installation) ranOnce(name string) protocol.ScheduleRun {
	r.t.Helper()
	var s protocol.Schedule
	for len(s.Runs) == 0 || s.Runs[0].DurationMS == 0 {
		if err := json.Unmarshal([]byte(r.run("schedule", "show", name, "--json")), &s); err != nil {
			r.t.Fatal(err)
		}
	}
	return s.Runs[0]
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
