package e2e

import (
	"fmt"
	"strings"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// asked: before something is sent, the user is asked about the exact element. A
// denied action is not done, and one that is allowed for the task is not asked
// again.
func (w *watched) asked() {
	for _, answer := range []struct{ press, title, reported string }{
		{"Deny", "Hands", "the user denied"},
		{"Allow for this task", "Sent", "clicked"},
	} {
		w.task(w.panel, w.site+"/hands", "Send a message")
		w.until(w.panel, "the question is shown", `document.querySelector('.approval')`)
		var shown string
		if err := w.panel.Eval(w.ctx, `document.querySelector('.approval').innerText`, &shown); err != nil {
			w.t.Fatal(err)
		}
		for _, part := range []string{"wants to click “Send message”", "This may send or publish something", w.site} {
			if !strings.Contains(shown, part) {
				w.t.Errorf("the question does not say %q: %s", part, shown)
			}
		}
		w.word(w.panel, answer.press)
		if said := w.ended(w.panel, protocol.TaskDone); !strings.Contains(said, answer.reported) {
			w.t.Errorf("%s: the model was told %q", answer.press, said)
		}
		var title string
		if err := w.page(w.browser, "/hands").Eval(w.ctx, "document.title", &title); err != nil || title != answer.title {
			w.t.Errorf("%s: the page is called %q, %v", answer.press, title, err)
		}
	}
}

// word answers the question in the panel with the pointer.
func (p *product) word(panel *tap.Page, label string) {
	p.t.Helper()
	p.wordTo(panel, "", label)
}

// wordTo answers the question in the panel that has a text. A press counts only when
// the question has been visible for a moment, so it is repeated until then. It is never a
// press on the next question, which may have the same text.
func (p *product) wordTo(panel *tap.Page, question, label string) {
	p.t.Helper()
	p.do(panel, "globalThis.answered = undefined")
	p.eventually("the question is answered", func() bool {
		var at *struct{ X, Y float64 }
		find := fmt.Sprintf(`(() => {
			const asked = [...document.querySelectorAll('.approval')].filter((one) => one.innerText.includes(%q))
			const button = asked.flatMap((one) => [...one.querySelectorAll('button')]).find((b) => b.textContent.trim() === %q)
			if (button === undefined || button !== (globalThis.answered ??= button)) return null
			if (button.disabled) { // what is long is read first
				asked.forEach((one) => one.querySelectorAll('details').forEach((details) => { details.open = true }))
				return null
			}
			const r = button.getBoundingClientRect()
			return {X: r.x + r.width / 2, Y: r.y + r.height / 2}
		})()`, question, label)
		if err := panel.Eval(p.ctx, find, &at); err != nil {
			p.t.Fatal(err)
		}
		if at == nil {
			return true
		}
		for _, kind := range []string{"mousePressed", "mouseReleased"} {
			params := map[string]any{"type": kind, "x": at.X, "y": at.Y, "button": "left", "clickCount": 1}
			if err := panel.Call(p.ctx, "Input.dispatchMouseEvent", params, nil); err != nil {
				p.t.Fatal(err)
			}
		}
		return false
	})
}
