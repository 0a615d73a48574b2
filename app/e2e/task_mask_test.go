package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// handsPage records the user input that it receives, across reloads.
const handsPage = `<!doctype html><title>Hands</title><body style="margin:0;height:3000px">
	<h1>Hands</h1>
	<button id=task style="position:absolute;left:40px;top:120px;width:160px;height:40px">For the task</button>
	<button id=hand style="position:absolute;left:40px;top:220px;width:160px;height:40px">By hand</button>
	<button style="position:absolute;left:40px;top:320px">Send message</button>
	<a href=/aside target=_blank style="position:absolute;left:40px;top:380px">Aside</a>
	<script>
		for (const type of ['pointerdown', 'click', 'keydown', 'wheel']) document.addEventListener(type, (event) => {
			if (event.isTrusted) sessionStorage.heard = (sessionStorage.heard ?? '') + type + ':' + (event.target.id ?? '') + ' '
		}, true)
		addEventListener('scroll', () => { sessionStorage.heard = (sessionStorage.heard ?? '') + 'scroll ' })
		document.querySelector('button:not([id])').onclick = () => { document.title = 'Sent' }
	</script>`

// watched is a product with a task that waits in the middle of a step, so that a
// user can touch the page meanwhile.
type watched struct {
	*product
	browser *tap.Client
	panel   *tap.Page
	site    string
	// thinks receives when the model is called; the model answers after goes
	// receives.
	thinks chan struct{}
	goes   chan struct{}
}

// TestTaskIsWatched is what a user sees and does while a task works: the page has
// an overlay, the user is asked before something is sent, and the task's tabs are
// a group.
func TestTaskIsWatched(t *testing.T) {
	w := &watched{thinks: make(chan struct{}), goes: make(chan struct{})}
	ctx := t.Context()
	think := func() {
		select {
		case w.thinks <- struct{}{}:
		case <-ctx.Done():
			return
		}
		select {
		case <-w.goes:
		case <-ctx.Done():
		}
	}
	m := newHosted(t, map[string]func(scene) model.Reply{
		"Wait": func(s scene) model.Reply {
			think()
			if s.first() {
				return step(do{"do": "hover", "ref": s.ref("btn For the task")})
			}
			// The next turn reports what the user did.
			return step(
				do{"do": "click", "ref": s.ref("btn For the task")},
				do{"do": "done", "success": true, "text": s.now},
			)
		},
		"Send": func(s scene) model.Reply {
			if s.first() {
				return step(do{"do": "click", "ref": s.ref("btn Send message")})
			}
			return finish(true, "It says "+s.steps)
		},
		"Open": func(s scene) model.Reply {
			if s.first() {
				return step(do{"do": "click", "ref": s.ref("link Aside")})
			}
			think()
			return finish(true, "Both are open.")
		},
	})
	srv := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/aside" {
			_, _ = fmt.Fprint(rw, "<!doctype html><title>Aside</title><h1>Aside</h1>")
			return
		}
		_, _ = fmt.Fprint(rw, handsPage)
	}))
	t.Cleanup(srv.Close)
	w.site = srv.URL
	w.product, w.browser, w.panel = shared(t)
	// The app's window opens late, and comes to the front.
	if _, err := w.desk.WaitWindow(w.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	w.useModel(w.panel, m.front.URL+"/v1")
	w.toTask(w.panel)
	for _, one := range []struct {
		name string
		does func(*watched)
	}{{"the cover", (*watched).covered}, {"a question before something is sent", (*watched).asked}, {"the group of its tabs", (*watched).grouped}} {
		t.Run(one.name, func(t *testing.T) {
			p, q := *w.product, *w
			p.t, q.product = t, &p
			one.does(&q)
		})
	}
}

// isCovered is a script for whether a page has the overlay, as the page itself
// can tell.
const isCovered = `[...document.documentElement.children].some((one) => one.matches('div:popover-open'))`

// thinking waits until the model is called.
func (w *watched) thinking() {
	w.t.Helper()
	select {
	case <-w.thinks:
	case <-time.After(patience):
		var says string
		err := w.panel.Eval(w.ctx, "document.body.innerText", &says)
		w.t.Fatalf("the model was not asked; the panel says %q %v", says, err)
	}
}

