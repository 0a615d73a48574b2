package e2e

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// exactly drives one terminal of a product and compares it with an emulator that
// stays connected.
type exactly struct {
	*product
	browser *tap.Client
	panel   *tap.Page
	ref     *reference
	source  string
	feed    *os.File
	marks   int
	undrawn string // the rows that are drawn differently
	// colours are the program's colours in the panel's emulator.
	colours any
}

// newExactly starts a terminal in the shared product which writes what the test says.
func newExactly(t *testing.T, p *product, browser *tap.Client, panel *tap.Page) *exactly {
	t.Helper()
	e := &exactly{product: p, browser: browser, panel: panel, ref: newReference(t)}
	dir, err := os.MkdirTemp(p.home, "feed") //nolint:usetesting // a confined program sees this folder
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	feed := filepath.Join(dir, "feed")
	if err := syscall.Mkfifo(feed, 0o600); err != nil {
		t.Fatal(err)
	}
	e.feed, err = os.OpenFile(feed, os.O_RDWR, 0) // opened for writing too, so that reading never ends
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.feed.Close() })
	e.ref.ask(map[string]any{"source": true}, &e.source)
	command := fmt.Sprintf(`sh -c 'stty raw -echo; touch %[1]s.taken; exec cat %[1]s'`, feed)
	p.startTerminal(panel, protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: command})
	p.eventually("the terminal runs", func() bool {
		_, err := os.Stat(feed + ".taken")
		return err == nil
	})
	e.ref.ask(map[string]any{"open": []int{80, 24}}, nil)
	width, height := e.windowSize()
	t.Cleanup(func() {
		e.ctx = context.WithoutCancel(e.ctx)
		e.resizeWindow(width, height)
	})
	return e
}

// windowSize returns the size of the browser's window.
func (e *exactly) windowSize() (width, height int) {
	e.t.Helper()
	window, err := e.desk.WaitWindow(e.ctx, "Chromium$")
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Sscanf(e.x11("xdotool", "getwindowgeometry", "--shell", window), "WINDOW=%d\nX=%d\nY=%d\nWIDTH=%d\nHEIGHT=%d", new(int), new(int), new(int), &width, &height); err != nil {
		e.t.Fatal(err)
	}
	return width, height
}

// write makes the terminal's program and the reference write bytes.
func (e *exactly) write(base64 string, raw []byte) {
	e.t.Helper()
	e.marks++
	mark := fmt.Sprintf("mark %d", e.marks)
	// End any open sequence in the bytes, so that the mark is parsed.
	end := "\x18\x1b]2;" + mark + "\x07"
	if _, err := e.feed.Write(append(raw, end...)); err != nil {
		e.t.Fatal(err)
	}
	e.ref.ask(map[string]any{"write": base64}, nil)
	e.ref.ask(map[string]any{"write": encode(end)}, nil)
	e.eventually("the program has written "+mark, func() bool {
		for _, info := range e.session(protocol.DefaultSession).Terminals {
			if info.Title == mark {
				return true
			}
		}
		return false
	})
}

func encode(text string) string {
	return strings.Trim(string(must(json.Marshal([]byte(text)))), `"`)
}

func must(b []byte, err error) []byte {
	if err != nil {
		panic(err)
	}
	return b
}

// visible is a script for the visible emulators among those that were found.
const visible = `(globalThis.emulators ?? []).filter((core) => core.element?.checkVisibility({ visibilityProperty: true }))`

// ask evaluates an expression in which core is the visible emulator. When that is
// not known yet, it is searched among all objects of the panel.
func (e *exactly) ask(expression string, result any) bool {
	script := fmt.Sprintf(`((shown) => shown.length === 1 ? ((core) => (%s))(shown[0]) : null)(%s)`, expression, visible)
	var reply json.RawMessage
	for range 2 {
		if err := e.panel.Eval(e.ctx, script, &reply); err == nil && len(reply) > 0 && string(reply) != "null" {
			return json.Unmarshal(reply, result) == nil
		}
		e.find()
	}
	return false
}

