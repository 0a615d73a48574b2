package e2e

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// twice is a task of two steps and an end: the name, and then the button. It
// types again what the page has lost meanwhile.
func twice(s scene) model.Reply {
	switch {
	case !strings.Contains(s.page, "Ada"):
		return step(do{"do": "type", "ref": s.ref("edit Name"), "text": "Ada"})
	case !strings.Contains(s.page, "Saved"):
		return step(do{"do": "click", "ref": s.ref("btn Save")})
	}
	return s.checked("Saved: Ada")
}

// clickIcon clicks the extension's icon, which opens or closes the side panel.
func (p *product) clickIcon(browser *tap.Client) {
	p.t.Helper()
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		p.t.Fatal(err)
	}
}

// hasPage reports whether there is a page whose address contains part.
func (p *product) hasPage(browser *tap.Client, part string) bool {
	p.t.Helper()
	targets, err := browser.Targets(p.ctx)
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.ContainsFunc(targets, func(t tap.Target) bool { return strings.Contains(t.URL, part) })
}

// connectedPanel attaches to the panel once it works.
func (p *product) connectedPanel(browser *tap.Client) *tap.Page {
	p.t.Helper()
	p.eventually("the panel is connected", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelConnected })
	return p.panel(browser)
}

// goOn resumes an interrupted task.
func (p *product) goOn(panel *tap.Page, at int) {
	p.t.Helper()
	name := fmt.Sprintf("Resume at step %d", at)
	// The button is enabled once the models are known.
	p.until(panel, "the task can go on", fmt.Sprintf(`[...document.querySelectorAll('button')].some((b) => b.textContent.trim() === %q && !b.disabled)`, name))
	p.press(panel, name)
	p.until(panel, "the task goes on", `!document.querySelector('.end.stopped')`)
}

// TestTaskInterrupted closes the panel in the middle of a task, and resumes the task at its
// step. TestAppKilled kills the app in the middle of one.
func TestTaskInterrupted(t *testing.T) {
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{"Twice": twice})
	p, browser, panel := shared(t)
	p.useModel(panel, m.front.URL+"/v1")
	p.toTask(panel)
	asked := make(chan struct{})
	m.expect(nil, hanging(asked))
	p.task(panel, pages+"/form", "Twice something")
	p.await(asked)
	p.clickIcon(browser)
	p.eventually("the task is interrupted", func() bool { return p.tasks()[0].State == protocol.TaskInterrupted })
	p.eventually("the panel's page is gone", func() bool { return !p.hasPage(browser, "panel.html") })
	p.clickIcon(browser)
	panel = p.connectedPanel(browser)
	p.toTask(panel)
	p.goOn(panel, 2)
	p.ended(panel, protocol.TaskDone)
	if task := p.tasks()[0]; task.Steps != 3 {
		t.Errorf("the task has %d steps", task.Steps)
	}
}

// TestTaskReplayed replays a task without a model: on a page that has changed it
// asks. Then it saves the task as a routine, which the command line runs, too.
func TestTaskReplayed(t *testing.T) {
	pages := taskSite(t)
	m := newHosted(t, map[string]func(scene) model.Reply{"Fill": fill})
	p, browser, panel := shared(t)
	p.useModel(panel, m.front.URL+"/v1")
	p.toTask(panel)
	p.task(panel, pages+"/form", "Fill this form for Ada")
	p.ended(panel, protocol.TaskDone)
	asked := len(m.Requests())

	p.cli("goto", "--tab", "t1", pages+"/form")
	form := p.page(browser, "/form")
	p.do(form, `document.querySelector('form').insertAdjacentHTML('beforeend', '<fieldset><legend>Draft</legend><button type=button>Save</button></fieldset>')`)
	p.press(panel, "Replay without a model")
	p.until(panel, "it asks which button", `document.querySelector('.question')?.innerText.includes('There are two “Save” (button) on this page. Which one?')`)
	p.tell(panel, "1")
	p.ended(panel, protocol.TaskDone)
	p.saved(form, "Saved: Ada, Berlin, with news")
	if n := len(m.Requests()); n != asked {
		t.Errorf("the model was asked %d times by a replay", n-asked)
	}
	p.do(panel, `document.querySelector('details.more').open = true`)
	p.until(panel, "the step has a picture", `document.querySelector('details.more img')?.naturalWidth > 0`)

	p.press(panel, "Save as routine")
	p.enter(panel, "Name", "Fill for somebody")
	p.do(panel, `[...document.querySelectorAll('label.check')].find((l) => l.innerText.includes('Ada')).control.click()`)
	p.press(panel, "Save")
	p.until(panel, "the routine is saved", `!document.querySelector('form[aria-label="A routine"]')`)
	p.eventually("the command line lists it", func() bool { return strings.Contains(p.cli("run"), "fill-for-somebody") })
	p.cli("run", "--tab", "t1", "fill-for-somebody", "name=Bob")
	p.saved(form, "Saved: Bob, Berlin, with news")
}

// saved waits until the form shows what was sent.
func (p *product) saved(form *tap.Page, text string) {
	p.t.Helper()
	p.until(form, "the form is sent", fmt.Sprintf(`document.getElementById('out').textContent === %q`, text))
}
