package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// The report of an input's effect is requested before the input is sent. The page
// may stop the propagation of the last event, prevent it, or go away with it: the
// report is the same as when it is requested afterwards.
func TestInputWhoseEndIsNotSeen(t *testing.T) {
	s := &stage{fixture: headless(t), url: pages(t, map[string]string{
		"/": `<script>for (const type of ['mouseup', 'input', 'keyup']) addEventListener(type, (e) => e.stopImmediatePropagation(), true)</script>
			<button onclick="this.textContent = 'Pressed'">Press</button><button onmousedown="this.remove()">Flee</button>
			<div onpointerover="this.insertAdjacentHTML('afterend', '<button>Hint</button>')"><button>Over</button></div>
			<input aria-label=Free><input aria-label=Held value=old onbeforeinput="event.preventDefault()">
			<button onmousedown="location.href = '/next'">Leave</button>`,
		"/next": "<h1>Next</h1>",
		// A change at the press does not mean that the click is over.
		"/form": `<form action=/next><button onmousedown="this.append('!')">Send</button></form>`,
	})}
	s.tab = s.first(t)
	s.open(t, "/")
	if e := s.act(t, click(s.ref(t, "Press"))); !strings.Contains(strings.Join(e.Changed, " "), "Pressed") {
		t.Errorf("%+v", e)
	}
	twice := click("text=Pressed")
	twice.Count = 2
	if e := s.act(t, twice); e.Hit == "" {
		t.Errorf("%+v", e)
	}
	if e := s.act(t, click(s.ref(t, "Flee"))); !strings.Contains(strings.Join(e.Gone, " "), "Flee") {
		t.Errorf("%+v", e)
	}
	// A change that the pointer causes on its way is an effect, too.
	if e := s.act(t, click(s.ref(t, "Over"))); !strings.Contains(strings.Join(e.Appeared, " "), "Hint") {
		t.Errorf("%+v", e)
	}
	fill := func(name, text string) protocol.ActRequest {
		return protocol.ActRequest{Kind: protocol.ActFill, Target: s.ref(t, name), Text: text}
	}
	for _, text := range []string{"Ada", "Grace", ""} {
		if e := s.act(t, fill("Free", text)); e.Value == nil || *e.Value != text {
			t.Errorf("%q: %+v", text, e)
		}
	}
	if why := s.refused(t, fill("Held", "new"), protocol.CodeNotActable); !strings.Contains(why, "old") {
		t.Error(why)
	}
	if e := s.act(t, click(s.ref(t, "Leave"))); !e.Navigated || !strings.HasSuffix(e.URL, "/next") {
		t.Errorf("%+v", e)
	}
	for range 5 {
		s.open(t, "/form")
		if e := s.act(t, click(s.ref(t, "Send"))); !e.Navigated {
			t.Errorf("%+v", e)
		}
	}
}

// By default Chromium drops presses and keys before a page's first frame without
// an error: for half a second on a page that renders nothing.
func TestInputBeforeTheFirstFrame(t *testing.T) {
	site := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><body style="height: 100vh"><script>for (const type of ["mousedown", "keydown"]) addEventListener(type, () => { document.title += type })</script>`)
	}))
	s := &stage{fixture: windowed(t), url: site.URL}
	s.tab = s.first(t)
	for range 5 {
		s.open(t, "/")
		s.act(t, click("100,100"))
		s.act(t, protocol.ActRequest{Kind: protocol.ActPress, Text: "a"})
		if got := s.script(t, s.tab, "document.title"); got != "mousedownkeydown" {
			t.Errorf("the page has seen %q", got)
		}
	}
}
