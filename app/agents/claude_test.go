//go:build agents

package agents_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/backend/protocol"
)

// limit is the timeout for one run of an agent.
const limit = 2 * time.Minute

// tool returns the path of a program that the Makefile built or installed.
func tool(t *testing.T, below ...string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join(append([]string{"..", ".."}, below...)...))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(path); err != nil {
		t.Fatalf("%v; run `make test-agents`", err)
	}
	return path
}

// serve runs a headless session with its own home until the test ends. It returns
// the command line and the environment to find the session.
func serve(t *testing.T) (pilotfish string, env map[string]string) {
	t.Helper()
	pilotfish = tool(t, "build", "bin", "pilotfish")
	env = map[string]string{protocol.EnvHome: t.TempDir()}
	if os.Getuid() == 0 {
		env[protocol.EnvSandbox] = "1"
	}
	word, said, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer word.Close()
	session := exec.CommandContext(context.WithoutCancel(t.Context()), pilotfish, "serve", "--headless", "--json")
	session.Env = append(os.Environ(), "PILOTFISH_READY=3")
	for name, value := range env {
		session.Env = append(session.Env, name+"="+value)
	}
	session.ExtraFiles = []*os.File{said}
	if err := session.Start(); err != nil {
		t.Fatal(err)
	}
	said.Close()
	t.Cleanup(func() {
		_ = session.Process.Signal(syscall.SIGTERM) // it may have ended already
		_ = session.Wait()                          // its exit error does not matter
	})
	if line, err := bufio.NewReader(word).ReadString('\n'); line != "ready\n" {
		t.Fatalf("the session did not start: %q, %v", line, err)
	}
	return pilotfish, env
}

// claude runs the real claude with the real pilotfish as its MCP server, and
// returns its final output.
func claude(t *testing.T, m *model.Model, prompt string) string {
	t.Helper()
	pilotfish, env := serve(t)
	home := t.TempDir()
	servers, err := json.Marshal(map[string]any{"mcpServers": map[string]any{"pilotfish": map[string]any{"command": pilotfish, "args": []string{"mcp"}, "env": env}}})
	if err != nil {
		t.Fatal(err)
	}
	config := filepath.Join(home, "mcp.json")
	if err := os.WriteFile(config, servers, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, tool(t, "build", "agents", "node_modules", ".bin", "claude"),
		"-p", prompt, "--mcp-config", config, "--strict-mcp-config", "--allowedTools", "mcp__pilotfish", "--output-format", "json")
	cmd.Dir = t.TempDir()
	cmd.Env = []string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "CLAUDE_CONFIG_DIR=" + filepath.Join(home, "claude"),
		"ANTHROPIC_BASE_URL=" + m.URL(), "ANTHROPIC_API_KEY=" + model.Key,
		"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC=1", "DISABLE_AUTOUPDATER=1",
	}
	var said, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &said, &wrong
	if err := cmd.Run(); err != nil {
		t.Fatalf("claude: %v\n%s\n%s", err, said.Bytes(), wrong.Bytes())
	}
	var end struct {
		Result  string `json:"result"`
		IsError bool   `json:"is_error"`
	}
	if err := json.Unmarshal(said.Bytes(), &end); err != nil || end.IsError {
		t.Fatalf("%v: %s\n%s", err, said.Bytes(), wrong.Bytes())
	}
	if refused := m.Refused(); len(refused) > 0 {
		t.Errorf("the model refused: %q", refused)
	}
	return end.Result
}

// form serves a page that reports to the test what was really entered.
func form(t *testing.T) (url string, saved chan string) {
	t.Helper()
	saved = make(chan string, 10)
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Sign up</title><h1>Sign up</h1><form action="/saved"><label>Name <input name="name"></label><button>Save</button></form>`))
	})
	mux.HandleFunc("GET /saved", func(w http.ResponseWriter, r *http.Request) {
		saved <- r.FormValue("name")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<!doctype html><title>Thanks</title><h1>Thank you</h1>`))
	})
	s := httptest.NewServer(mux)
	t.Cleanup(s.Close)
	return s.URL, saved
}

