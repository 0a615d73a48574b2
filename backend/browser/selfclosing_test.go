package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// closers are bodies of windows that close themselves, with the action after which they
// do. Where it says CLOSE, one of the ways to close it is written.
func closers(file string) map[string]struct {
	body string
	act  protocol.ActRequest
} {
	type closer = struct {
		body string
		act  protocol.ActRequest
	}
	to := func(kind protocol.ActKind, q protocol.ActRequest) protocol.ActRequest { q.Kind = kind; return q }
	return map[string]closer{
		"click":    {`<button onclick="CLOSE">Allow</button>`, click("text=Allow")},
		"submit":   {`<form onsubmit="event.preventDefault(); CLOSE"><input><button>Send</button></form>`, click("text=Send")},
		"dblclick": {`<button ondblclick="CLOSE">Allow</button>`, to(protocol.ActClick, protocol.ActRequest{Target: "text=Allow", Count: 2})},
		"press":    {`<form onsubmit="event.preventDefault(); CLOSE"><input aria-label=Code></form>`, to(protocol.ActPress, protocol.ActRequest{Target: "label=Code", Text: "Enter"})},
		"fill":     {`<input aria-label=PIN oninput="if (this.value.length === 4) CLOSE">`, to(protocol.ActFill, protocol.ActRequest{Target: "label=PIN", Text: "1234"})},
		"date":     {`<input type=date aria-label=Day oninput="CLOSE">`, to(protocol.ActFill, protocol.ActRequest{Target: "label=Day", Text: "2026-02-03"})},
		"type":     {`<input aria-label=PIN oninput="if (this.value.length === 4) CLOSE">`, to(protocol.ActType, protocol.ActRequest{Target: "label=PIN", Text: "1234"})},
		"check":    {`<label><input type=checkbox onchange="CLOSE">I agree</label>`, to(protocol.ActCheck, protocol.ActRequest{Target: "label=I agree", On: true})},
		"uncheck":  {`<label><input type=checkbox checked onchange="CLOSE">I agree</label>`, to(protocol.ActCheck, protocol.ActRequest{Target: "label=I agree"})},
		"select":   {`<select aria-label=Pick onchange="CLOSE"><option>A<option>B<option>C</select>`, to(protocol.ActSelect, protocol.ActRequest{Target: "label=Pick", Values: []string{"C"}})},
		"list":     {`<select aria-label=Pick size=3 onchange="CLOSE"><option>A<option>B<option>C</select>`, to(protocol.ActSelect, protocol.ActRequest{Target: "label=Pick", Values: []string{"C"}})},
		"focus":    {`<input aria-label=Name onfocus="CLOSE">`, to(protocol.ActFocus, protocol.ActRequest{Target: "label=Name"})},
		"hover":    {`<button onmouseover="CLOSE">Menu</button>`, to(protocol.ActHover, protocol.ActRequest{Target: "text=Menu"})},
		"tap":      {`<button onclick="CLOSE">Allow</button>`, to(protocol.ActTap, protocol.ActRequest{Target: "text=Allow"})},
		"drag":     {`<div id=a draggable=true style="width:90px;height:40px">Card</div><div id=b style="width:90px;height:40px" ondragover="event.preventDefault()" ondrop="event.preventDefault(); CLOSE">Zone</div>`, to(protocol.ActDrag, protocol.ActRequest{Target: "#a", To: "#b"})},
		"upload":   {`<input type=file aria-label=File onchange="CLOSE">`, to(protocol.ActUpload, protocol.ActRequest{Target: "label=File", Values: []string{file}})},
		"scroll":   {`<div style="height:9000px">Long</div><script>addEventListener('scroll', () => { CLOSE })</script>`, to(protocol.ActScroll, protocol.ActRequest{DY: 500})},
		"frame":    {`<iframe srcdoc="<button onclick='parent.leave()'>Allow</button>"></iframe><script>leave = () => { CLOSE }</script>`, click("text=Allow")},
	}
}

