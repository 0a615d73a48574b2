package runner_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
	"pilotfish/backend/schedule"
	"pilotfish/backend/schedule/runner"
)

// app is a small honest app with one session: it has tabs, routines, and a task whose
// progress a test gives.
type app struct {
	state    protocol.SessionState
	started  error
	routines []protocol.TaskRoutine
	did      []string
	fails    string // a command that fails
	progress []protocol.Task
	asked    protocol.TaskRunRequest
	refused  error
	grants   []auth.Grant
}

func (a *app) State(name protocol.SessionName) (protocol.SessionState, error) {
	if name != protocol.DefaultSession {
		return "", protocol.NewError(protocol.CodeUnknownSession, "there is no such session", "")
	}
	return a.state, nil
}

func (a *app) Start(context.Context, protocol.SessionName) error {
	if a.started == nil {
		a.state = protocol.SessionRunning
	}
	return a.started
}

func (a *app) Tasks(protocol.SessionName) (runner.Tasks, error) { return a, nil }

func (a *app) Find(name string) (command.Spec, error) { return catalogue.Table().Find(name) }

func (a *app) Command(_ context.Context, grant auth.Grant, req protocol.CommandRequest) protocol.CommandReply {
	args, _ := json.Marshal(req.Args)
	line := fmt.Sprintf("%s on %s with %s", req.Command, req.Tab, args)
	if req.Tab == "" {
		line = fmt.Sprintf("%s beside %s with %s", req.Command, grant.Tab, args)
	}
	a.did, a.grants = append(a.did, line), append(a.grants, grant)
	if req.Command == a.fails {
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeNavigation, "it cannot be loaded", "")}
	}
	data := `{"tab":"t7","text":"whole text"}`
	if req.Command == "markdown" {
		data = `{"text":"3 €"}`
	}
	return protocol.CommandReply{OK: true, Text: "did " + req.Command, Data: json.RawMessage(data)}
}

func (a *app) Run(_ context.Context, _ auth.Grant, req protocol.TaskRunRequest) (protocol.Task, error) {
	a.asked = req
	return protocol.Task{ID: "task", State: protocol.TaskRunning}, a.refused
}

func (a *app) Stop(context.Context, auth.Grant, protocol.TaskID) (protocol.Task, error) {
	a.did = append(a.did, "stop")
	return protocol.Task{}, nil
}

func (a *app) Follow(ctx context.Context, _ auth.Grant, _ protocol.TaskID, _ uint64) (iter.Seq2[protocol.TaskPage, error], error) {
	return func(yield func(protocol.TaskPage, error) bool) {
		for _, head := range a.progress {
			if !yield(protocol.TaskPage{Head: head}, nil) || head.State.Over() {
				return
			}
		}
		<-ctx.Done()
	}, nil
}

func (a *app) Routines() ([]protocol.TaskRoutine, error) { return a.routines, nil }

func one(what protocol.ScheduleWhat) protocol.Schedule {
	return protocol.Schedule{Name: "one", Session: protocol.DefaultSession, What: what}
}

func run(t *testing.T, a *app, s protocol.Schedule, file string) (result schedule.Result, err error) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		// The fake clock goes on only while everything waits, so that the limit ends only
		// those that never end.
		ctx, cancel := context.WithTimeout(t.Context(), 2*protocol.TaskLostWait)
		defer cancel()
		result, err = runner.New(a).Run(ctx, s, file, func(protocol.TaskID) { a.did = append(a.did, "begun") })
	})
	return result, err
}

