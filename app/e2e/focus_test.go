package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// orderPage counts what reaches it: presses of its button, and keys.
const orderPage = `<!doctype html><title>order</title><body style="margin:0;height:100vh">
<button id=order style="width:120px;height:50px">Order</button>
<label><input type=checkbox id=box> Gift</label>
<div id=from draggable=false style="width:80px;height:40px;background:#ccc">From</div>
<div id=to style="width:80px;height:40px;background:#cfc">To</div>
<a href="/more" target=_blank>More</a>
<input id=field aria-label=Field>
<script>
window.keys = ''; window.orders = 0; window.menus = 0
for (const type of ['keydown', 'keypress', 'keyup']) addEventListener(type, (e) => { window.keys += type + ':' + e.key + ' ' }, true)
document.getElementById('order').onclick = () => { window.orders += 1 }
addEventListener('contextmenu', () => { window.menus += 1 })
</script>`

// orderSite serves orderPage at every path.
func orderSite(t *testing.T) *httptest.Server {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(orderPage))
	}))
	t.Cleanup(srv.Close)
	return srv
}

// hands is a user with the desktop's keyboard and mouse.
type hands struct {
	*product
	browser *tap.Client
	panel   *tap.Page
	window  string
	x, y    int // of the window
	w, h    int
}

// sitDown finds the browser's window.
func sitDown(p *product, browser *tap.Client, panel *tap.Page) *hands {
	p.t.Helper()
	h := &hands{product: p, browser: browser, panel: panel}
	// The panel has to see that it loses the keyboard.
	if err := panel.Call(p.ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": false}, nil); err != nil {
		p.t.Fatal(err)
	}
	var err error
	if h.window, err = p.desk.WaitWindow(p.ctx, " - Chromium$"); err != nil {
		p.t.Fatal(err)
	}
	for line := range strings.Lines(h.x11("getwindowgeometry", "--shell", h.window)) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		n, _ := strconv.Atoi(value)
		switch name {
		case "X":
			h.x = n
		case "Y":
			h.y = n
		case "WIDTH":
			h.w = n
		case "HEIGHT":
			h.h = n
		}
	}
	return h
}

// x11 sends real mouse and keyboard events.
func (h *hands) x11(args ...string) string {
	h.t.Helper()
	out, err := h.desk.Command(h.ctx, "xdotool", args...)
	if err != nil {
		h.t.Fatal(err)
	}
	return out
}

// clickPanel clicks an element of the panel.
func (h *hands) clickPanel(expression string) {
	h.t.Helper()
	// The panel is at the right edge of the window and extends to its lower edge,
	// except for a frame of a few pixels on both.
	var at struct{ X, Y, W, H float64 }
	script := fmt.Sprintf(`(() => { const r = (%s).getBoundingClientRect(); return {X: r.x + r.width / 2, Y: r.y + r.height / 2, W: innerWidth, H: innerHeight} })()`, expression)
	if err := h.panel.Eval(h.ctx, script, &at); err != nil {
		h.t.Fatal(err)
	}
	const edge = 10
	x, y := h.x+h.w-edge-int(at.W-at.X), h.y+h.h-edge-int(at.H-at.Y)
	h.x11("mousemove", "--sync", strconv.Itoa(x), strconv.Itoa(y), "click", "1")
}

// clickPage clicks an empty place of the page.
func (h *hands) clickPage() {
	h.t.Helper()
	h.x11("mousemove", "--sync", strconv.Itoa(h.x+h.w/4), strconv.Itoa(h.y+h.h*3/4), "click", "1")
}

// visibleTerminal is a script for the terminal that the panel shows.
const visibleTerminal = `[...document.querySelectorAll('.xterm-screen')].find((e) => e.checkVisibility())`

