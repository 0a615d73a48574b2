package view

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"pilotfish/backend/hub"
	"pilotfish/backend/opentabs"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// window is a fake browser: it has tab groups and records what is done.
type window struct {
	mu     sync.Mutex
	did    []string
	groups []protocol.TabGroup
	steps  []protocol.RecordedStep
	broken error // the error that SetOverlay returns
}

func (w *window) note(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.did = append(w.did, fmt.Sprintf(format, args...))
}

// news returns what was done since the last call.
func (w *window) news() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	did := w.did
	w.did = nil
	return did
}

func (w *window) SetOverlay(_ context.Context, tab protocol.TabID, shown protocol.Overlay) error {
	w.note("mask %s %q %q %t", tab, shown.Title, shown.Step, shown.Asks)
	return w.broken
}

func (w *window) RemoveOverlay(_ context.Context, tab protocol.TabID) error {
	w.note("unmask %s", tab)
	return nil
}

func (w *window) Groups(context.Context) ([]protocol.TabGroup, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.groups), nil
}

func (w *window) GroupTabs(_ context.Context, group int, tabs []protocol.TabID) (int, error) {
	w.note("group %d %v", group, tabs)
	w.mu.Lock()
	defer w.mu.Unlock()
	for i := range w.groups {
		w.groups[i].Tabs = slices.DeleteFunc(slices.Clone(w.groups[i].Tabs), func(tab protocol.TabID) bool { return slices.Contains(tabs, tab) })
		if w.groups[i].ID == group {
			w.groups[i].Tabs = append(w.groups[i].Tabs, tabs...)
			return group, nil
		}
	}
	group = 100 + len(w.groups)
	w.groups = append(w.groups, protocol.TabGroup{ID: group, Tabs: slices.Clone(tabs)})
	return group, nil
}

func (w *window) UngroupTabs(_ context.Context, tabs []protocol.TabID) error {
	w.note("ungroup %v", tabs)
	return nil
}

func (w *window) SetGroup(_ context.Context, group int, title, color *string, _ *bool) error {
	w.note("name %d %q %s", group, *title, *color)
	return nil
}

func (w *window) StartRecording(_ context.Context, _ protocol.Caller, tab protocol.TabID, _ string) error {
	w.note("record %s", tab)
	return nil
}

func (w *window) StopRecording(_ context.Context, _ protocol.Caller, tab protocol.TabID, _ string) (protocol.Recording, error) {
	w.note("recorded %s", tab)
	return protocol.Recording{Steps: w.steps}, nil
}

// shown is a fixture: Pages and what they published.
type shown struct {
	*Pages
	published []any
}

func start(t *testing.T, w *window, tabs ...protocol.Tab) *shown {
	t.Helper()
	s, events := &shown{}, hub.New[any](1)
	events.Observe(func(event any) { s.published = append(s.published, event) })
	s.Pages = New(Config{Tabs: opentabs.New(tabs...), Events: events, Logger: slog.New(slog.DiscardHandler)})
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() { defer close(ended); s.Run(ctx, w) }()
	synctest.Wait()
	t.Cleanup(func() { cancel(); <-ended })
	return s
}

// is waits until everything was done and compares it.
func is(t *testing.T, w *window, what string, want ...string) {
	t.Helper()
	synctest.Wait()
	if got := w.news(); !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

func form(state protocol.TaskState, tabs ...protocol.TabID) protocol.Task {
	return protocol.Task{ID: "a", Title: "Fill the form", Tab: "t1", Tabs: tabs, State: state}
}

// The page that a task works on has an overlay while the task runs, which shows
// what the task does. Its tabs are in a group, whose colour shows the task's
// state.
func TestAPageIsCoveredWhileItsTaskRuns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{}
		s := start(t, w, protocol.Tab{ID: "t1"}, protocol.Tab{ID: "t2"})
		s.Wrote(protocol.TaskWriteRequest{Task: "a", Kind: protocol.TaskEventStep, Data: json.RawMessage(`{"thought":{"goal":"too early"}}`)})
		is(t, w, "a task that is not known")
		s.Changed(form(protocol.TaskRunning, "t1"))
		is(t, w, "begun", `mask t1 "Fill the form" "" false`, "group 0 [t1]", `name 100 "Fill the form" blue`)
		s.Wrote(protocol.TaskWriteRequest{Task: "a", Kind: protocol.TaskEventStep, Data: json.RawMessage(`{"thought":{"goal":"find Save"}}`)})
		is(t, w, "a step", `mask t1 "Fill the form" "find Save" false`)
		s.Changed(form(protocol.TaskRunning, "t1", "t2"))
		s.At("a", "t2")
		is(t, w, "on another tab", "unmask t1", `mask t2 "Fill the form" "find Save" false`, "group 100 [t2]")
		question := protocol.Approval{ID: "q", Actor: protocol.Actor{Kind: protocol.ActorTask, ID: "a"}, Words: protocol.ApprovalWords{What: "run JavaScript"}}
		s.Question(protocol.Approval{ID: "p", Actor: protocol.Actor{Kind: protocol.ActorTerminal, ID: "a"}}, nil)
		is(t, w, "a terminal's question")
		s.Question(question, nil)
		is(t, w, "a question", `mask t2 "Fill the form" "Needs your approval in the panel: run JavaScript" true`, `name 100 "Needs you: Fill the form" orange`)
		s.Question(question, &policy.Over{})
		is(t, w, "an answer", `mask t2 "Fill the form" "find Save" false`, `name 100 "Fill the form" blue`)
		s.Changed(form(protocol.TaskDone, "t1", "t2"))
		is(t, w, "the end", "unmask t2", "ungroup [t1 t2]")
		s.Changed(form(protocol.TaskDone, "t1", "t2"))
		is(t, w, "after the end")
	})
}

