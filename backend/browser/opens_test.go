package browser

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/protocol"
)

// A click that makes a script open a window does not hang the opener, with a gate
// and without.
func TestWindowOpenedByScript(t *testing.T) {
	s := &stage{fixture: headless(t)}
	s.url = pages(t, map[string]string{
		"/":     `<button onclick="w = window.open('/next'); document.title = 'opened'">Open</button>`,
		"/next": `<p>there`,
	})
	s.tab = s.first(t)
	for _, gated := range []bool{false, true} {
		if gated {
			if err := s.Gate(t.Context(), s.tab, []string{"*://*:1/*"}, func(string, bool) error { return nil }, nil, nil); err != nil {
				t.Fatal(err)
			}
		}
		for range 3 {
			s.open(t, "/")
			e := s.act(t, click("text=Open"))
			if len(e.Tabs) != 1 || e.Title != "opened" {
				t.Errorf("gated %v: %+v", gated, e)
			}
			if got := s.eval(t, "document.title + w.closed"); got != "openedfalse" {
				t.Errorf("gated %v: title %q", gated, got)
			}
		}
	}
}

// A link that a key or the middle button opens in the background is an effect of
// the click, like one that opens in front.
func TestLinkOpenedInTheBackground(t *testing.T) {
	s := &stage{fixture: headless(t)}
	moved := serve(t, http.RedirectHandler("/there", http.StatusFound))
	other := pages(t, map[string]string{"/": `<a href="/next">Foreign</a>`})
	s.url = pages(t, map[string]string{
		"/": `<a href="/next">Plain</a> <a href="/next" rel=noreferrer>Private</a> <a href="` + moved.URL + `/">Moved</a>
			<a href="/next" onclick="event.preventDefault()">Kept</a><iframe srcdoc="<a href='/next'>Inner</a>"></iframe>
			<iframe src="` + strings.Replace(other, "127.0.0.1", "localhost", 1) + `"></iframe>`,
		"/next": `<p>there`,
	})
	s.tab = s.first(t)
	s.open(t, "/")
	for _, c := range []struct {
		q    protocol.ActRequest
		tabs int
	}{
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Plain", Modifiers: "Control"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Plain", Button: "middle"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Plain", Modifiers: "Control+Shift"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Private", Modifiers: "Control"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Inner", Modifiers: "Control"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Foreign", Modifiers: "Control"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Moved", Modifiers: "Control"}, 1},
		{protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Kept", Modifiers: "Control"}, 0},
	} {
		e := s.act(t, c.q)
		if len(e.Tabs) != c.tabs || e.Navigated || e.Nothing && c.tabs > 0 {
			t.Errorf("%+v: %+v", c.q, e)
		}
	}
}

// A tab that the user opens from an agent's page is the user's; one that a command opens
// belongs to whom the page belongs to.
func TestTabThatTheUserOpens(t *testing.T) {
	s := &stage{fixture: windowed(t)} // only the extension's worker tells of the opener
	s.url = pages(t, map[string]string{
		"/":     `<style>body { margin: 0 } a { position: absolute; top: 0; left: 0; width: 200px; height: 60px }</style><a href="/next">Next</a>`,
		"/next": `<p>there`,
	})
	s.tab = s.first(t)
	s.awaitWorker(t)
	p := s.page(t)
	// Not by a command: what follows must be long after one.
	if err := p.Call(deadline(t), cdppage.Navigate.Method, cdppage.NavigateParams{URL: s.url + "/"}, nil); err != nil {
		t.Fatal(err)
	}
	s.wait(t, "the page", func() bool {
		return slices.ContainsFunc(s.tabs, func(tab protocol.Tab) bool { return tab.ID == s.tab && tab.URL == s.url+"/" })
	})
	drawn := runtime.EvaluateParams{AwaitPromise: new(true), Expression: `new Promise((done) => document.readyState === 'complete' ? requestAnimationFrame(done) : addEventListener('load', () => requestAnimationFrame(done)))`}
	if err := p.Call(deadline(t), runtime.Evaluate.Method, drawn, nil); err != nil {
		t.Fatal(err)
	}
	opened := func(not protocol.TabID) (tab protocol.Tab) {
		t.Helper()
		s.wait(t, "another tab", func() bool {
			for _, one := range s.tabs {
				if one.Opener == s.tab && one.ID != not {
					tab = one
				}
			}
			return tab.ID != ""
		})
		return tab
	}
	for _, e := range pressAt(100, 30) {
		press := e.(input.DispatchMouseEventParams) //nolint:forcetypeassert // a test may panic
		press.Modifiers = 2                         // Control
		if err := p.Call(deadline(t), input.DispatchMouseEvent.Method, press, nil); err != nil {
			t.Fatal(err)
		}
	}
	users := opened("")
	if !users.ByUser {
		t.Errorf("the user opened %+v", users)
	}
	s.act(t, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Next", Modifiers: "Control"})
	if tab := opened(users.ID); tab.ByUser {
		t.Errorf("a command opened %+v", tab)
	}
}