// find makes all emulators of the panel available to its page.
func (e *exactly) find() {
	var proto, all struct {
		Result struct {
			ObjectID string `json:"objectId"`
		} `json:"result"`
		Objects struct {
			ObjectID string `json:"objectId"`
		} `json:"objects"`
	}
	if e.panel.Call(e.ctx, "Runtime.evaluate", map[string]any{"expression": "Object.prototype"}, &proto) != nil {
		return
	}
	if e.panel.Call(e.ctx, "Runtime.queryObjects", map[string]any{"prototypeObjectId": proto.Result.ObjectID, "objectGroup": "all"}, &all) != nil {
		return
	}
	script := `function () {
		const own = (o, key) => { try { return Object.hasOwn(o, key) } catch { return false } };
		globalThis.emulators = [...new Set(this.filter((o) => own(o, '_core') && own(o._core, '_inputHandler')).map((o) => o._core))];
	}`
	_ = e.panel.Call(e.ctx, "Runtime.callFunctionOn", map[string]any{"objectId": all.Objects.ObjectID, "functionDeclaration": script}, nil)
	_ = e.panel.Call(e.ctx, "Runtime.releaseObjectGroup", map[string]any{"objectGroup": "all"}, nil)
}

// state returns the state of the visible emulator.
func (e *exactly) state() (state map[string]any, ok bool) {
	ok = e.ask("("+e.source+")(core)", &state)
	return state, ok && state != nil
}

// matches waits until the panel's emulator is equal to the reference, cell by
// cell.
func (e *exactly) matches(after string) {
	e.t.Helper()
	var got, want map[string]any
	for deadline := time.Now().Add(patience); ; time.Sleep(100 * time.Millisecond) {
		var ok bool
		if got, ok = e.state(); ok {
			e.ref.ask(map[string]any{"state": true}, &want)
			e.colours = got["colours"]
			delete(got, "colours") // colours of the theme, which the reference does not have
			delete(want, "colours")
			if reflect.DeepEqual(got, want) && e.drawn() {
				return
			}
		}
		if time.Now().After(deadline) {
			break
		}
	}
	e.t.Errorf("after %s the screen is another one:\n%s%s", after, difference("", got, want), e.undrawn)
	// Later steps compare with this state, so stop here.
	e.t.FailNow()
}

// drawn reports whether the page shows the content of the visible emulator, row
// by row.
func (e *exactly) drawn() bool {
	var rows struct{ Has, Shows []string }
	ok := e.ask(`(() => {
		// A mark that joins a letter which was drawn before is not drawn by xterm at once.
		const clean = (text) => text.normalize('NFD').replaceAll(/[\p{M}\p{Cf}]/gu, '').replaceAll('\u00a0', ' ').trimEnd();
		const { lines, ydisp } = core.buffers.active;
		// xterm draws nothing for the second half of a wide letter, also where the first
		// half was erased.
		const text = (line) => Array.from({ length: line?.length ?? 0 }, (_, x) => line.getWidth(x) === 0 ? '' : line.getString(x) || ' ').join('');
		const hidden = (line) => Array.from({ length: line?.length ?? 0 }, (_, x) => line.getFg(x)).some((fg) => (fg & 0x40000000) !== 0);
		const shown = [...core.element.querySelectorAll('.xterm-rows > div')];
		return {
			has: shown.map((_, y) => clean(text(lines.get(ydisp + y)))),
			shows: shown.map((row, y) => {
				const line = lines.get(ydisp + y);
				// Invisible letters are drawn as spaces.
				return clean(hidden(line) ? text(line) : row.textContent);
			}),
		};
	})()`, &rows)
	if !ok || reflect.DeepEqual(rows.Has, rows.Shows) {
		return ok
	}
	e.undrawn = difference("drawn", toAny(rows.Shows), toAny(rows.Has))
	return false
}

