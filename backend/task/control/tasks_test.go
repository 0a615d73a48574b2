package control

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/activity/recorder"
	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/hub"
	"pilotfish/backend/llm"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/task/view"
)

// desk is a fixture: a running session with tabs, which records what tasks do
// in it.
type desk struct {
	*Tasks
	view.Browser
	dir    string
	policy *policy.Policy
	broker *policy.Broker

	mu        sync.Mutex
	published []any
	did       []string
	calls     []command.Call
	stopped   error // why the session does not run
	panel     error // why its panel cannot be opened
	nowhere   error // why it can run no task
	aside     bool  // no panel is open
	page      error // why the task page cannot be opened
	pageThere bool  // the task page is open
	reply     func(command.Call) protocol.CommandReply
	follows   func(event any) // gets each event at once; nil for nobody
}

func newDesk(t *testing.T, change func(*Config)) *desk {
	t.Helper()
	d := &desk{dir: t.TempDir(), policy: policy.New(policy.Config{}), broker: policy.NewBroker(protocol.DefaultSession, func() {})}
	tabs, events := opentabs.New(protocol.Tab{ID: "t1", URL: "https://a.example/"}, protocol.Tab{ID: "t2", URL: "https://b.example/"}), hub.New[any](1)
	events.Observe(func(event any) {
		d.mu.Lock()
		d.published = append(d.published, event)
		d.mu.Unlock()
		if d.follows != nil {
			d.follows(event)
		}
	})
	log := slog.New(slog.DiscardHandler)
	cfg := Config{
		Dirs: config.SessionDirs{Root: d.dir, Screenshots: filepath.Join(d.dir, "screenshots")},
		Running: func() (Running, error) {
			return Running{
				CallerTab: func(grant auth.Grant, _ protocol.TabID) protocol.TabID { return grant.Tab },
				Policy:    d.policy, Commands: d, Browser: d, Tools: toolsOf{d}, Ready: func(context.Context, int) error { return nil },
				LetGo: func(caller string) { d.note("let go " + caller) },
			}, d.stopped
		},
		Tabs: tabs, Events: events,
		Recorder: recorder.New(recorder.Config{Session: protocol.DefaultSession, Dir: filepath.Join(d.dir, "activity"), Commands: catalogue.Table(), Events: events, Logger: log}),
		Use:      new(hub.Use), Broker: d.broker, Logger: log,
	}
	if change != nil {
		change(&cfg)
	}
	d.Tasks = New(cfg, view.New(view.Config{Tabs: tabs, Events: events, Logger: log}))
	t.Cleanup(d.Close)
	return d
}

func (d *desk) note(text string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.did = append(d.did, text)
}

// orders returns the orders that were sent to the panels.
func (d *desk) orders() (list []protocol.TaskOrderEvent) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, event := range d.published {
		if order, is := event.(protocol.TaskOrderEvent); is {
			list = append(list, order)
		}
	}
	return list
}

func (d *desk) Execute(_ context.Context, call command.Call) protocol.CommandReply {
	d.mu.Lock()
	d.calls = append(d.calls, call)
	d.mu.Unlock()
	if d.reply != nil {
		return d.reply(call)
	}
	return protocol.CommandReply{OK: true}
}

func (d *desk) OpenPanel(_ context.Context, tab protocol.TabID) error {
	d.note("panel " + string(tab))
	return d.panel
}

func (d *desk) TaskPanel(context.Context, protocol.TabID) (bool, error) { return !d.aside, d.nowhere }

func (d *desk) OpenTaskPage(context.Context) (bool, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if why := d.page; why != nil {
		if errors.Is(why, context.DeadlineExceeded) {
			d.mu.Unlock()
			time.Sleep(protocol.TaskPageTimeout)
			d.mu.Lock()
		}
		return false, why
	}
	fresh := !d.pageThere
	d.pageThere = true
	return fresh, nil
}

