package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"pilotfish/backend/protocol"
)

// terminal returns the only terminal of the default session.
func (p *product) terminal() protocol.TerminalInfo {
	p.t.Helper()
	terminals := p.session(protocol.DefaultSession).Terminals
	if len(terminals) != 1 {
		p.t.Fatalf("there are %d terminals, want one: %+v", len(terminals), terminals)
	}
	return terminals[0]
}

// TestPanelClosedAndReopened closes the panel's document in the middle of output
// and opens it again: the program has continued, and the screen is complete.
func TestPanelClosedAndReopened(t *testing.T) {
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, `for i in $(seq 1 3000); do echo "line $i of the voyage"; done; echo over`)
	p.untilScreen(panel, "of the voyage")
	before := p.terminal()
	if err := browser.ClickAction(p.ctx, protocol.ExtensionID); err != nil {
		t.Fatal(err)
	}
	gone := func() {
		t.Helper()
		p.eventually("the panel is gone", func() bool { return p.session(protocol.DefaultSession).Panel == protocol.PanelAbsent })
	}
	gone()
	welcome := p.page(browser, "/welcome")
	p.until(welcome, "the welcome page says so", `document.body.dataset.panel === 'absent' && document.querySelector('#status').textContent.includes('Ctrl+Shift+Y')`)
	p.openPanel()
	panel = p.panel(browser)
	p.untilScreen(panel, "over")
	p.until(welcome, "the welcome page knows that it is back", `document.body.dataset.panel === 'connected'`)
	// The shortcut opens and closes it, too.
	p.pressKey("ctrl+shift+y")
	gone()
	p.pressKey("ctrl+shift+y")
	panel = p.panel(browser)
	p.untilScreen(panel, "over")
	p.untilScreen(panel, "line 3000 of the voyage")
	if after := p.terminal(); after.PID != before.PID || after.Epoch != before.Epoch {
		t.Errorf("the program was %d (epoch %d), now %d (epoch %d)", before.PID, before.Epoch, after.PID, after.Epoch)
	}
	p.typeLine(panel, "echo still $((40+2))")
	p.untilScreen(panel, "still 42")
}

// pressKey presses a key in the browser's window, as a user does.
func (p *product) pressKey(key string) {
	p.t.Helper()
	window, err := p.desk.WaitWindow(p.ctx, "Chromium$")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, args := range [][]string{{"windowactivate", "--sync", window}, {"key", "--clearmodifiers", key}} {
		if _, err := p.desk.Command(p.ctx, "xdotool", args...); err != nil {
			p.t.Fatal(err)
		}
	}
}

// openPanel opens the side panel again, as a click on a tab in the tray's menu
// does.
func (p *product) openPanel() {
	p.t.Helper()
	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		p.t.Fatal(err)
	}
	var label string
	entries, err := item.WaitMenu(p.ctx, hasLabel("Welcome"))
	if err != nil {
		p.t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Label, "Welcome") {
			label = e.Label
		}
	}
	if err := item.Click(p.ctx, label); err != nil {
		p.t.Fatal(err)
	}
}

// TestWorkerStopped makes the browser stop the extension's worker: nothing
// depends on it.
func TestWorkerStopped(t *testing.T) {
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")
	welcome := p.page(browser, "/welcome")
	for range 2 {
		if err := welcome.Call(p.ctx, "ServiceWorker.enable", nil, nil); err != nil {
			t.Fatal(err)
		}
		if err := welcome.Call(p.ctx, "ServiceWorker.stopAllWorkers", nil, nil); err != nil {
			t.Fatal(err)
		}
	}
	p.typeLine(panel, "echo the worker is $((1-1))")
	p.untilScreen(panel, "the worker is 0")
	p.cli("newtab", site(t)+"/after")
	p.eventually("the new tab is known with its place", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if strings.HasSuffix(tab.URL, "/after") && tab.ChromeTabID != 0 {
				return true
			}
		}
		return false
	})
}

// TestBackendRestarted restarts the local server while a panel is connected: the
// panel reconnects automatically, and the terminal is the same.
func TestBackendRestarted(t *testing.T) {
	p := start(t, options{})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo before $((2*21))")
	p.untilScreen(panel, "before 42")
	pid := p.terminal().PID
	for range 2 {
		p.cli("app", "restart-server")
		p.eventually("the panel is connected again", func() bool {
			out, err := p.cliRun("status", "--json")
			return err == nil && strings.Contains(out, `"panel": "connected"`) || strings.Contains(out, `"panel":"connected"`)
		})
		p.typeLine(panel, "echo after $((3*14))")
		p.untilScreen(panel, "after 42")
	}
	p.cli("app", "rotate-tokens")
	p.typeLine(panel, "pilotfish tabs && echo rotated $((6*7))")
	p.untilScreen(panel, "rotated 42")
	if now := p.terminal().PID; now != pid {
		t.Errorf("the program was %d, now it is %d", pid, now)
	}
}

