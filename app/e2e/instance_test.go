package e2e

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/protocol"
)

// TestSingleInstance starts the app twice: the second instance brings the window
// of the first to the front and exits with 0.
func TestSingleInstance(t *testing.T) {
	p := start(t, options{})
	p.panel(p.browser(protocol.DefaultSession))
	window, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	if err := p.desk.CloseWindow(p.ctx, window); err != nil {
		t.Fatal(err)
	}
	p.eventually("the window is hidden, the app lives", func() bool { return len(p.desk.Windows(p.ctx, "^Pilotfish$")) == 0 })
	first := p.app.Process.Pid

	second := &product{t: t, ctx: p.ctx, home: p.home, bin: p.bin, desk: p.desk}
	second.launch(options{})
	select {
	case <-second.done:
	case <-p.ctx.Done():
		t.Fatal("the second app did not end")
	}
	if code := second.app.ProcessState.ExitCode(); code != 0 {
		t.Errorf("the second app ended with %d:\n%s", code, p.tail())
	}
	if _, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Errorf("the window did not come back: %v", err)
	}
	if err := syscall.Kill(first, 0); err != nil {
		t.Errorf("the first app is gone: %v", err)
	}
}

// TestStateOfANewerVersion starts the app on files that a newer version wrote: each is
// kept beside its place byte by byte, the log names it, and the session works without it.
func TestStateOfANewerVersion(t *testing.T) {
	home := shortDir(t)
	newer := map[string]string{
		"config/models.json":                  `{"version":99,"profiles":{"a":"in a new form"}}`,
		"state/sessions/default/rules.json":   `{"version":99,"rules":[{"site":"https://a.example","effect":"new"}]}`,
		"state/sessions/default/session.json": `{"version":99,"tabs":"in a new form"}`,
	}
	for name, text := range newer {
		file := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	p := start(t, options{Home: home, Settings: []string{`agent = "shell"`}})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	if rules := p.cli("rules"); strings.Contains(rules, "a.example") {
		t.Errorf("a rule of the newer version applies: %s", rules)
	}
	logged, err := os.ReadFile(filepath.Join(home, "state/logs/pilotfish.log"))
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range newer {
		if kept, err := os.ReadFile(filepath.Join(home, name+".bad")); err != nil || string(kept) != text {
			t.Errorf("%s is not kept: %q, %v", name, kept, err)
		}
	}
	if n := strings.Count(string(logged), "put aside"); n != len(newer) {
		t.Errorf("the log names %d of %d files", n, len(newer))
	}
}

// TestTwoSessions runs two sessions side by side: neither sees the other's tabs
// or terminals, and stopping one does not affect the other.
func TestTwoSessions(t *testing.T) {
	pages := site(t)
	if err := os.MkdirAll(filepath.Join(shortDir(t), "x"), 0o700); err != nil {
		t.Fatal(err)
	}
	p := start(t, options{})
	one := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(one, "ready>")
	p.cli("sessions", "new", "work")
	p.cli("sessions", "start", "work")
	two := p.panel(p.browser("work"))
	p.untilScreen(two, "ready>")
	p.typeLine(two, "pilotfish goto "+pages+"/work; echo $PILOTFISH_SESSION $PILOTFISH_TAB")
	p.untilScreen(two, "work t1")
	p.cli("--session", "default", "goto", pages+"/home")
	p.eventually("each session has its own tab at its own page", func() bool {
		work, home := p.session("work").Tabs, p.session(protocol.DefaultSession).Tabs
		return len(work) == 1 && strings.HasSuffix(work[0].URL, "/work") && len(home) == 1 && strings.HasSuffix(home[0].URL, "/home")
	})
	p.cli("sessions", "stop", "work")
	if got := p.session("work"); got.State != protocol.SessionStopped || len(got.Terminals) != 0 {
		t.Errorf("session work is %s with %d terminals", got.State, len(got.Terminals))
	}
	p.typeLine(one, "echo alone $((5+5))")
	p.untilScreen(one, "alone 10")
}

// TestPortTaken occupies the port of the run before: the next start uses another
// port, and all clients find it.
func TestPortTaken(t *testing.T) {
	p := start(t, options{})
	p.untilScreen(p.panel(p.browser(protocol.DefaultSession)), "ready>")
	port := p.endpoint().Port
	p.quit(p.app, p.done)
	listener, err := net.Listen("tcp4", fmt.Sprintf("127.0.0.1:%d", port)) //nolint:noctx // a test's own socket
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	p.launch(options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "pilotfish url && echo found $((20+1))")
	p.untilScreen(panel, "found 21")
	if now := p.endpoint().Port; now == port {
		t.Errorf("both use port %d", port)
	}
}

// TestAgentMissing requests an agent that is not installed: the panel says how to
// install it, and starts it once it is installed.
func TestAgentMissing(t *testing.T) {
	p := start(t, options{Settings: []string{`agent = "claude"`}, Env: []string{"PATH=/usr/bin:/bin"}})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.until(panel, "the panel names the missing agent and how to install it", `/claude/i.test(document.body.innerText) && document.body.innerText.includes('install')`)
	if err := p.desk.Screenshot(p.ctx, artifact(t, "agent-missing.png")); err != nil {
		t.Error(err)
	}
}

// TestWithoutTrayHost runs on a desktop that shows no tray icons: the app works
// and reports it.
func TestWithoutTrayHost(t *testing.T) {
	desk := newDesktop(t, desktop.Config{NoPanel: true, Width: 1440, Height: 900})
	p := start(t, options{Desktop: desk})
	p.untilScreen(p.panel(p.browser(protocol.DefaultSession)), "ready>")
	if _, err := desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := desk.Screenshot(p.ctx, artifact(t, "no-tray.png")); err != nil {
		t.Error(err)
	}
}

// TestNoBrowser starts with a browser path that does not exist: the window says
// what to do, and the session starts after the setting is fixed.
func TestNoBrowser(t *testing.T) {
	p := start(t, options{NoBrowser: true, Settings: []string{`browser_path = "/nowhere/chromium"`}})
	p.eventually("the session says why it failed", func() bool {
		out, err := p.cliRun("status", "--json")
		return err == nil && strings.Contains(out, string(protocol.CodeNoBrowser))
	})
	if _, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := p.desk.Screenshot(p.ctx, artifact(t, "no-browser.png")); err != nil {
		t.Error(err)
	}
}
