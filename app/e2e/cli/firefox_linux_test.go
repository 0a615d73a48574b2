package cli_test

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/coder/websocket/wsjson"
)

// firefox is a Firefox that is driven over WebDriver BiDi.
type firefox struct {
	t    *testing.T
	conn *websocket.Conn
	last int
	tab  string
}

// startFirefox starts a Firefox without a window. It returns nil where none is installed.
func startFirefox(t *testing.T) *firefox {
	t.Helper()
	program, err := exec.LookPath("firefox-esr")
	if err != nil {
		return nil
	}
	cmd := exec.CommandContext(t.Context(), program, "--headless", "--remote-debugging-port=0", "--profile", t.TempDir())
	cmd.Env = append(os.Environ(), "HOME="+t.TempDir())
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	said, err := cmd.StderrPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	f := &firefox{t: t}
	t.Cleanup(func() { _ = cmd.Wait() }) // it ends with the test's context
	address := ""
	lines := bufio.NewScanner(said)
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "BiDi listening on ")
	}
	go func() {
		for lines.Scan() {
			continue
		}
	}()
	f.conn, _, err = websocket.Dial(t.Context(), address+"/session", nil) //nolint:bodyclose // the library closes it
	if err != nil {
		t.Fatal(err)
	}
	f.conn.SetReadLimit(-1)
	f.call("session.new", map[string]any{"capabilities": map[string]any{}})
	var tree struct {
		Contexts []struct {
			Context string `json:"context"`
		} `json:"contexts"`
	}
	if err := json.Unmarshal(f.call("browsingContext.getTree", map[string]any{}), &tree); err != nil || len(tree.Contexts) != 1 {
		t.Fatalf("%+v, %v", tree, err)
	}
	f.tab = tree.Contexts[0].Context
	return f
}

// call sends a command, and returns its result.
func (f *firefox) call(method string, params map[string]any) json.RawMessage {
	f.t.Helper()
	f.last++
	ctx := f.t.Context()
	if err := wsjson.Write(ctx, f.conn, map[string]any{"id": f.last, "method": method, "params": params}); err != nil {
		f.t.Fatal(err)
	}
	for {
		var message struct {
			ID      int             `json:"id"`
			Type    string          `json:"type"`
			Result  json.RawMessage `json:"result"`
			Message string          `json:"message"`
		}
		if err := wsjson.Read(ctx, f.conn, &message); err != nil {
			f.t.Fatal(err)
		}
		if message.ID == f.last {
			if message.Type != "success" {
				f.t.Fatalf("%s: %s", method, message.Message)
			}
			return message.Result
		}
	}
}

// eval evaluates an expression, awaits it, and returns its text.
func (f *firefox) eval(expression string) string {
	f.t.Helper()
	var got struct {
		Type   string `json:"type"`
		Result struct {
			Value any `json:"value"`
		} `json:"result"`
	}
	result := f.call("script.evaluate", map[string]any{"expression": expression, "target": map[string]any{"context": f.tab}, "awaitPromise": true})
	if err := json.Unmarshal(result, &got); err != nil || got.Type != "success" {
		f.t.Fatalf("%.80s: %s, %v", expression, result, err)
	}
	return fmt.Sprint(got.Result.Value)
}

// until waits until the page has what a selector and a part of its text say.
func (f *firefox) until(selector, text string) {
	f.t.Helper()
	f.eval(fmt.Sprintf(`(async () => {
		while (![...document.querySelectorAll(%q)].some((one) => one.textContent.includes(%q)))
			await new Promise(requestAnimationFrame)
	})()`, selector, text))
}

// click presses the mouse in the middle of an element.
func (f *firefox) click(selector string) {
	f.t.Helper()
	var at [2]float64
	if err := json.Unmarshal([]byte(f.eval(fmt.Sprintf(`{
		const {x, y, width, height} = document.querySelector(%q).getBoundingClientRect()
		JSON.stringify([Math.round(x + width / 2), Math.round(y + height / 2)])
	}`, selector))), &at); err != nil {
		f.t.Fatal(err)
	}
	f.act("pointer", map[string]any{"type": "pointerMove", "x": int(at[0]), "y": int(at[1])},
		map[string]any{"type": "pointerDown", "button": 0}, map[string]any{"type": "pointerUp", "button": 0})
}

// keys types a text.
func (f *firefox) keys(text string) {
	f.t.Helper()
	var actions []map[string]any
	for _, key := range text {
		actions = append(actions, map[string]any{"type": "keyDown", "value": string(key)}, map[string]any{"type": "keyUp", "value": string(key)})
	}
	f.act("key", actions...)
}

func (f *firefox) act(kind string, actions ...map[string]any) {
	f.t.Helper()
	f.call("input.performActions", map[string]any{"context": f.tab, "actions": []any{map[string]any{"type": kind, "id": kind, "actions": actions}}})
}

// controlInFirefox opens the control page in Firefox: at both widths axe finds nothing, and
// the live view takes mouse and keys.
func controlInFirefox(t *testing.T, r *installation) {
	t.Helper()
	f := startFirefox(t)
	if f == nil {
		t.Log("no Firefox is installed")
		return
	}
	address := regexp.MustCompile(`http://\S+`).FindString(r.run("control"))
	axe, err := os.ReadFile("../../../frontend/node_modules/axe-core/axe.min.js")
	if err != nil {
		t.Fatal(err)
	}
	check := func(what string) {
		t.Helper()
		for _, width := range []int{360, 1440} {
			f.call("browsingContext.setViewport", map[string]any{"context": f.tab, "viewport": map[string]any{"width": width, "height": 900}})
			if got := f.eval(`axe.run().then(({violations}) => violations.map(({id, nodes}) => id + ' ' + nodes[0].html).join('\n'))`); got != "" {
				t.Errorf("%s in Firefox at %d px: %s", what, width, got)
			}
		}
	}
	f.call("browsingContext.navigate", map[string]any{"context": f.tab, "url": address, "wait": "complete"})
	f.until("h1", "Sessions")
	if got := f.eval("location.hash"); got != "" {
		t.Errorf("the code is left behind in Firefox: %s", got)
	}
	f.eval(string(axe) + "; ''")
	check("the page")
	f.eval(`[...document.querySelectorAll('[title^="View t"]')].find((one) => one.textContent.includes('Colours')).click()`)
	f.until("canvas:not(.off)", "")
	check("the live view")
	f.click("canvas")
	f.keys("Ada")
	r.run("wait", "function", "document.title === 'Colours clicked Ada'")
}
