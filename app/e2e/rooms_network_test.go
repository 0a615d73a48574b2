package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// TestRoomsNetworkAndConsole: the panel counts the errors of the real page beside it,
// runs scripts in it, lists its requests, and says what a user or an agent changed
// about its network.
func TestRoomsNetworkAndConsole(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path != "/shop" {
			http.NotFound(w, r)
			return
		}
		_, _ = fmt.Fprint(w, `<!doctype html><title>Shop</title><link rel=icon href=data:,><script>console.log({price: 42}); setTimeout(() => { throw new Error('no stock'); });</script>`)
	}))
	t.Cleanup(site.Close)
	p, _, panel := shared(t)
	press := func(selector string) {
		t.Helper()
		p.until(panel, selector+" is there", fmt.Sprintf(`(() => { const one = document.querySelector(%q); one?.click(); return one !== null; })()`, selector))
	}
	shows := func(what, selector, text string) {
		t.Helper()
		p.until(panel, what, fmt.Sprintf(`[...document.querySelectorAll(%q)].some((one) => one.textContent.includes(%q))`, selector, text))
	}
	p.until(panel, "the panel is live", `document.querySelector('[role=tab][aria-label^=Console]') !== null`)
	p.cli("goto", site.URL+"/shop")
	press(`[role=tab][aria-label="Console, 1"]`) // its badge counts the error
	shows("the error", ".console .line.error", "no stock")
	p.until(panel, "a value opens", `(() => { const one = document.querySelector('.console button.row[aria-expanded=false]'); one?.click(); return document.querySelector('.console .parts')?.textContent.includes('price') ?? false; })()`)
	if err := panel.Eval(p.ctx, `document.querySelector('.prompt textarea').focus()`, nil); err != nil {
		t.Fatal(err)
	}
	if err := panel.Type(p.ctx, "(await Promise.resolve(document.title)) + 7\n"); err != nil {
		t.Fatal(err)
	}
	shows("the result", ".console .line.ran", "Shop7")

	press(`[role=tab][aria-label="Network"]`)
	shows("the room", ".network .empty", "Recording")
	p.cli("reload")
	shows("the document", ".network .row[role=option]", "shop")
	p.cli("network", "block", "*.png")
	shows("the notice", ".notice", "1 blocked")
	p.until(panel, "the notice ends it", `(() => { [...document.querySelectorAll('.notice button')].find((one) => one.textContent === 'Turn off')?.click(); return document.querySelector('.notice') === null; })()`)
	if rules := p.cli("network", "rules"); !strings.Contains(rules, "nothing is blocked") {
		t.Errorf("the rules: %s", rules)
	}
}

// TestRoomInspectorPicks: Pick lets the user choose an element of the real page, and shows
// what it is made of.
func TestRoomInspectorPicks(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = fmt.Fprint(w, `<!doctype html><title>Pick</title><body style="margin:0"><button style="width:100vw;height:100vh">Save it</button>`)
	}))
	t.Cleanup(site.Close)
	p, browser, panel := shared(t)
	p.cli("goto", site.URL+"/inspected")
	page := p.page(browser, "/inspected")
	p.until(panel, "the room opens", `(() => { const one = document.querySelector('[role=tab][aria-label^=Inspector]'); one?.click(); return one !== null; })()`)
	p.until(panel, "the user picks", `(() => { const one = document.querySelector('[aria-label="Pick an element"]:enabled'); one?.click(); return one !== null; })()`)
	// Only the browser knows when its picker has started. Until then, a click is the page's.
	for shown := false; !shown; {
		p.clickAt(page, 150, 150)
		if err := panel.Eval(p.ctx, `document.body.innerText.includes('Save it')`, &shown); err != nil {
			t.Fatal(err)
		}
		var problem string
		if err := panel.Eval(p.ctx, `document.querySelector('.note.bad')?.textContent ?? ''`, &problem); err != nil || problem != "" {
			t.Fatalf("the room says %q, %v", problem, err)
		}
	}
}