// TestAgentKilled kills the agent: the panel shows how it ended, keeps its last
// screen, and starts it again.
func TestAgentKilled(t *testing.T) {
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo last words")
	p.untilScreen(panel, "last words")
	if err := syscall.Kill(p.terminal().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.until(panel, "the panel says how the agent ended", `document.body.innerText.includes('SIGKILL')`)
	p.untilScreen(panel, "last words")
	if err := panel.Eval(p.ctx, `[...document.querySelectorAll('button')].find((b) => b.checkVisibility() && /^(Start again|Restart)/.test(b.textContent.trim())).click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.eventually("a new process runs in the same terminal", func() bool {
		info := p.terminal()
		return info.Epoch == 2 && info.State == protocol.TerminalLive
	})
	p.untilScreen(panel, "ready>")
}

// TestBrowserKilled kills the browser: it restarts with its tabs under the same
// ids, and the terminal is not affected.
func TestBrowserKilled(t *testing.T) {
	pages := site(t)
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.cli("newtab", pages+"/kept")
	p.cli("tab", "t1")
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo before the crash")
	p.untilScreen(panel, "before the crash")
	session := p.session(protocol.DefaultSession)
	terminal := p.terminal()
	if err := syscall.Kill(session.Browser.PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("another browser runs", func() bool {
		now := p.session(protocol.DefaultSession)
		return now.State == protocol.SessionRunning && now.Browser != nil && now.Browser.PID != session.Browser.PID && now.Panel == protocol.PanelConnected
	})
	if now := p.terminal(); now.PID != terminal.PID {
		t.Errorf("the program was %d, now it is %d", terminal.PID, now.PID)
	}
	p.untilScreen(p.panel(p.browser(protocol.DefaultSession)), "before the crash")
	p.eventually("the tab is back under its id", func() bool {
		for _, tab := range p.session(protocol.DefaultSession).Tabs {
			if tab.ID == "t2" && strings.HasSuffix(tab.URL, "/kept") {
				return true
			}
		}
		return false
	})
}

// TestHistoryAfterBrowserKilled: after the browser was killed, a tab can still go
// back, and panel and window report what happened.
func TestHistoryAfterBrowserKilled(t *testing.T) {
	pages := site(t)
	p := start(t, options{})
	p.untilScreen(p.panel(p.browser(protocol.DefaultSession)), "ready>")
	for _, page := range []string{"/first", "/second", "/third"} {
		p.cli("goto", "--tab", "t1", pages+page)
	}
	killed := p.session(protocol.DefaultSession).Browser.PID
	p.eventually("Chromium has written the history down", func() bool { return p.historyHas("/third") })
	if err := syscall.Kill(killed, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("another browser runs", func() bool {
		now := p.session(protocol.DefaultSession)
		return now.State == protocol.SessionRunning && now.Browser != nil && now.Browser.PID != killed && now.Panel == protocol.PanelConnected
	})
	for _, page := range []string{"/second", "/first"} {
		if out := p.cli("back", "--tab", "t1"); !strings.Contains(out, page) {
			t.Errorf("back went to %s, not to %s", out, page)
		}
	}
	warnings := p.session(protocol.DefaultSession).Warnings
	if !slices.ContainsFunc(warnings, func(w protocol.Error) bool {
		return w.Code == protocol.CodeCrashed && strings.Contains(w.Message, "SIGKILL")
	}) {
		t.Errorf("the window is told %+v", warnings)
	}
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.until(panel, "the panel says what happened", `/The browser crashed at .* \(SIGKILL\) and was restarted. Your tabs are back\./.test(document.body.innerText)`)
	if err := panel.Eval(p.ctx, `document.querySelector('.notice button').click()`, nil); err != nil {
		t.Fatal(err)
	}
	p.until(panel, "the sentence is dismissed", `!document.body.innerText.includes('The browser crashed')`)
}

// historyHas reports whether Chromium's file of open tabs contains a part of an
// address.
func (p *product) historyHas(part string) bool {
	files, err := filepath.Glob(filepath.Join(filepath.Dir(p.stateDir()), "profile", "Default", "Sessions", "Session_*"))
	if err != nil {
		p.t.Fatal(err)
	}
	return slices.ContainsFunc(files, func(name string) bool {
		raw, err := os.ReadFile(name)
		return err == nil && bytes.Contains(raw, []byte(part))
	})
}

// TestTrayKilled kills the tray program: the app starts it again.
func TestTrayKilled(t *testing.T) {
	p := start(t, options{})
	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	pid := item.PID(p.ctx)
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("there is another icon", func() bool {
		items, err := p.desk.Items(p.ctx)
		if err != nil {
			return false
		}
		for _, i := range items {
			if other := i.PID(p.ctx); other != 0 && other != pid {
				return true
			}
		}
		return false
	})
}

// TestWindowKilled kills the window's program: it is started again, and the
// session is not affected.
func TestWindowKilled(t *testing.T) {
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	if _, err := p.desk.WaitWindow(p.ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	agent, pid := p.terminal().PID, p.windowPID()
	if pid == 0 {
		t.Fatal("the window has no process")
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	p.eventually("there is another window", func() bool {
		other := p.windowPID()
		return other != 0 && other != pid && len(p.desk.Windows(p.ctx, "^Pilotfish$")) == 1
	})
	p.typeLine(panel, "echo un''harmed")
	p.untilScreen(panel, "unharmed")
	if now := p.terminal().PID; now != agent {
		t.Errorf("the agent is process %d, and was %d", now, agent)
	}
}

// windowPID returns the process of the app's window; 0 when there is none.
func (p *product) windowPID() int {
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", p.app.Process.Pid))
	for _, path := range tasks {
		list, _ := os.ReadFile(path) // an error means that the thread has ended
		for _, field := range strings.Fields(string(list)) {
			program, _ := os.Readlink("/proc/" + field + "/exe")
			if pid, err := strconv.Atoi(field); err == nil && filepath.Base(program) == "pilotfish-window" {
				return pid
			}
		}
	}
	return 0
}

// TestAppKilled kills the app with SIGKILL while an agent runs that ignores every
// other signal and has a daemon outside of its process group. No process of ours
// is left, and the next start works and has the tabs.
func TestAppKilled(t *testing.T) {
	pages := site(t)
	p := start(t, options{})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.cli("goto", pages+"/kept")
	p.typeLine(panel, `trap '' HUP TERM INT; setsid sleep 988 & echo stub''born`)
	p.untilScreen(panel, "stubborn")
	if err := syscall.Kill(p.app.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.done
	p.eventually("nothing of ours is left", func() bool { return len(p.ours()) == 0 })

	p.launch(options{})
	panel = p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	p.eventually("the tabs are back", func() bool {
		tabs := p.session(protocol.DefaultSession).Tabs
		return len(tabs) == 1 && strings.HasSuffix(tabs[0].URL, "/kept")
	})
}

// TestTokensLeaveNoTrace searches everything that a run wrote for every token of
// the run: the system's temporary folder while it runs, too.
func TestTokensLeaveNoTrace(t *testing.T) {
	home := shortDir(t)
	passing := filepath.Join(home, "tmp")
	if err := os.Mkdir(passing, 0o700); err != nil {
		t.Fatal(err)
	}
	p := start(t, options{Home: home, Env: []string{"PILOTFISH_LOG=debug", "TMPDIR=" + passing}})
	panel := p.panel(p.browser(protocol.DefaultSession))
	p.untilScreen(panel, "ready>")
	var pairing struct {
		Token string `json:"token"`
		Key   string `json:"key"`
	}
	read := fmt.Sprintf(`chrome.storage.session.get(%q).then((all) => all[%q])`, protocol.PairingKey, protocol.PairingKey)
	if err := panel.Eval(p.ctx, read, &pairing); err != nil || pairing.Token == "" || pairing.Key == "" {
		t.Fatalf("the panel has no pairing: %v", err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.terminal().PID))
	if err != nil {
		t.Fatal(err)
	}
	secrets := map[string]string{"panel token": pairing.Token, "server key": pairing.Key}
	for v := range strings.SplitSeq(string(environ), "\x00") {
		if token, ok := strings.CutPrefix(v, protocol.EnvToken+"="); ok {
			secrets["agent token"] = token
		}
	}
	if secrets["agent token"] == "" {
		t.Error("the agent has no token")
	}
	var endpoint protocol.Endpoint
	endpointFile := filepath.Join(p.home, "state", "pilotfish.json")
	data, err := os.ReadFile(endpointFile)
	if err != nil || json.Unmarshal(data, &endpoint) != nil {
		t.Fatalf("the endpoint file: %v", err)
	}
	secrets["cli token"] = endpoint.Token
	p.cli("tabs")
	p.cli("app", "rotate-tokens")
	p.typeLine(panel, "echo done")
	p.untilScreen(panel, "done")
	// A program of the terminal uses the same folder.
	p.typeLine(panel, "echo $TMPDIR >$TMPDIR/shell; echo writ''ten")
	p.untilScreen(panel, "written")
	if files := traces(t, passing, secrets, endpointFile); files == 0 {
		t.Error("the run has another temporary folder")
	}
	p.quit(p.app, p.done)
	if files := traces(t, p.home, secrets, endpointFile); files == 0 {
		t.Error("the run wrote nothing")
	}
}