// answers lets the model answer.
func (w *watched) answers() {
	w.t.Helper()
	select {
	case w.goes <- struct{}{}:
	case <-w.ctx.Done():
		w.t.Fatal("the model does not wait")
	}
}

// hand moves the real pointer to a place in a page and does something there.
func (w *watched) hand(page *tap.Page, x, y int, then ...string) {
	w.t.Helper()
	// The page is at the bottom left of its window; the panel is beside it.
	var at struct{ X, Y int }
	if err := page.Eval(w.ctx, `({X: screenX, Y: screenY + outerHeight - innerHeight})`, &at); err != nil {
		w.t.Fatal(err)
	}
	window, err := w.desk.WaitWindow(w.ctx, "Chromium$")
	if err != nil {
		w.t.Fatal(err)
	}
	for _, args := range append([][]string{{"windowactivate", "--sync", window}, {"mousemove", strconv.Itoa(at.X + x), strconv.Itoa(at.Y + y)}}, split(then)...) {
		if _, err := w.desk.Command(w.ctx, "xdotool", args...); err != nil {
			w.t.Fatal(err)
		}
	}
}

// split splits lines into commands.
func split(lines []string) (out [][]string) {
	for _, line := range lines {
		out = append(out, strings.Fields(line))
	}
	return out
}

// touch sends input to a page that must not reach it.
func (w *watched) touch(page *tap.Page) {
	w.t.Helper()
	w.hand(page, 120, 240, "click 1", "key a", "click 5", "key Return")
}

func (w *watched) heard(page *tap.Page) string {
	w.t.Helper()
	var heard string
	if err := page.Eval(w.ctx, `sessionStorage.heard ?? ''`, &heard); err != nil {
		w.t.Fatal(err)
	}
	return strings.TrimSpace(heard)
}

// headed waits until the panel's header shows a word.
func (w *watched) headed(word string) {
	w.t.Helper()
	w.until(w.panel, "the panel says "+word, fmt.Sprintf(`[...document.querySelectorAll('header .soft')].some((one) => one.textContent.trim() === %q)`, word))
}

// covered: no user input reaches the page, also after a reload. Esc pauses, and
// the model learns what the user then does.
func (w *watched) covered() {
	w.task(w.panel, w.site+"/hands", "Wait for me")
	page := w.page(w.browser, "/hands")
	w.thinking()
	w.until(page, "the page is covered", isCovered)
	// The page tries to remove the overlay.
	for _, attack := range []string{
		"document.documentElement.lastElementChild.remove()",
		"document.documentElement.lastElementChild.style.cssText = 'display: none !important'",
		"{ const d = document.body.appendChild(document.createElement('dialog')); d.style.cssText = 'inset: 0; width: 100%; height: 100%'; d.showModal(); d.remove() }",
		"new MutationObserver(() => document.querySelectorAll('html > :not(head, body)').forEach((e) => e.remove())).observe(document, {childList: true, subtree: true})",
	} {
		w.do(page, attack)
	}
	w.touch(page)
	// The last document is there, with its overlay, until the next one is.
	w.do(page, "globalThis.last = true; location.reload()")
	page = w.page(w.browser, "/hands")
	w.until(page, "the next document is covered", "globalThis.last === undefined && "+isCovered)
	w.touch(page)
	// Esc comes after all that, on the same path.
	w.hand(page, 120, 240, "key Escape")
	w.headed("Pausing")
	if heard := w.heard(page); heard != "" {
		w.t.Errorf("the page hears %q", heard)
	}
	if err := w.desk.Screenshot(w.ctx, artifact(w.t, "task-mask.png")); err != nil {
		w.t.Error(err)
	}
	w.answers()
	w.headed("Paused")
	w.until(page, "the page is uncovered", "!"+isCovered)
	w.hand(page, 120, 240, "click 1")
	w.until(page, "a hand reaches the page", `sessionStorage.heard.includes('click:hand') && (document.title = 'Touched')`)
	w.press(w.panel, "Resume")
	w.thinking()
	w.answers()
	if said := w.ended(w.panel, protocol.TaskDone); !strings.Contains(said, `click button "By hand"`) {
		w.t.Errorf("the model is told %q", said)
	}
	w.until(page, "the page is uncovered at the end", "!"+isCovered)
	if heard := w.heard(page); heard != "pointerdown:hand click:hand pointerdown:task click:task" {
		w.t.Errorf("by hand and of the task the page hears %q", heard)
	}
}
