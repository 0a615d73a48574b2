package e2e

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/protocol"
)

// pair is a task that fills one of two forms. It sends its form when the other
// task has got as far, so that both run at the same time.
func (st *scenarios) pair(s scene) model.Reply {
	name := strings.TrimPrefix(s.goal, "Pair ")
	switch s.taken() {
	case 0:
		return step(enter("edit Name", name)(s))
	case 1:
		select {
		case st.both <- struct{}{}:
		case <-st.both:
		case <-st.over:
		}
		return step(click("btn Save")(s))
	}
	return s.checked("Saved: name=" + name)
}

// play is one test with several tasks or tabs.
type play struct {
	name string
	does func(*scenarios)
}

// each runs them one after the other.
func (st *scenarios) each(t *testing.T, all []play) {
	t.Helper()
	whole := st.product
	for _, one := range all {
		passed := t.Run(one.name, func(t *testing.T) {
			st.product = whole.within(t)
			one.does(st)
		})
		if !passed {
			break // the next one would start in the state of this one
		}
	}
	st.product = whole
}

func tabScenarios() []play {
	return []play{
		{"a tab closed in the middle of a step", func(st *scenarios) {
			st.closed(plain("wait", "for", "text", "value", "never on this page"), "Wait until “never")
		}},
		{"two tabs, one of them behind", (*scenarios).sideBySide},
		{"two windows", (*scenarios).twoWindows},
	}
}

// beside opens a page in a new tab in front, as a user does, and opens Task
// beside it.
func (st *scenarios) beside(address string) string {
	st.t.Helper()
	tab := st.made("newtab", address)
	st.until(st.panel, "the panel is beside the new tab", `!document.querySelector('.goal')`)
	st.toTask(st.panel)
	return tab
}

// closed: a user closes the tab of a task during an action; the task ends with a
// reason.
func (st *scenarios) closed(how act, sign string) {
	st.t.Helper()
	st.mu.Lock()
	st.now, st.seen = &scenario{turns: []turn{does(how)}}, nil
	st.mu.Unlock()
	tab := st.beside(st.pages + "/late.html")
	st.tell(st.panel, "Scenario: closed")
	st.until(st.panel, "it is in the middle of it", `document.body.innerText.includes(`+strconv.Quote(sign)+`)`)
	st.cli("closetab", tab)
	st.until(st.panel, "the panel says that it has ended", `document.body.innerText.includes('has ended: All tabs of the task were closed.')`)
	if task := st.tasks()[0]; task.State != protocol.TaskFailed || !strings.Contains(task.Summary, "All tabs of the task were closed") {
		st.t.Errorf("the task is %s: %s", task.State, task.Summary)
	}
	st.press(st.panel, "Dismiss")
}

// saves checks that a page has what a task entered.
func (st *scenarios) saves(part, name string) {
	st.t.Helper()
	st.until(st.page(st.browser, part), "the form is saved", `document.getElementById('out').textContent.includes(`+strconv.Quote("name="+name)+`)`)
}

// sideBySide: a task continues in the background while another one works in
// front. The panel shows where the other one is, and no task takes the user away
// from the tab in front.
func (st *scenarios) sideBySide() {
	st.t.Helper()
	st.task(st.panel, st.pages+"/fields.html?ada", "Pair Ada")
	tab := st.beside(st.pages + "/fields.html?bob")
	st.until(st.panel, "the panel says where the other one works", `document.querySelector('[aria-label="Tasks in other tabs"]')?.innerText.replaceAll('\u00a0', ' ').includes('Working in t1')`)
	st.tell(st.panel, "Pair Bob")
	st.until(st.panel, "it is shown", `document.querySelector('.goal')?.textContent === 'Pair Bob'`)
	st.ended(st.panel, protocol.TaskDone)
	st.saves("?ada", "Ada")
	st.saves("?bob", "Bob")
	st.eventually("the one behind is over, too", func() bool { return over(st.tasks(), "Pair Ada") })
	for _, one := range st.session(protocol.DefaultSession).Tabs {
		if one.Active != (string(one.ID) == tab) {
			st.t.Errorf("the person was in %s: %+v", tab, one)
		}
	}
	st.cli("closetab", tab)
}

// twoWindows: each window has its own panel and task, and they do not disturb
// each other.
func (st *scenarios) twoWindows() {
	st.t.Helper()
	st.task(st.panel, st.pages+"/fields.html?ada", "Pair Ada")
	tab := st.made("windows", "new")
	st.cli("goto", "--tab", tab, st.pages+"/fields.html?cyd")
	if out := st.cli("task", "run", "Pair Cyd", "--tab", tab); !strings.Contains(out, "Saved: name=Cyd") {
		st.t.Errorf("the task of the other window says: %s", out)
	}
	st.ended(st.panel, protocol.TaskDone)
	st.saves("?ada", "Ada")
	st.saves("?cyd", "Cyd")
	var goal string
	if err := st.panel.Eval(st.ctx, `document.querySelector('.goal').textContent`, &goal); err != nil || goal != "Pair Ada" {
		st.t.Errorf("the panel of the first window shows %q, %v", goal, err)
	}
	st.cli("windows", "close", "--tab", tab)
}

// over reports whether the newest task with a goal is done.
func over(all []protocol.Task, goal string) bool {
	at := slices.IndexFunc(all, func(t protocol.Task) bool { return t.Goal == goal })
	return at >= 0 && all[at].State == protocol.TaskDone
}

// joined: tabs that a page opened belong to the task; they are closed again.
func (st *scenarios) joined() {
	st.t.Helper()
	if tabs := st.tasks()[0].Tabs; len(tabs) != 3 {
		st.t.Errorf("the task has the tabs %q", tabs)
	}
	for _, tab := range st.session(protocol.DefaultSession).Tabs {
		if tab.ID != "t1" {
			st.cli("closetab", string(tab.ID))
		}
	}
}