// An action after which a page closes its own tab has succeeded, and says so. The next
// command finds the tab closed.
func TestActionsThatCloseTheirTab(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("a"), 0o600); err != nil {
		t.Fatal(err)
	}
	ways := map[string]string{
		"now": `window.close()`, "soon": `setTimeout(() => window.close(), 120)`,
		"opener": `opener.postMessage('close', '*')`, "page": `location.href = '/done'`,
	}
	for _, windowless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", windowless), func(t *testing.T) {
			f := share(t, windowless)
			url := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/html; charset=utf-8")
				switch r.URL.Path {
				case "/":
					fmt.Fprint(w, `<!doctype html><title>Opener</title><button onclick="w = window.open('/' + next, 'w', 'width=500,height=400')">Open</button><button onclick="window.open('/' + next, '_blank', 'noopener')">Alone</button><script>var next, w; addEventListener('message', () => w.close())</script>`)
				case "/done":
					fmt.Fprint(w, `<!doctype html><script>window.close()</script>`)
				default:
					name, way, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/"), "-")
					fmt.Fprint(w, "<!doctype html><title>Child</title>", strings.ReplaceAll(closers(file)[name].body, "CLOSE", ways[way]))
				}
			})).URL
			id := f.first(t)
			f.open(t, id, url)
			s := &stage{fixture: f, tab: id, url: url}
			popup := func(name string) protocol.TabID {
				t.Helper()
				s.eval(t, fmt.Sprintf("next = %q", name))
				e := s.act(t, click("text=Open"))
				if len(e.Tabs) != 1 {
					t.Fatalf("%s: %+v", name, e)
				}
				if _, err := f.Wait(deadline(t), nobody, e.Tabs[0], protocol.WaitRequest{Kind: protocol.WaitForLoad}); err != nil {
					t.Fatal(err)
				}
				return e.Tabs[0]
			}
			gone := func(name string, tab, closed protocol.TabID, err error) {
				t.Helper()
				if err != nil || closed != tab {
					t.Errorf("%s: closed %q, %v", name, closed, err)
					_ = f.CloseTab(deadline(t), tab)
				}
				if _, err := f.Page(deadline(t), nobody, tab); code(err) != protocol.CodeUnknownTab || !f.WasOpen(tab) {
					t.Errorf("%s: the next command: %v", name, err)
				}
			}
			for way := range ways {
				for name, one := range closers(file) {
					if (!windowless || way != "now") && !slices.Contains([]string{"click", "fill", "press", "select"}, name) {
						continue // the same code
					}
					name += "-" + way
					tab := popup(name)
					e, err := f.Act(deadline(t), nobody, tab, one.act, nil)
					gone(name, tab, e.Closed, err)
				}
				tab := popup("click-" + way)
				v, err := f.Evaluate(deadline(t), nobody, tab, ways[way])
				gone("eval "+way, tab, v.Closed, err)
			}
			tab := popup("click-now")
			if _, err := f.Evaluate(deadline(t), nobody, tab, `document.querySelector('button').onclick = () => { if (confirm('Sure?')) window.close() }`); err != nil {
				t.Fatal(err)
			}
			if e, err := f.Act(deadline(t), nobody, tab, click("text=Allow"), nil); err != nil || e.Dialog == nil || e.Closed != "" {
				t.Errorf("%+v, %v", e, err)
			}
			d, err := f.Dialog(deadline(t), nobody, tab, true, nil)
			gone("dialog", tab, d.Closed, err)
			// A window may close itself without an opener, too.
			s.eval(t, "next = 'click-now'")
			alone := s.act(t, click("text=Alone"))
			if len(alone.Tabs) != 1 {
				t.Fatalf("%+v", alone)
			}
			e, err := f.Act(deadline(t), nobody, alone.Tabs[0], click("text=Allow"), nil)
			gone("alone", alone.Tabs[0], e.Closed, err)
			// What stays open is not reported as closed.
			if e := s.act(t, click("text=Open")); e.Closed != "" {
				t.Errorf("%+v", e)
			}
		})
	}
}