// The button on the overlay asks the panel for a pause. What the user does then
// is recorded until the task continues.
func TestWhatTheUserDoesMeanwhileIsNoted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{steps: []protocol.RecordedStep{{Do: "goto", URL: "https://a.example/"}, {Do: "click", Role: "button", Name: "Save"}}}
		s := start(t, w, protocol.Tab{ID: "t1"})
		s.Pause("t1")
		s.Changed(form(protocol.TaskRunning, "t1"))
		synctest.Wait()
		w.news()
		if len(s.published) != 0 {
			t.Errorf("published before a task runs: %+v", s.published)
		}
		s.Pause("t1")
		is(t, w, "the button", `mask t1 "Fill the form" "Pausing after this action" false`)
		if order, is := s.published[0].(protocol.TaskOrderEvent); !is || order.Order != "pause" || order.Task.ID != "a" {
			t.Errorf("the panel is told %+v", s.published)
		}
		s.Changed(form(protocol.TaskPaused, "t1"))
		is(t, w, "paused", "unmask t1", "record t1", `name 100 "Fill the form" grey`)
		s.Changed(form(protocol.TaskRunning, "t1"))
		if did := s.Did(t.Context(), w, "a"); did != `click button "Save"` {
			t.Errorf("the agent is told %q", did)
		}
		if did := s.Did(t.Context(), w, "a"); did != "" {
			t.Errorf("and then %q", did)
		}
		synctest.Wait()
	})
}

// A failed overlay is tried again at the next change. A group stays if the user
// wants it to, and a tab returns to the group that it was taken from.
func TestGroups(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := &window{groups: []protocol.TabGroup{{ID: 7, Tabs: []protocol.TabID{"t1", "t9"}}}, broken: protocol.NewError(protocol.CodeNoInput, "no", "")}
		s := start(t, w, protocol.Tab{ID: "t1", WindowID: 1}, protocol.Tab{ID: "t2", WindowID: 2})
		s.Changed(form(protocol.TaskRunning, "t1", "t2", "t3"))
		is(t, w, "begun", `mask t1 "Fill the form" "" false`, "group 0 [t1]", `name 101 "Fill the form" blue`)
		s.Changed(form(protocol.TaskRunning, "t2"))
		is(t, w, "without its first tab", `mask t1 "Fill the form" "" false`, "ungroup [t1]", "group 101 [t2]")
		s.Changed(form(protocol.TaskRunning, "t1"))
		synctest.Wait()
		w.news()
		s.Changed(form(protocol.TaskStopped, "t1"))
		is(t, w, "the end", "ungroup [t2 t1]", "group 7 [t1]")

		kept := form(protocol.TaskRunning, "t1")
		kept.ID, kept.KeepGroup = "b", true
		s.Changed(kept)
		synctest.Wait()
		w.news()
		kept.State = protocol.TaskFailed
		s.Changed(kept)
		is(t, w, "a group that stays", `name 102 "Fill the form" red`)
	})
}

func TestGroupTitle(t *testing.T) {
	for _, c := range []struct {
		title string
		asks  bool
		want  string
	}{
		{"Fill the form", false, "Fill the form"},
		{"Fill the form", true, "Needs you: Fill the form"},
		{strings.Repeat("ä", 31), false, strings.Repeat("ä", 29) + "…"},
		{strings.Repeat("ä", 30), true, "Needs you: " + strings.Repeat("ä", 18) + "…"},
	} {
		if got := groupTitle(c.title, c.asks); got != c.want {
			t.Errorf("%q, %t: %q", c.title, c.asks, got)
		}
	}
}

// The user's actions are described in text. Names from the page are shortened
// and quoted, and a secret is never included.
func TestInWords(t *testing.T) {
	for want, steps := range map[string][]protocol.RecordedStep{
		"":                             {{Do: "goto", URL: "https://a.example/"}},
		`went to "https://b.example/"`: {{Do: "goto", URL: "https://a.example/"}, {Do: "goto", URL: "https://b.example/"}},
		`fill textbox "Name": "Ada"; filled textbox "PIN" with something secret; pressed Enter in textbox "PIN"`: {
			{Do: "fill", Role: "textbox", Name: "Name", Value: "Ada"},
			{Do: "fill", Role: "textbox", Name: "PIN", Value: "1234", Secret: true},
			{Do: "press", Role: "textbox", Name: "PIN", Value: "Enter"},
		},
		`click "` + strings.Repeat("x", nameMost-1) + `…"`: {{Do: "click", Name: strings.Repeat("x", 2*nameMost)}},
	} {
		if got := inWords(steps); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
	many := inWords(slices.Repeat([]protocol.RecordedStep{{Do: "click", Name: "a"}}, actionsMost+5))
	if !strings.HasSuffix(many, `; click "a"; and 5 more`) || strings.Count(many, "click") != actionsMost {
		t.Errorf("of many: %q", many)
	}
}
