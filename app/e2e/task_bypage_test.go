package e2e

import (
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// reachByPage fills the form, and repeats in the end what it was told of that.
func reachByPage(s scene) model.Reply {
	if s.first() {
		return step(
			do{"do": "type", "ref": s.ref("edit Name"), "text": "Ada"},
			do{"do": "check", "ref": s.ref("[ ] News")},
			do{"do": "click", "ref": s.ref("btn Save")},
		)
	}
	if !strings.Contains(s.page, "Saved: Ada, Paris, with news") {
		return finish(false, "the page does not say that it is saved: "+s.prompt)
	}
	return finish(true, s.page+s.steps)
}

// actByPage: where the browser lets the app into a tab not at all, the content
// script looks and acts, and says so.
func actByPage(t *testing.T, p *product, browser *tap.Client, panel *tap.Page, pages string) {
	t.Helper()
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := browser.Call(p.ctx, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &made); err != nil {
		t.Fatal(err)
	}
	if err := browser.Refuse(p.ctx, made.TargetID); err != nil {
		t.Fatal(err)
	}
	page, err := browser.AttachTo(p.ctx, tap.Target{ID: made.TargetID})
	if err != nil {
		t.Fatal(err)
	}
	if err := page.Call(p.ctx, "Page.navigate", map[string]any{"url": pages + "/form?aside"}, nil); err != nil {
		t.Fatal(err)
	}
	p.until(page, "the page is there", `document.getElementById('out')`)
	p.do(page, `addEventListener('click', (event) => { document.title = 'trusted: ' + event.isTrusted }, true)`)
	var id string
	p.eventually("the tab is known", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if strings.HasSuffix(tab.URL, "/form?aside") {
				id = string(tab.ID)
			}
		}
		return id != ""
	})
	p.cli("tab", id)
	p.press(panel, "New task")
	p.until(panel, "the last task is put away", `!document.querySelector('.goal')`)
	p.tell(panel, "Reach the page by itself")
	said := p.ended(panel, protocol.TaskDone)
	for _, want := range []string{"The app can give this tab no trusted input", "by the page’s own events", "Saved: Ada, Paris, with news"} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is not told %q: %s", want, said)
		}
	}
	var title string
	if err := page.Eval(p.ctx, "document.title", &title); err != nil || title != "trusted: false" {
		t.Errorf("the page saw %q, %v", title, err)
	}
	p.cli("closetab", id)
}
