package cli_test

import (
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// A repository's pilotfish.toml does nothing before the user trusts it, also where no
// window can ask; then its session starts with its proxy and its start pages. A change is
// not trusted.
func TestRepositoryWithoutAWindow(t *testing.T) {
	// shop.test is known to the proxy only.
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = fmt.Fprintf(w, "<!doctype html><p>%s through the proxy", html.EscapeString(r.Host))
	}))
	defer proxy.Close()
	r := install(t, "5m")
	repo := t.TempDir()
	write := func(color string) {
		t.Helper()
		text := fmt.Sprintf("color = %q\nproxy = %q\nstart_pages = ['http://shop.test/']\n", color, proxy.URL)
		if err := os.WriteFile(filepath.Join(repo, "pilotfish.toml"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("#112233")
	in := func(args ...string) (string, error) {
		cmd := r.command(t.Context(), args...)
		cmd.Dir = repo
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	refused := func(when string) {
		t.Helper()
		out, err := in("sessions", "start")
		if err == nil || !strings.Contains(out, "is not trusted") || !strings.Contains(out, "pilotfish trust "+repo) {
			t.Errorf("%s: %v, %s", when, err, out)
		}
	}

	r.run("tabs") // starts the default session, without a window
	refused("untrusted")
	if out := r.run("sessions", "--json"); strings.Count(out, `"state":`) != 1 {
		t.Errorf("a refused repository has a session: %s", out)
	}
	if out, err := in("trust"); err == nil || !strings.Contains(out, "proxy: "+proxy.URL) {
		t.Errorf("without an answer: %v, %s", err, out)
	}
	refused("looked at only")
	if out, err := in("trust", "--yes"); err != nil || !strings.Contains(out, `start_pages: ["http://shop.test/"]`) {
		t.Fatalf("%v, %s", err, out)
	}
	out, err := in("sessions", "start", "--json")
	if err != nil {
		t.Fatalf("trusted: %v, %s", err, out)
	}
	_, name, _ := strings.Cut(out, `"started":"`)
	name, _, _ = strings.Cut(name, `"`)
	r.run("wait", "text", "shop.test through the proxy", "--session", name)

	r.run("sessions", "stop", name)
	write("#445566")
	refused("changed")
}

// Without a window nobody can be asked whether an agent may use the settings of its folder:
// Chat ends at once and names the command that trusts them, and then the agent starts there.
func TestAgentSettingsWithoutAWindow(t *testing.T) {
	r := install(t, "5m")
	project, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	programs := t.TempDir()
	agent := filepath.Join(programs, "scripted")
	if out, err := exec.CommandContext(t.Context(), "go", "build", "-o", agent, "pilotfish/backend/chat/acp/fakes/scripted").CombinedOutput(); err != nil {
		t.Fatalf("building the scripted agent: %v\n%s", err, out)
	}
	t.Setenv("PATH", programs+string(filepath.ListSeparator)+os.Getenv("PATH"))
	settings := fmt.Sprintf("work_dir = %q\n", project)
	// It takes no arguments, a real agent does.
	if err := os.WriteFile(filepath.Join(programs, "gemini"), []byte("#!/bin/sh\nexec "+agent+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{r.dirs().SettingsFile(): settings, filepath.Join(project, ".mcp.json"): "{}"} {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	r.run("tabs") // starts the default session, without a window
	say := func() (string, error) {
		out, err := r.command(t.Context(), "chat", "send", "new", "cwd", "--agent", "gemini").CombinedOutput()
		return string(out), err
	}
	if out, err := say(); err == nil || !strings.Contains(out, "are not trusted") || !strings.Contains(out, "pilotfish trust "+project+" --agents") {
		t.Fatalf("untrusted: %v, %s", err, out)
	}
	if out := r.run("trust", project, "--agents", "--yes"); !strings.Contains(out, filepath.Join(project, ".mcp.json")) {
		t.Errorf("what is trusted: %s", out)
	}
	if out, err := say(); err != nil || !strings.Contains(out, project) {
		t.Errorf("trusted: %v, %s", err, out)
	}
}