// result returns the text of the last tool result of a request.
func result(r model.Request) string {
	last := r.Messages[len(r.Messages)-1]
	if len(last.Results) == 0 {
		return ""
	}
	return last.Results[len(last.Results)-1].Text
}

// call is a turn that calls one of our tools.
func call(name string, input map[string]any) model.Reply {
	return model.Reply{Calls: []model.Call{{Name: "mcp__pilotfish__" + name, Input: input}}}
}

// Claude opens a page, takes a snapshot in the same turn, fills the form by the
// refs that it received, and reads the result: three turns.
func TestClaudeFillsAForm(t *testing.T) {
	url, saved := form(t)
	field, button := regexp.MustCompile(`(e\d+) edit Name`), regexp.MustCompile(`(e\d+) btn Save`)
	m := model.New(func(r model.Request) model.Reply {
		seen := result(r)
		switch {
		case len(r.Tools) == 0:
			return model.Reply{Text: "A form"}
		case seen == "":
			return call("browser_navigate", map[string]any{"url": url, "then": "snapshot"})
		case strings.Contains(seen, "snapshot: ") && field.MatchString(seen) && button.MatchString(seen):
			return call("browser_act", map[string]any{"steps": []any{
				map[string]any{"do": "fill", "target": field.FindStringSubmatch(seen)[1], "value": "Ada Lovelace"},
				map[string]any{"do": "click", "target": button.FindStringSubmatch(seen)[1]},
			}})
		}
		return model.Reply{Text: "I saw: " + seen}
	})
	defer m.Close()
	said := claude(t, m, "Sign me up as Ada Lovelace.")
	select {
	case name := <-saved:
		if name != "Ada Lovelace" {
			t.Errorf("the page got %q", name)
		}
	default:
		t.Errorf("the form was not sent; claude said %q", said)
	}
	if !strings.Contains(said, "/saved") || !strings.Contains(said, "Thanks") {
		t.Errorf("the reply does not say where the click led: %q", said)
	}
}

// An image costs a model as much as a long page, so a reply contains it only on
// request.
func TestClaudeSeesAScreenshotOnlyWhenItAsks(t *testing.T) {
	url, _ := form(t)
	m := model.New(model.Steps(
		call("browser_navigate", map[string]any{"url": url}),
		call("browser_screenshot", map[string]any{}),
		call("browser_screenshot", map[string]any{"image": true}),
		model.Reply{Text: "Seen."},
	))
	defer m.Close()
	if said := claude(t, m, "What does it look like?"); said != "Seen." {
		t.Errorf("claude said %q", said)
	}
	var asked []model.Request
	for _, r := range m.Requests() {
		if len(r.Tools) > 0 {
			asked = append(asked, r)
		}
	}
	if len(asked) != 4 {
		t.Fatalf("%d turns, want 4", len(asked))
	}
	picture := []byte(`"media_type":"image/jpeg"`)
	if bytes.Contains(asked[2].Raw, picture) {
		t.Error("a picture came that was not asked for")
	}
	if !strings.Contains(result(asked[2]), ".png") {
		t.Errorf("no path: %q", result(asked[2]))
	}
	if !bytes.Contains(asked[3].Raw, picture) {
		t.Error("no picture came though it was asked for")
	}
}

// An error is in words that a model can act on, and the conversation continues.
func TestClaudeHearsWhatWasWrong(t *testing.T) {
	m := model.New(model.Steps(
		call("browser_navigate", map[string]any{"url": "file:///etc/passwd", "tab": "t99"}),
		call("browser_run", map[string]any{"commands": []string{"gotoo example.com"}}),
		model.Reply{Text: "I give up."},
	))
	defer m.Close()
	claude(t, m, "Go somewhere.")
	var heard []string
	for _, r := range m.Requests() {
		if len(r.Tools) > 0 && result(r) != "" {
			heard = append(heard, result(r))
		}
	}
	if len(heard) != 2 || !strings.Contains(heard[0], "error unknown_tab") || !strings.Contains(heard[1], "did you mean goto") {
		t.Errorf("claude heard %q", heard)
	}
}