// firstClickOfChat checks that after the first page that Chat opens in a browser, and its
// first click there, the user types on in the message box. The first page after a new tab
// takes the keyboard.
func (h *hands) firstClickOfChat(url string) {
	h.t.Helper()
	h.toChat(h.panel)
	h.clickPanel(composer)
	h.x11("type", "--delay", "20", "go to "+url+"\n")
	page := h.page(h.browser, "/order")
	h.untilSaid(h.panel, "Done in")
	h.x11("type", "--delay", "20", "click Order\n")
	h.until(page, "the button was pressed", "window.orders === 1")
	h.x11("type", "--delay", "20", "and now this")
	h.until(h.panel, "the message box has what was typed", composer+`.value === 'and now this'`)
	var keys string
	if err := page.Eval(h.ctx, "window.keys", &keys); err != nil || keys != "" {
		h.t.Errorf("the page got keys: %s, %v", keys, err)
	}
	// So they do when a script of a command opens an empty tab in front.
	h.x11("key", "ctrl+a", "Delete")
	h.until(h.panel, "the message box is empty", composer+`.value === ''`)
	if out, err := h.cliRun("eval", "open('about:blank')", "--tab", "t1"); err != nil {
		h.t.Fatalf("%v\n%s", err, out)
	}
	h.until(h.panel, "the panel has the keyboard", "document.hasFocus()")
	h.x11("type", "--delay", "20", "still here")
	h.until(h.panel, "the message box has what was typed", `document.activeElement.value === 'still here'`)
	for _, args := range [][]string{{"tab", "t1"}, {"closetab", "t2"}} {
		if out, err := h.cliRun(args...); err != nil {
			h.t.Fatalf("%v: %v\n%s", args, err, out)
		}
	}
	if err := page.Eval(h.ctx, "window.orders = 0", nil); err != nil {
		h.t.Fatal(err)
	}
}

// TestKeyboardStays: whatever is done to the page, the user's typing goes to
// where the user types. It uses real keys, at twice the speed of a fast typist,
// while the page is clicked a hundred times. The page had the focus before, and
// the browser's own rules give it the focus with each press.
func TestKeyboardStays(t *testing.T) {
	srv := orderSite(t)
	// Hide the app's own window, which takes the keyboard focus when it opens.
	p := start(t, options{Args: []string{"--hidden"}})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")
	h := sitDown(p, browser, panel)
	h.firstClickOfChat(srv.URL + "/order")
	page := p.page(browser, "/order")
	p.toTerminal(panel)

	actions := [][]string{
		{"click", "css=#order"},
		{"click", "css=#order", "--count", "2"},
		{"click", "css=#order", "--button", "right"},
		{"check", "css=#box"},
		{"drag", "css=#from", "css=#to"},
		{"uncheck", "css=#box"},
		{"hover", "css=#order"},
		{"fill", "css=#field", "x"},
	}
	h.clickPage()
	h.clickPanel(visibleTerminal)
	out := filepath.Join(p.home, "typed")
	h.x11("type", "--delay", "10", "cat > "+out+"\n")
	p.eventually("the terminal reads", func() bool { _, err := os.Stat(out); return err == nil })
	if err := page.Eval(p.ctx, `window.keys = ''`, nil); err != nil {
		t.Fatal(err)
	}

	// The user types until the last action is done.
	done := make(chan struct{})
	typed := make(chan string)
	go func() {
		var all strings.Builder
		for n := 0; ; n++ {
			line := fmt.Sprintf("%04d the quick brown fox jumps over it\n", n)
			if _, err := p.desk.Command(p.ctx, "xdotool", "type", "--delay", "60", line); err != nil {
				t.Error(err)
			}
			all.WriteString(line)
			select {
			case <-done:
				typed <- all.String()
				return
			default:
			}
		}
	}()
	for n := range 100 {
		if out, err := p.cliRun(append(actions[n%len(actions)], "--tab", "t1")...); err != nil {
			t.Errorf("%s: %v\n%s", actions[n%len(actions)], err, out)
		}
	}
	close(done)
	want := <-typed
	h.x11("key", "ctrl+d")
	var got string
	p.eventually("all that was typed is there", func() bool {
		data, err := os.ReadFile(out)
		got = string(data)
		return err == nil && len(got) >= len(want)
	})
	if got != want {
		t.Errorf("the terminal got other keys than were typed:\n%q\nwant\n%q", got, want)
	}
	var seen struct {
		Keys   string
		Orders int
		Menus  int
	}
	if err := page.Eval(p.ctx, `({Keys: window.keys, Orders: window.orders, Menus: window.menus})`, &seen); err != nil {
		t.Fatal(err)
	}
	if seen.Keys != "" {
		t.Errorf("the page got keys: %s", seen.Keys)
	}
	// The first four kinds of action run 13 times each; two of them press the
	// button.
	if want := 13 * 3; seen.Orders != want {
		t.Errorf("the button was pressed %d times, want %d", seen.Orders, want)
	}
	if seen.Menus != 13 {
		t.Errorf("the page was asked for %d menus, want 13", seen.Menus)
	}
}