func (d *desk) CloseTaskPage(context.Context) error {
	d.pageGone(nil)
	return nil
}

// pageGone closes the task page; another cannot be opened for a reason.
func (d *desk) pageGone(why error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.pageThere, d.page = false, why
}

// pageOpen reports whether the task page is open.
func (d *desk) pageOpen() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.pageThere
}

func (d *desk) StartRecording(context.Context, protocol.Caller, protocol.TabID, string) error {
	return nil
}

func (d *desk) StopRecording(context.Context, protocol.Caller, protocol.TabID, string) (protocol.Recording, error) {
	return protocol.Recording{}, nil
}

const one protocol.TaskID = "3f0c8a52-0000-4000-8000-000000000001"

// write reports, as a panel's view, that a task is in a state.
func (d *desk) write(t *testing.T, id protocol.TaskID, viewer string, state protocol.TaskState) {
	t.Helper()
	_, err := d.Write(t.Context(), protocol.TaskWriteRequest{
		Task: id, Viewer: viewer, Kind: protocol.TaskEventHead,
		Head: &protocol.Task{Title: "Fill the form", Goal: "fill the form", Tab: "t1", State: state, MaxStep: 40},
	})
	if err != nil {
		t.Fatal(err)
	}
}

func agent(id string) auth.Grant {
	return auth.Grant{
		Kind: auth.KindAgent, Tab: "t1", Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct},
		Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: id, Name: "claude"},
	}
}

func shell() auth.Grant {
	return auth.Grant{Kind: auth.KindCLI, Tab: "t1", Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct}, Actor: protocol.Actor{Kind: protocol.ActorShell}}
}

func code(err error) protocol.Code {
	if e := protocol.AsError(err); e != nil {
		return e.Code
	}
	return ""
}

// A program requests a task, and gets a reply when a panel has taken it. A
// panel that connects meanwhile receives the order, too; one that connects
// later does not.
func TestATaskIsAskedForTakenAndStopped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, nil)
		type end struct {
			task protocol.Task
			err  error
		}
		asked := make(chan end, 1)
		go func() {
			head, err := d.Run(t.Context(), agent("a"), protocol.TaskRunRequest{Goal: "fill the form"})
			asked <- end{head, err}
		}()
		synctest.Wait()
		d.OrderAgain()
		orders := d.orders()
		if len(orders) != 2 || orders[0].Order != "run" || orders[1].Task.ID != orders[0].Task.ID || orders[0].Task.Tab != "t1" {
			t.Fatalf("panels are told %+v", orders)
		}
		id := orders[0].Task.ID
		d.write(t, id, "p", protocol.TaskRunning)
		if e := <-asked; e.err != nil || e.task.ID != id || e.task.State != protocol.TaskRunning {
			t.Fatalf("%+v", e)
		}
		d.OrderAgain()
		if got := d.orders(); len(got) != 2 {
			t.Errorf("an order that was taken is told again: %+v", got[2:])
		}
		// The task belongs to the agent, and is on its tab.
		if page, err := d.Read(agent("a"), id, 0); err != nil || page.Head.Goal != "fill the form" {
			t.Errorf("%+v, %v", page, err)
		}
		if _, err := d.Read(agent("b"), id, 0); code(err) != protocol.CodeForbidden {
			t.Errorf("another agent reads it: %v", err)
		}
		if _, err := d.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "another"}); code(err) != protocol.CodeBusy {
			t.Errorf("a second task on the tab: %v", err)
		}
		if _, err := d.Stop(t.Context(), agent("b"), id); code(err) != protocol.CodeForbidden {
			t.Errorf("another agent stops it: %v", err)
		}
		// The user acts in its tab from the control page, and gives it back.
		for _, order := range []string{"take_over", "go_on"} {
			if err := d.orderLiving(order, id); err != nil || d.orders()[len(d.orders())-1].Order != order {
				t.Errorf("%s: %v", order, err)
			}
			if err := d.orderLiving(order, "other"); code(err) != protocol.CodeUnknownTask {
				t.Errorf("%s of no task: %v", order, err)
			}
		}
		answered := make(chan error, 1)
		go func() {
			_, err := d.broker.Ask(t.Context(), protocol.Approval{Actor: protocol.Actor{Kind: protocol.ActorTask, ID: string(id)}})
			answered <- err
		}()
		go func() {
			head, err := d.Stop(t.Context(), agent("a"), id)
			asked <- end{head, err}
		}()
		synctest.Wait()
		if got := d.orders(); got[len(got)-1].Order != "stop" {
			t.Errorf("panels are told %+v", got)
		}
		d.write(t, id, "p", protocol.TaskStopped)
		if e := <-asked; e.err != nil || e.task.State != protocol.TaskStopped {
			t.Errorf("%+v", e)
		}
		if err := d.orderLiving("take_over", id); code(err) != protocol.CodeNotRunning {
			t.Errorf("taking over a task that has ended: %v", err)
		}
		if want := []string{"panel t1", "over " + string(id), "let go " + command.CallerName(protocol.Actor{Kind: protocol.ActorTask, ID: string(id)})}; !slices.Equal(d.did, want) {
			t.Errorf("%q, want %q", d.did, want)
		}
		if <-answered == nil {
			t.Error("a question of a task that has ended was answered")
		}
	})
}

