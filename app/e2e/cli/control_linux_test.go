package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
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
// browser, allows what an agent asks, sees the agent's tab and clicks in it, until they
// revoke it.
func TestControlPage(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(colours))
	}))
	t.Cleanup(site.Close)
	r := install(t, "1m")
	serve := r.command(context.Background(), "serve", "--headless", "--control")
	said, err := serve.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := serve.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		r.end()
		_ = serve.Wait()
	})
	address := ""
	lines := bufio.NewScanner(said)
	for address == "" && lines.Scan() {
		_, address, _ = strings.Cut(lines.Text(), "within a minute: ")
	}
	if address == "" {
		t.Fatalf("no address was printed: %v", lines.Err())
	}
	go func() { // the log
		for lines.Scan() {
			continue
		}
	}()
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
	figures := visitor("click")
	t.Logf("a click shows after %.0f ms, and the view has %.1f pictures a second", figures["milliseconds"], figures["rate"])
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