// What does not exist, or may not run, is refused when the schedule is added.
func TestCheck(t *testing.T) {
	a := &app{state: protocol.SessionStopped, routines: []protocol.TaskRoutine{{Name: "book", Goal: "go to ${place}", Params: []string{"place", "day"}, Defaults: map[string]string{"day": "Monday"}}}}
	r := runner.New(a)
	for text, s := range map[string]protocol.Schedule{
		"no such session":      {Session: "other", What: protocol.ScheduleWhat{Task: "x"}},
		"has no routine":       one(protocol.ScheduleWhat{Routine: "none"}),
		"has no parameter":     one(protocol.ScheduleWhat{Routine: "book", Params: map[string]string{"place": "a", "x": "y"}}),
		"needs a value":        one(protocol.ScheduleWhat{Routine: "book"}),
		"unknown command":      one(protocol.ScheduleWhat{Commands: []string{"flyy"}}),
		"cannot run secret":    one(protocol.ScheduleWhat{Commands: []string{"secret list"}}),
		"text has no option":   one(protocol.ScheduleWhat{Commands: []string{"text --what"}}),
		"quote that is not cl": one(protocol.ScheduleWhat{Commands: []string{"text 'a"}}),
	} {
		if err := r.Check(s); err == nil {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, what := range []protocol.ScheduleWhat{{Task: "x"}, {Routine: "book", Params: map[string]string{"place": "a"}}, {Commands: []string{"goto a.example", "screenshot"}}} {
		if err := r.Check(one(what)); err != nil {
			t.Error(err)
		}
	}
}

func TestReady(t *testing.T) {
	a := &app{state: protocol.SessionStopped}
	s := one(protocol.ScheduleWhat{Task: "x"})
	if err := runner.New(a).Ready(t.Context(), s); err == nil || !strings.Contains(err.Error(), "does not start it") {
		t.Error(err)
	}
	s.StartSession = true
	if err := runner.New(a).Ready(t.Context(), s); err != nil || a.state != protocol.SessionRunning {
		t.Error(err)
	}
	a.started = errors.New("no browser")
	if err := runner.New(a).Ready(t.Context(), s); err == nil || !strings.Contains(err.Error(), "no browser") {
		t.Error(err)
	}
	s.Session = "other"
	if err := runner.New(a).Ready(t.Context(), s); err == nil {
		t.Error("an unknown session is ready")
	}
}

// A task runs in a tab of its own, which is closed when the task succeeded.
func TestTask(t *testing.T) {
	goal := protocol.ScheduleWhat{Task: "book ${file}", Start: "https://a.example"}
	for _, c := range []struct {
		name     string
		progress []protocol.Task
		tokens   int
		said     string
		stopped  bool
	}{
		{"done", []protocol.Task{{State: protocol.TaskRunning}, {State: protocol.TaskDone, Summary: "booked", Steps: 3, Tokens: 9}}, 10, "", false},
		{"failed", []protocol.Task{{State: protocol.TaskFailed, Error: protocol.NewError(protocol.CodeBadKey, "bad key", "")}}, 0, "bad key", false},
		{"failed without a reason", []protocol.Task{{State: protocol.TaskFailed, Summary: "gave up"}}, 0, "gave up", false},
		{"stopped by the user", []protocol.Task{{State: protocol.TaskStopped}}, 0, "was stopped", false},
		{"interrupted", []protocol.Task{{State: protocol.TaskInterrupted}}, 0, "what ran it was closed", false},
		{"interrupted and resumed", []protocol.Task{{State: protocol.TaskInterrupted}, {State: protocol.TaskRunning}, {State: protocol.TaskDone}}, 0, "", false},
		{"too many tokens", []protocol.Task{{State: protocol.TaskRunning, Tokens: 11}}, 10, "may use 10", true},
		{"too long", []protocol.Task{{State: protocol.TaskWaiting}}, 10, "deadline", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			a := &app{state: protocol.SessionRunning, progress: c.progress}
			s := one(goal)
			s.MaxTokens, s.MaxSteps = c.tokens, 7
			result, err := run(t, a, s, "/in/a b.csv")
			if (err == nil) != (c.said == "") || err != nil && !strings.Contains(err.Error(), c.said) {
				t.Errorf("it ended with %v", err)
			}
			if a.asked.Goal != "book /in/a b.csv" || a.asked.Tab != "t7" || a.asked.MaxSteps != 7 {
				t.Errorf("asked for %+v", a.asked)
			}
			if slices.Contains(a.did, "stop") != c.stopped {
				t.Errorf("stopped: %v", a.did)
			}
			if slices.Contains(a.did, "closetab on t7 with {}") != (err == nil) {
				t.Errorf("its tab: %v", a.did)
			}
			if c.name == "done" && (result.Message != "booked" || result.Steps != 3 || result.Tokens != 9 || a.did[2] != "begun") {
				t.Errorf("%+v, %v", result, a.did)
			}
		})
	}
	a := &app{state: protocol.SessionRunning, refused: errors.New("no panel")}
	if _, err := run(t, a, one(goal), ""); err == nil || slices.Contains(a.did, "begun") {
		t.Errorf("a task that no panel took: %v", err)
	}
	a = &app{state: protocol.SessionRunning, fails: "goto"}
	if _, err := run(t, a, one(goal), ""); err == nil || !slices.Contains(a.did, "closetab on t7 with {}") {
		t.Errorf("a page that does not load: %v, %v", err, a.did)
	}
}

// Commands run in order on the run's tab until one fails. A file's name is a part of one
// value, whatever is in it.
func TestCommands(t *testing.T) {
	a := &app{state: protocol.SessionRunning}
	what := protocol.ScheduleWhat{Commands: []string{"upload #file ${file}", "screenshot"}}
	result, err := run(t, a, one(what), `/in/"x" --front y.csv`)
	if err != nil || result.Steps != 2 || result.Message != "did screenshot" {
		t.Errorf("%+v, %v", result, err)
	}
	if len(a.did) != 4 || !strings.Contains(a.did[1], `\"x\" --front y.csv`) || strings.Contains(a.did[1], `"front"`) {
		t.Errorf("%q", a.did)
	}
	for i, g := range a.grants {
		if g.Scopes.Has(protocol.ScopeAdmin) || g.Kind == auth.KindCLI || (i > 0 && i < 3 && g.Tab != "t7") {
			t.Errorf("rights of command %d: %+v", i, g)
		}
	}
	for _, name := range []string{"/in/a\nb", "/in/a\u202eb", "/in/\xff"} {
		if _, err := run(t, a, one(what), name); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeRefused {
			t.Errorf("%q: %v", name, err)
		}
	}
	a = &app{state: protocol.SessionRunning, fails: "screenshot"}
	if result, err := run(t, a, one(what), "/x"); err == nil || result.Steps != 2 || slices.Contains(a.did, "closetab on t7 with {}") {
		t.Errorf("%+v, %v, %v", result, err, a.did)
	}
	a = &app{state: protocol.SessionRunning, fails: "newtab"}
	if _, err := run(t, a, one(what), "/x"); err == nil || len(a.did) != 1 {
		t.Errorf("without a tab: %v, %v", err, a.did)
	}
}

// A routine with a goal is a task, a recorded one runs without a model.
func TestRoutine(t *testing.T) {
	a := &app{
		state: protocol.SessionRunning, progress: []protocol.Task{{State: protocol.TaskDone}},
		routines: []protocol.TaskRoutine{{Name: "book", Goal: "go to ${place}", Params: []string{"place"}}, {Name: "log-in", Params: []string{"user"}, Steps: []string{"fill e1 ${user}"}}},
	}
	if _, err := run(t, a, one(protocol.ScheduleWhat{Routine: "book", Params: map[string]string{"place": "${file}"}}), "/x"); err != nil || a.asked.Routine != "book" || a.asked.Params["place"] != "/x" {
		t.Errorf("%+v, %v", a.asked, err)
	}
	a.did = nil
	if _, err := run(t, a, one(protocol.ScheduleWhat{Routine: "log-in", Params: map[string]string{"user": "Ada L"}}), ""); err != nil || !strings.Contains(a.did[1], `run beside t7 with {"name":"log-in","params":"user=Ada L"}`) {
		t.Errorf("%q, %v", a.did, err)
	}
	if _, err := run(t, a, one(protocol.ScheduleWhat{Routine: "gone"}), ""); err == nil {
		t.Error("a routine that was deleted runs")
	}
}

// The text of a page is read in a tab that is closed again.
func TestText(t *testing.T) {
	s := protocol.Schedule{Session: protocol.DefaultSession, When: protocol.ScheduleWhen{Page: "https://a.example"}}
	a := &app{state: protocol.SessionRunning}
	if text, err := runner.New(a).Text(t.Context(), s); err != nil || text != "whole text" || a.did[len(a.did)-1] != "closetab on t7 with {}" {
		t.Errorf("%q, %v, %v", text, err, a.did)
	}
	s.When.Selector = ".price"
	if text, err := runner.New(a).Text(t.Context(), s); err != nil || text != "3 €" {
		t.Errorf("%q, %v", text, err)
	}
	a = &app{state: protocol.SessionRunning, fails: "goto"}
	if _, err := runner.New(a).Text(t.Context(), s); err == nil || a.did[len(a.did)-1] != "closetab on t7 with {}" {
		t.Errorf("%v, %v", err, a.did)
	}
}
