package e2e

import (
	"io"
	"net/http"
	"strings"
	"testing"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// reachByPage acts with the page's synthetic events and with what the browser
// allows extensions. At the end it repeats what was reported to it about that.
func reachByPage(s scene) model.Reply {
	switch {
	case s.first():
		return step(
			do{"do": "type", "ref": s.ref("edit Name"), "text": "Ada"},
			do{"do": "check", "ref": s.ref("[ ] News")},
			do{"do": "click", "ref": s.ref("btn Save")},
			do{"do": "wait", "for": "text", "value": "Saved: "},
		)
	case strings.Contains(s.page, "Saved: Ada, Paris, with news"):
		return step(do{"do": "goto", "url": "/board"})
	case strings.Contains(s.page, "Nothing in the bin"):
		return step(do{"do": "drag", "ref": s.ref("btn Card"), "to": s.ref("region Bin")})
	case strings.Contains(s.page, "Card is in the bin") && s.taken() == 3:
		return step(do{"do": "upload", "ref": s.ref("file Picture"), "file": "/etc/hostname"}, do{"do": "tabs"})
	case strings.Contains(s.page, "Card is in the bin"):
		return step(do{"do": "back"})
	case strings.Contains(s.page, "# Order"):
		return finish(true, s.page+s.steps)
	}
	return finish(false, "the page is not as it should be: "+s.prompt)
}

// board is a page with something to drag, and a file field.
const board = `<!doctype html><title>Board</title><h1>Board</h1>
	<div id=card draggable=true role=button tabindex=0>Card</div>
	<section aria-label=Bin role=region tabindex=0 style="width:200px;height:80px">The bin</section>
	<label>Picture <input type=file></label><p id=out role=status>Nothing in the bin</p>
	<script>
		const bin = document.querySelector('section')
		card.ondragstart = (event) => event.dataTransfer.setData('text/plain', card.textContent)
		bin.ondragover = (event) => event.preventDefault()
		bin.ondrop = (event) => { out.textContent = event.dataTransfer.getData('text/plain') + ' is in the bin' }
	</script>`

// held accepts a request and, when released, answers that the client must retry.
func held(asked chan<- struct{}, goes <-chan struct{}) http.HandlerFunc {
	again := refusing(http.StatusTooManyRequests, "0")
	return func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		close(asked)
		select {
		case <-goes:
			again(w, r)
		case <-r.Context().Done():
		}
	}
}

// actByPage: where the browser gives the app no access to a tab, the content
// script reads and acts, shows the overlay, and says how it acted. What it cannot
// do is refused with a reason.
func actByPage(t *testing.T, p *product, m *hosted, browser *tap.Client, panel *tap.Page, pages string) {
	t.Helper()
	// The app attaches at once to tabs that appear soon after a command: the command may
	// have opened them.
	if err := browser.RefuseNext(p.ctx); err != nil {
		t.Fatal(err)
	}
	var made struct {
		TargetID string `json:"targetId"`
	}
	if err := browser.Call(p.ctx, "", "Target.createTarget", map[string]any{"url": "about:blank"}, &made); err != nil {
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
	p.do(page, `document.addEventListener('click', (event) => { document.title = 'trusted: ' + event.isTrusted }, true)`)
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
	// The first tab has a task, this one has none.
	p.until(panel, "the panel is beside the new tab", `!document.querySelector('.goal')`)
	p.toTask(panel)
	asked, goes := make(chan struct{}), make(chan struct{})
	m.expect(nil, held(asked, goes))
	p.tell(panel, "Reach the page by itself")
	p.await(asked)
	var title string
	if err := page.Eval(p.ctx, "document.title", &title); err != nil || title != "trusted: false" {
		t.Errorf("the page saw %q, %v", title, err)
	}
	p.until(panel, "the person is told", `[...document.querySelectorAll('.notice')].some((one) => one.innerText.includes('does not let Pilotfish control this tab'))`)
	p.until(panel, "each action says how it was done", `[...document.querySelectorAll('.way')].filter((one) => one.checkVisibility() && one.textContent === 'simulated').length === 3`)

	p.until(page, "the page is covered", isCovered)
	for _, kind := range []string{"mousePressed", "mouseReleased"} {
		at := map[string]any{"type": kind, "x": 60, "y": 30, "button": "left", "clickCount": 1}
		if err := page.Call(p.ctx, "Input.dispatchMouseEvent", at, nil); err != nil {
			t.Fatal(err)
		}
	}
	if err := page.Eval(p.ctx, "document.title", &title); err != nil || title != "trusted: false" {
		t.Errorf("a hand reached the page: %q, %v", title, err)
	}
	// Reload: the last document is there, with its overlay, until the next one
	// is.
	p.do(page, "globalThis.last = true; location.reload()")
	p.until(page, "the next document is covered", "globalThis.last === undefined && "+isCovered)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "task-bypage.png")); err != nil {
		t.Error(err)
	}
	escape := map[string]any{"type": "keyDown", "key": "Escape", "code": "Escape", "windowsVirtualKeyCode": 27}
	if err := page.Call(p.ctx, "Input.dispatchKeyEvent", escape, nil); err != nil {
		t.Fatal(err)
	}
	p.until(panel, "Esc on the page pauses", `[...document.querySelectorAll('header .soft')].some((one) => one.textContent.trim() === 'Pausing')`)
	p.press(panel, "Resume")
	close(goes)

	said := p.ended(panel, protocol.TaskDone)
	for _, want := range []string{
		"The app can give this tab no trusted input", "by the page’s own events", "text: done", "went there", "dragged by", "went back",
		"upload needs the app's own way into the tab, which the browser refuses", "Ask the person to choose the file by hand.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("the model is not told %q: %s", want, said)
		}
	}
	p.until(page, "the page is uncovered at the end", "!"+isCovered)

	// The task page acts in the same way.
	p.do(page, `document.addEventListener('click', (event) => { document.title = 'trusted: ' + event.isTrusted }, true)`)
	closePanel(p, browser)
	if out := p.cli("task", "run", "Fill it without a panel", "--tab", id); !strings.Contains(out, "Saved: Ada, Berlin, with news") {
		t.Errorf("without a panel:\n%s", out)
	}
	if err := page.Eval(p.ctx, "document.title", &title); err != nil || title != "trusted: false" {
		t.Errorf("the page saw %q, %v", title, err)
	}
	p.clickIcon(browser)
	p.connectedPanel(browser)
	p.cli("closetab", id)
}