func toAny(list []string) (all []any) {
	for _, one := range list {
		all = append(all, one)
	}
	return all
}

// size gives the reference the size of the panel's emulator.
func (e *exactly) size() {
	e.t.Helper()
	e.eventually("the emulator has its size", func() bool {
		var size []int
		if !e.ask("[core.cols, core.rows]", &size) {
			return false
		}
		e.ref.ask(map[string]any{"resize": size}, nil)
		return true
	})
}

// difference describes the first few differences.
func difference(at string, got, want any) string {
	switch w := want.(type) {
	case map[string]any:
		g, _ := got.(map[string]any)
		out := ""
		for key := range w {
			if !reflect.DeepEqual(g[key], w[key]) {
				out += difference(at+"."+key, g[key], w[key])
			}
		}
		return out
	case []any:
		g, _ := got.([]any)
		out := ""
		if len(g) != len(w) {
			out = fmt.Sprintf("%s: %d, not %d\n", at, len(g), len(w))
		}
		for i, n := 0, 0; i < min(len(g), len(w)) && n < 4; i++ {
			if !reflect.DeepEqual(g[i], w[i]) {
				out += difference(at+"["+strconv.Itoa(i)+"]", g[i], w[i])
				n++
			}
		}
		return out
	default:
		return fmt.Sprintf("%s: %v, not %v\n", at, got, want)
	}
}

func (e *exactly) close() {
	e.t.Helper()
	e.colours = nil
	if state, ok := e.state(); ok {
		e.colours = state["colours"]
	}
	closePanel(e.product, e.browser)
}

func (e *exactly) reopen() {
	e.t.Helper()
	e.openPanel()
	e.panel = e.product.panel(e.browser)
	e.until(e.panel, "the terminal is live", `[...document.querySelectorAll('header, [role=toolbar], body')].some((one) => /Live|Ready|Working|mark/.test(one.innerText))`)
}

// resizeWindow resizes the browser's window, and so the panel.
func (e *exactly) resizeWindow(width, height int) {
	e.t.Helper()
	window, err := e.desk.WaitWindow(e.ctx, "Chromium$")
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := e.desk.Command(e.ctx, "xdotool", "windowsize", "--sync", window, strconv.Itoa(width), strconv.Itoa(height)); err != nil {
		e.t.Fatal(err)
	}
}

// waitSize waits until the panel knows the size that the browser's window has now.
func (e *exactly) waitSize() {
	e.t.Helper()
	window, err := e.desk.WaitWindow(e.ctx, "Chromium$")
	if err != nil {
		e.t.Fatal(err)
	}
	e.eventually("the panel knows the size of its window", func() bool {
		var size [2]int
		f := e.frameOf(window)
		return e.panel.Eval(e.ctx, `[outerWidth, outerHeight]`, &size) == nil && size == [2]int{f.w, f.h}
	})
}

// settled waits until the emulator's size no longer changes, and gives it to the
// reference.
func (e *exactly) settled() {
	e.t.Helper()
	var last []int
	same := 0
	e.eventually("the emulator stands still", func() bool {
		var size []int
		if !e.ask("[core.cols, core.rows]", &size) {
			return false
		}
		if same++; !reflect.DeepEqual(size, last) {
			same, last = 0, size
		}
		return same == 12 // 0.3 seconds
	})
	e.size()
}

func (e *exactly) press(label string) {
	e.t.Helper()
	e.until(e.panel, "there is "+label, fmt.Sprintf(`document.querySelector('button[aria-label=%q]:enabled')`, label))
	if err := e.panel.Eval(e.ctx, fmt.Sprintf(`document.querySelector('button[aria-label=%q]').click()`, label), nil); err != nil {
		e.t.Fatal(err)
	}
}

