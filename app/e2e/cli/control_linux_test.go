package cli_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

// colours is a page that is red, green and moving once it was clicked, and blue once a name
// was typed.
const colours = `<!doctype html><title>Colours</title><style>
body { margin: 0; height: 100vh; background: rgb(255, 0, 0) }
p { position: fixed; top: 0; left: 0; margin: 0 }
.on { background: rgb(0, 255, 0) }
.on p { animation: move 1s linear infinite }
@keyframes move { to { left: 50vw } }
</style><p>moves</p><script>
onmousedown = (e) => { document.body.className = 'on'; document.title += e.isTrusted ? ' clicked' : ' forged' }
let typed = ''
onkeydown = (e) => {
  if ((typed += e.isTrusted ? e.key : '') !== 'Ada') return
  document.title += ' Ada'
  document.body.style.background = 'rgb(0, 0, 255)'
}
</script>`

// A server without a display has somebody to ask: a user opens the control page in a
// browser, allows what an agent asks, sees the agent's tab, goes elsewhere and clicks in it, takes a task
// over and hands it back, until they revoke it.
func TestControlPage(t *testing.T) {
	sent := make(chan string, 2)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		switch r.URL.Path {
		case "/order":
			_, _ = w.Write([]byte(order + "<style>input { position: fixed; left: 0; top: 50%; width: 100%; height: 40% }</style>"))
		case "/asks":
			_, _ = w.Write([]byte(`<!doctype html><title>Asks</title><body onmousedown="location = '/order?' + prompt('Who?')" style="height: 100vh">`))
		case "/sent":
			sent <- r.URL.RawQuery
			_, _ = fmt.Fprintf(w, "Order %d is sent", len(sent))
		default:
			_, _ = w.Write([]byte(colours))
		}
	}))
	t.Cleanup(site.Close)
	r := install(t, "1m")
	orders := newSeller(t)
	orders.offers(r)
	address := r.serves()
	s := connect(t, &sdk.CommandTransport{Command: r.command(t.Context(), "mcp")})
	agent := func(tool string, args map[string]any) string {
		t.Helper()
		got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			t.Fatalf("%s: %v", tool, err)
		}
		text, err := json.Marshal(got)
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	evaluate := func() string { return agent("browser_run", map[string]any{"commands": []string{"eval 40+2"}}) }
	agent("browser_navigate", map[string]any{"url": site.URL})
	if got := evaluate(); !strings.Contains(got, "nobody to ask") {
		t.Errorf("before a page is open: %s", got)
	}
	visitor := visit(t, address)
	if got := visitor("open"); strings.Contains(got["address"].(string), "code") {
		t.Errorf("the code is left behind: %v", got)
	}
	if got := visitor("again"); got["text"] == nil {
		t.Errorf("the address once more: %v", got)
	}
	answered := make(chan string, 1)
	go func() { answered <- evaluate() }()
	if got := visitor("view"); got["allows"] != 0.0 {
		t.Errorf("the live view: %v", got)
	}
	visitor("click")
	visitor("type")
	if got := r.run("--tab", "t1", "title"); !strings.Contains(got, "Colours clicked Ada") {
		t.Errorf("the page got %s", got)
	}
	allowed := visitor("allow")
	if history, _ := allowed["history"].(string); allowed["early"] != 1.0 || !strings.Contains(history, "by you on the control page in Chrome on Linux (") {
		t.Errorf("the answer: %v", allowed)
	}
	if got := <-answered; !strings.Contains(got, "42") {
		t.Errorf("the agent got %s", got)
	}
	if !testing.Short() {
		r.run("goto", site.URL+"/order")
		if got := visitor("go")["arrived"].(string); !strings.HasSuffix(got, "/order?Ada") {
			t.Errorf("after the answer to a dialog the address is %s", got)
		}
		handOver(t, r, orders.planner, visitor)
		if first, second := <-sent, <-sent; first != "Twice" || second != "TwiceBob" {
			t.Errorf("%q and %q were sent", first, second)
		}
	}
	if !testing.Short() {
		r.run("goto", site.URL)
		controlInFirefox(t, r)
	}
	for line := range strings.Lines(r.run("clients")) {
		if words := strings.Fields(line); words[1] == "control" {
			r.run("clients", "revoke", words[0])
		}
	}
	if got := visitor("revoked"); got["text"] == nil {
		t.Errorf("after it was revoked: %v", got)
	}
	if got := evaluate(); !strings.Contains(got, "nobody to ask") {
		t.Errorf("after it was revoked: %s", got)
	}
}

// handOver lets a task work while the user at the control page takes over, types and hands
// back.
func handOver(t *testing.T, r *installation, p *planner, visitor func(string) map[string]any) {
	t.Helper()
	ended := p.begins(r, "Twice orders") // it has ordered once
	visitor("take")
	close(p.release)
	visitor("hand")
	if said, err := ended(); err != nil || !strings.Contains(said, "Ordered for Twice.") {
		t.Errorf("a task that was taken over: %v\n%s", err, said)
	}
}

// visit starts a user's browser at an address. The function that it returns lets the user
// do something; see testdata/control.mjs.
func visit(t *testing.T, address string) func(step string) map[string]any {
	t.Helper()
	modules, err := filepath.Abs("../../../frontend/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	user := exec.CommandContext(ctx, "node", filepath.Join("testdata", "control.mjs"), modules, address)
	user.Stderr = os.Stderr
	in, err := user.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := user.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := user.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = in.Close() // it closes its browser, and ends
		_ = user.Wait()
		cancel()
	})
	answers := json.NewDecoder(out)
	return func(step string) (answer map[string]any) {
		t.Helper()
		if _, err := in.Write([]byte(step + "\n")); err != nil {
			t.Fatal(err)
		}
		if err := answers.Decode(&answer); err != nil {
			t.Fatalf("%s: %v", step, err)
		}
		if why := answer["error"]; why != nil {
			t.Fatalf("%s: %v", step, why)
		}
		return answer
	}
}