// A task that no panel takes fails, with a reason.
func TestNoPanelTakesATask(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newDesk(t, nil)
		d.panel = errors.New("the tab is gone")
		_, err := d.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "fill the form"})
		if code(err) != protocol.CodeNotRunning || !strings.Contains(err.Error(), "the tab is gone") {
			t.Errorf("%v", err)
		}
		list, err := d.List(shell(), protocol.TaskListRequest{})
		if err != nil || len(list.Tasks) != 1 || list.Tasks[0].State != protocol.TaskFailed {
			t.Errorf("%+v, %v", list, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		go func() { synctest.Wait(); cancel() }()
		if _, err := d.Run(ctx, shell(), protocol.TaskRunRequest{Goal: "another"}); code(err) != protocol.CodeTimeout {
			t.Errorf("the program went away: %v", err)
		}
	})
}

func TestWhatIsNoTask(t *testing.T) {
	reader := agent("a")
	reader.Scopes = auth.Scopes{protocol.ScopeRead}
	none, err := llm.New(llm.Config{Path: filepath.Join(t.TempDir(), "models.json"), Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		grant  auth.Grant
		req    protocol.TaskRunRequest
		change func(*Config)
		want   protocol.Code
	}{
		"of a reader":        {reader, protocol.TaskRunRequest{Goal: "x"}, nil, protocol.CodeForbidden},
		"without a goal":     {shell(), protocol.TaskRunRequest{Goal: " "}, nil, protocol.CodeBadArgument},
		"on a tab gone":      {shell(), protocol.TaskRunRequest{Goal: "x", Tab: "t9"}, nil, protocol.CodeUnknownTab},
		"on another's tab":   {agent("a"), protocol.TaskRunRequest{Goal: "x", Tab: "t2"}, nil, protocol.CodeRefused},
		"of no routine":      {shell(), protocol.TaskRunRequest{Routine: "none"}, nil, protocol.CodeBadArgument},
		"without a model":    {shell(), protocol.TaskRunRequest{Goal: "find me a flight"}, func(c *Config) { c.Models = none }, protocol.CodeBadArgument},
		"with another model": {shell(), protocol.TaskRunRequest{Goal: "x", Profile: "none"}, func(c *Config) { c.Models = none }, protocol.CodeBadArgument},
	} {
		d := newDesk(t, c.change)
		_, err := d.Run(t.Context(), c.grant, c.req)
		if code(err) != c.want {
			t.Errorf("%s: %v", name, err)
		}
		if len(d.orders()) != 0 {
			t.Errorf("%s: a panel is told", name)
		}
	}
	down := newDesk(t, nil)
	down.nowhere = protocol.NewError(protocol.CodeNotRunning, "the browser is not running", "")
	if _, err := down.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "x"}); code(err) != protocol.CodeNotRunning || len(down.orders()) != 0 {
		t.Errorf("while the browser does not run: %v", err)
	}
	stopped := newDesk(t, nil)
	stopped.stopped = protocol.NewError(protocol.CodeNotRunning, "the session is not running", "")
	if _, err := stopped.Run(t.Context(), shell(), protocol.TaskRunRequest{Goal: "x"}); code(err) != protocol.CodeNotRunning {
		t.Errorf("in a session that does not run: %v", err)
	}
}

