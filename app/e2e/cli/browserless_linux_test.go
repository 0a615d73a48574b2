//go:build grid

package cli_test

import (
	"bufio"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// startBrowserless starts Browserless with this machine's Chromium, for two browsers and
// without a queue, at an address.
func startBrowserless(t *testing.T, address string) *realEngine {
	t.Helper()
	modules, err := filepath.Abs("../../../build/grid/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := filepath.Glob(filepath.Join(modules, "node-linux-*", "bin", "node")) // it wants Node 24
	if err != nil || len(nodes) == 0 {
		t.Fatalf("run make test-grid: %v, %v", nodes, err)
	}
	home, program := t.TempDir(), filepath.Join(modules, "@browserless.io", "browserless")
	// It starts the browser that Playwright would have installed, and only with the routes of
	// browsers that are there.
	chrome := exec.CommandContext(t.Context(), nodes[0], "-p", "require('playwright-core').chromium.executablePath()")
	chrome.Dir, chrome.Env = program, append(os.Environ(), "PLAYWRIGHT_BROWSERS_PATH="+home)
	out, err := chrome.Output()
	if err != nil {
		t.Fatal(err)
	}
	for at, there := range map[string]string{strings.TrimSpace(string(out)): "/usr/bin/chromium", filepath.Join(home, "routes", "chromium"): filepath.Join(program, "build", "routes", "chromium")} {
		if err := os.MkdirAll(filepath.Dir(at), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(there, at); err != nil {
			t.Fatal(err)
		}
	}
	_, port, _ := net.SplitHostPort(address)
	cmd := exec.CommandContext(t.Context(), nodes[0], "build/index.js")
	cmd.Dir, cmd.Env = program, slices.Concat(chrome.Env, []string{
		"HOST=127.0.0.1", "PORT=" + port, "ROUTES=" + filepath.Join(home, "routes"),
		"TOKEN=t0ken-of-the-engine", "CONCURRENT=2", "QUEUED=0", "TIMEOUT=1200000",
	})
	return startEngine(t, cmd, home, address, "/", http.StatusNotFound)
}

// Every command runs in a browser of a real Browserless, and can do there what it does in an
// own one.
func TestEveryCommandOnBrowserless(t *testing.T) {
	e := startBrowserless(t, freeAddress(t))
	everyCommandAt(t, "ws://"+e.address+"/chromium?token=t0ken-of-the-engine")
}

// Sessions and clients of MCP that are signed in for themselves share a browser of a real
// Browserless.
func TestContextsOnBrowserless(t *testing.T) {
	e := startBrowserless(t, freeAddress(t))
	contextsAt(t, "ws://"+e.address+"/chromium?token=t0ken-of-the-engine")
}

// A token that Browserless refuses is an error that does not quote it. A full one is waited
// for, until a browser ends. A browser and an engine that are killed end what was under way in
// words, and the session goes on in another browser, with its cookies.
func TestBrowserlessThatFails(t *testing.T) {
	e := startBrowserless(t, freeAddress(t))
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Page</title><button onclick="document.body.append('pressed')">Press</button>`))
	}))
	t.Cleanup(page.Close)
	r := install(t, "2m")
	r.run("sessions", "new", "wrong", "--browser", "ws://"+e.address+"/chromium?token=wr0ng-of-the-engine")
	if out := r.fails("sessions", "start", "wrong"); !strings.Contains(out, "refuses the credentials (status 401)") || strings.Contains(out, "wr0ng") {
		t.Errorf("a wrong token: %s", out)
	}
	for _, name := range []string{"one", "two", "three"} {
		r.run("sessions", "new", name, "--browser", "ws://"+e.address+"/chromium?token=t0ken-of-the-engine")
	}
	works := func(session string) {
		t.Helper()
		r.run("--session", session, "goto", page.URL)
		if out := r.run("--session", session, "click", "role=button"); !strings.Contains(out, "pressed") {
			t.Errorf("%s: %s", session, out)
		}
	}
	r.run("sessions", "start", "one")
	r.run("sessions", "start", "two")
	works("one")
	works("two")
	// It says 429, without Retry-After.
	start := r.command(t.Context(), "sessions", "start", "three")
	said, err := start.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := start.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(said); ; {
		if !lines.Scan() {
			t.Fatal("a full engine is not waited for")
		}
		if strings.Contains(lines.Text(), "has no free browser") {
			break
		}
	}
	r.run("sessions", "stop", "two") // its browser ends with its connection
	if err := start.Wait(); err != nil {
		t.Errorf("an engine that was full: %v", err)
	}
	works("three")
	for _, pid := range browsersOf(t, e.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	r.comesBack(page.URL)
	works("one")
	e.kill()
	r.waits(page.URL)
	startBrowserless(t, e.address)
	r.comesBack(page.URL)
	works("one")
	if out := r.run("status"); strings.Contains(out, "t0ken") {
		t.Error(out)
	}
	r.end()
	r.hasNot("t0ken-of-the-engine")
	r.hasNot("wr0ng-of-the-engine")
}