// TestTerminalComesBackExactly compares the panel's emulator, cell by cell, with
// one that stayed connected, after closing, reopening, resizing, a second
// terminal and a stopped worker, in random order.
func TestTerminalComesBackExactly(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if s := os.Getenv("PILOTFISH_SEED"); s != "" {
		seed, _ = strconv.ParseUint(s, 10, 64)
	}
	t.Logf("PILOTFISH_SEED=%d repeats it", seed)
	rng := rand.New(rand.NewPCG(seed, 0))
	p, browser, panel := shared(t)
	e := newExactly(t, p, browser, panel)
	welcome := e.page(e.browser, "/welcome")
	var streams []struct {
		Name  string `json:"name"`
		Bytes []byte `json:"bytes"`
	}
	e.ref.ask(map[string]any{"streams": int(seed % 1_000_000)}, &streams)
	if len(streams) < 114 {
		t.Fatalf("%d streams", len(streams))
	}
	if os.Getenv("PILOTFISH_STREAMS") == "" {
		streams = streams[:18] // a different selection each time; snapshot.test.ts uses all
	}
	e.settled()
	e.matches("the start")

	sizes := [][2]int{{1440, 900}, {1100, 700}, {760, 640}, {620, 520}, {900, 861}}
	open, second := true, false
	steps := map[string]func(){
		"a panel that was closed and opened": func() {
			e.close()
			open = false
		},
		"another size": func() {
			size := sizes[rng.IntN(len(sizes))]
			e.resizeWindow(size[0], size[1])
			e.waitSize() // before that, the emulator stands still, too
			e.settled()
		},
		"a second terminal": func() {
			if second {
				e.until(e.panel, "there are two", `document.querySelectorAll('[role=tab]').length > 1`)
			} else {
				e.press("New terminal")
				e.untilScreen(e.panel, "ready>")
				second = true
			}
			choose := func(i int) {
				if err := e.panel.Eval(e.ctx, fmt.Sprintf(`document.querySelectorAll('[aria-label="Terminals beside this tab"] [role=tab]')[%d].click()`, i), nil); err != nil {
					t.Fatal(err)
				}
			}
			choose(1)
			e.untilScreen(e.panel, "ready>")
			if n := rng.IntN(3) * 150; n > 0 {
				text := strings.Repeat("while another one is in view\r\n", n)
				e.write(encode(text), []byte(text))
			}
			choose(0)
			e.settled()
		},
		"a stopped worker": func() {
			for _, method := range []string{"ServiceWorker.enable", "ServiceWorker.stopAllWorkers"} {
				if err := welcome.Call(e.ctx, method, nil, nil); err != nil {
					t.Fatal(err)
				}
			}
		},
	}
	// Each thing happens at least once, in any order.
	names := []string{"a panel that was closed and opened", "a panel that was closed and opened", "another size", "a second terminal", "a stopped worker"}
	rng.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	counted := map[string]int{}
	did := "nothing"
	for i, stream := range streams {
		if rng.IntN(3) == 0 {
			e.write(encode("\x1bc"), []byte("\x1bc"))
		}
		e.write(encode(string(stream.Bytes)), stream.Bytes)
		if !open {
			if rng.IntN(2) == 0 {
				size := sizes[rng.IntN(len(sizes))]
				e.resizeWindow(size[0], size[1])
			}
			e.reopen()
			open = true
			e.settled()
			e.matches(fmt.Sprintf("%s (stream %d, %s)", did, i, stream.Name))
		}
		if i%3 != 0 {
			continue
		}
		e.matches(fmt.Sprintf("%s (stream %d, %s)", did, i, stream.Name))
		t.Logf("%3d of %d streams: %s", i, len(streams), did)
		did = names[i/3%len(names)]
		counted[did]++
		steps[did]()
		if open {
			e.matches(fmt.Sprintf("%s (stream %d, %s)", did, i, stream.Name))
		}
	}
	t.Logf("%d streams; %v", len(streams), counted)
}