// models are the model profiles of a test.
type models = []protocol.LLMProfile

func TestTheModelOfATask(t *testing.T) {
	local := protocol.LLMProfile{ID: "l", Name: "Mine", Model: "small", Provider: "local"}
	keyless := protocol.LLMProfile{ID: "k", Name: "Theirs", Model: "large", Provider: "hosted", For: []string{protocol.ForProgram}}
	keyed := keyless
	keyed.HasKey = true
	for name, c := range map[string]struct {
		models models
		asked  string
		goal   string
		want   string
		fails  string
	}{
		"that for programs":          {models: models{local, keyed}, want: "k"},
		"of which the key is gone":   {models: models{local, keyless}, want: ""},
		"no other, and no key":       {models: models{keyless}, fails: "Theirs has no key: it was stored only"},
		"none for plain words":       {models: models{}, goal: "click Save", want: ""},
		"none for others":            {models: models{}, goal: "find me a flight", fails: "none is set up"},
		"by name":                    {models: models{local, keyed}, asked: "mine", want: "l"},
		"by model":                   {models: models{local, keyed}, asked: "LARGE", want: "k"},
		"by id":                      {models: models{local, keyed}, asked: "k", want: "k"},
		"by name, and no key":        {models: models{local, keyless}, asked: "theirs", fails: "Theirs has no key"},
		"one that there is not":      {models: models{local}, asked: "huge", fails: `there is no model "huge"`},
		"a panel's choice otherwise": {models: models{local}, want: ""},
	} {
		state := protocol.LLMState{Profiles: c.models, Providers: []protocol.LLMProviderInfo{{Provider: "hosted", NeedsKey: true}, {Provider: "local"}}}
		got, err := newDesk(t, nil).profile(state, protocol.TaskRunRequest{Goal: c.goal, Profile: c.asked})
		if got != c.want || (err != nil) != (c.fails != "") || err != nil && !strings.Contains(err.Error(), c.fails) {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
}

// An agent sees only its own tasks, other callers see all.
func TestAnAgentSeesItsOwnTasks(t *testing.T) {
	d := newDesk(t, nil)
	store, err := d.opened()
	if err != nil {
		t.Fatal(err)
	}
	for i, who := range []string{"a", "b", "a"} {
		id := protocol.TaskID(fmt.Sprintf("3f0c8a52-0000-4000-8000-00000000001%d", i))
		if _, err := store.Order(id, protocol.TaskRunRequest{Goal: "fill " + who, Tab: "t1"}, agent(who).Actor); err != nil {
			t.Fatal(err)
		}
	}
	for _, c := range []struct {
		grant auth.Grant
		req   protocol.TaskListRequest
		want  int
	}{
		{shell(), protocol.TaskListRequest{}, 3},
		{shell(), protocol.TaskListRequest{Limit: 2}, 2},
		{agent("a"), protocol.TaskListRequest{}, 2},
		{agent("a"), protocol.TaskListRequest{Limit: 1}, 1},
		{agent("b"), protocol.TaskListRequest{Limit: 1}, 1},
		{agent("c"), protocol.TaskListRequest{}, 0},
		{agent("b"), protocol.TaskListRequest{Text: "fill a"}, 0},
	} {
		if got, err := d.List(c.grant, c.req); err != nil || len(got.Tasks) != c.want || len(got.Found) > c.want {
			t.Errorf("%s, %+v: %+v, %v", c.grant.Actor.ID, c.req, got, err)
		}
	}
}

// A command of a task runs with the task as actor, on its tabs; the tabs that
// it opens join them. Only the view that runs the task may send a command.
func TestATasksCommand(t *testing.T) {
	d := newDesk(t, nil)
	d.write(t, one, "p", protocol.TaskRunning)
	d.reply = func(call command.Call) protocol.CommandReply {
		d.cfg.Tabs.Set(append(d.cfg.Tabs.All(), protocol.Tab{ID: "t3", URL: "https://c.example/", Opener: "t1"}))
		return protocol.CommandReply{OK: true, Text: call.Request.Command}
	}
	step := protocol.TaskWriteRequest{Task: one, Viewer: "p", Kind: protocol.TaskEventStep, Data: json.RawMessage(`{"n":1}`)}
	reply, err := d.Command(t.Context(), protocol.TaskCommandRequest{Task: one, Viewer: "p", Writes: []protocol.TaskWriteRequest{step}, Command: protocol.CommandRequest{Command: "click"}})
	if err != nil || !reply.OK || reply.Text != "click" || reply.Written == nil || reply.Written.Index != 1 {
		t.Fatalf("%+v, %v", reply, err)
	}
	call := d.calls[0]
	if call.Actor.Kind != protocol.ActorTask || call.Actor.ID != string(one) || call.Tab != "t1" || slices.Contains(call.Scopes, protocol.ScopeSensitive) {
		t.Errorf("it runs as %+v", call)
	}
	page, err := d.Read(shell(), one, 0)
	if err != nil || !slices.Equal(page.Head.Tabs, []protocol.TabID{"t1", "t3"}) {
		t.Errorf("its tabs are %q, %v", page.Head.Tabs, err)
	}
	for name, c := range map[string]struct {
		req  protocol.TaskCommandRequest
		want protocol.Code
	}{
		"another view":         {protocol.TaskCommandRequest{Task: one, Viewer: "q"}, protocol.CodeForbidden},
		"another task's event": {protocol.TaskCommandRequest{Task: one, Viewer: "p", Writes: []protocol.TaskWriteRequest{{Task: "other"}}}, protocol.CodeBadArgument},
	} {
		reply, err := d.Command(t.Context(), c.req)
		if err == nil && reply.Error != nil {
			err = reply.Error
		}
		if code(err) != c.want {
			t.Errorf("%s: %+v, %v", name, reply, err)
		}
	}
	if len(d.calls) != 1 {
		t.Errorf("%d commands ran", len(d.calls))
	}
}

// The user lets a task use a tab, and later no longer use it.
func TestTabsOfATask(t *testing.T) {
	d := newDesk(t, nil)
	d.write(t, one, "p", protocol.TaskRunning)
	if _, err := d.Tab(protocol.TaskTabRequest{Task: one, Tab: "t9"}); code(err) != protocol.CodeUnknownTab {
		t.Errorf("a tab that is not open: %v", err)
	}
	if head, err := d.Tab(protocol.TaskTabRequest{Task: one, Tab: "t2"}); err != nil || !slices.Equal(head.Tabs, []protocol.TabID{"t1", "t2"}) {
		t.Errorf("%+v, %v", head, err)
	}
	actor := protocol.Actor{Kind: protocol.ActorTask, ID: string(one)}
	d.policy.Opened(actor, "t2")
	if head, err := d.Tab(protocol.TaskTabRequest{Task: one, Tab: "t2", Remove: true}); err != nil || !slices.Equal(head.Tabs, []protocol.TabID{"t1"}) {
		t.Errorf("%+v, %v", head, err)
	}
	if d.policy.Tab(actor, "t1", "t2", d.cfg.Tabs.All()) == nil {
		t.Error("it may still act on the tab that was taken from it")
	}
}
