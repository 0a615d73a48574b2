package e2e

import (
	"encoding/json"
	"fmt"
	"html"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// site serves the tests' own pages: /NAME is a page with the title NAME.
func site(t *testing.T) string {
	t.Helper()
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/")
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		name = html.EscapeString(name)
		_, _ = fmt.Fprintf(w, "<!doctype html><title>%s</title><h1>%s</h1><p>the page %s</p>", name, name, name)
	}))
	t.Cleanup(srv.Close)
	return srv.URL
}

// artifact is the path of a screenshot that is kept for users to inspect.
func artifact(t *testing.T, name string) string {
	t.Helper()
	dir := filepath.Join(repoRoot(t), "app/e2e/artifacts")
	if err := os.MkdirAll(dir, 0o750); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, name)
}

// TestFirstStart is the main use case: from the start of the app to a prompt beside the
// page, without any input; then the page is controlled from the terminal. The user goes
// through the window's first steps, and quits. Nothing that the run wrote has one of its
// tokens, although it logged all that it can.
func TestFirstStart(t *testing.T) {
	t.Parallel()
	pages := site(t)
	home := shortDir(t)
	passing := filepath.Join(home, "tmp")
	if err := os.Mkdir(passing, 0o700); err != nil {
		t.Fatal(err)
	}
	p := start(t, options{Home: home, Settings: []string{`theme = "light"`}, Env: []string{"PILOTFISH_LOG=debug", "TMPDIR=" + passing}})
	browser := p.browser(protocol.DefaultSession)
	panel := p.panel(browser)
	p.untilScreen(panel, "ready>")

	welcome := p.page(browser, "/welcome")
	p.until(welcome, "the welcome page knows that the panel is connected", `document.body.dataset.panel === 'connected'`)
	// The welcome page opens the window's first steps.
	p.until(welcome, "its button has the focus", `document.getElementById('first-steps').focus() ?? true`)
	for _, kind := range []string{"keyDown", "keyUp"} {
		if err := welcome.Call(p.ctx, "Input.dispatchKeyEvent", map[string]any{"type": kind, "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13, "text": "\r"}, nil); err != nil {
			t.Fatal(err)
		}
	}

	item, err := p.desk.WaitItem(p.ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	secrets := p.tokens(panel)

	// The agent of the terminal navigates the tab beside it.
	p.typeLine(panel, "pilotfish goto "+pages+"/harbour && pilotfish tabs")
	p.untilScreen(panel, "t1 is at")
	p.page(browser, "/harbour")
	p.eventually("the tabs are t1 at /harbour", func() bool {
		tabs := p.session(protocol.DefaultSession).Tabs
		return len(tabs) == 1 && tabs[0].ID == "t1" && strings.HasSuffix(tabs[0].URL, "/harbour")
	})

	// The files for agents agree with what the commands accept.
	dir := p.stateDir()
	p.eventually("active-tab.json shows the page", func() bool {
		var active protocol.ActiveTabFile
		data, err := os.ReadFile(filepath.Join(dir, "active-tab.json"))
		return err == nil && json.Unmarshal(data, &active) == nil && active.Tab != nil && active.Tab.ID == "t1" && strings.HasSuffix(active.Tab.URL, "/harbour")
	})
	p.typeLine(panel, "ls $PILOTFISH_STATE; echo $PILOTFISH_TAB $PILOTFISH_SESSION")
	p.untilScreen(panel, "active-tab.json")
	p.untilScreen(panel, "t1 default")

	if labels, err := item.WaitMenu(p.ctx, hasLabel("harbour")); err != nil {
		t.Errorf("the tray's menu never showed the tab: %v (%v)", err, labels)
	}
	if err := p.desk.Screenshot(p.ctx, artifact(t, "product.png")); err != nil {
		t.Error(err)
	}

	p.cli("app", "rotate-tokens")
	p.typeLine(panel, "echo rota''ted")
	p.untilScreen(panel, "rotated")
	// A program of the terminal uses the same temporary folder.
	p.typeLine(panel, "echo $TMPDIR >$TMPDIR/shell; echo writ''ten")
	p.untilScreen(panel, "written")
	endpointFile := filepath.Join(p.home, "state", "pilotfish.json")
	if files := traces(t, passing, secrets, endpointFile); files == 0 {
		t.Error("the run has another temporary folder")
	}
	p.importsSignIns(panel)

	// Quit ends everything, and no process of ours is left.
	if err := item.Click(p.ctx, "Quit"); err != nil {
		t.Fatal(err)
	}
	select {
	case <-p.done:
	case <-p.ctx.Done():
		t.Fatal("the app did not end on Quit")
	}
	p.eventually("nothing of ours is left", func() bool { return len(p.ours()) == 0 })
	if _, err := os.Stat(endpointFile); err == nil {
		t.Error("the endpoint file with its token is still there")
	}
	if files := traces(t, p.home, secrets, endpointFile); files == 0 {
		t.Error("the run wrote nothing")
	}
}

// tokens returns every token of the run, by what it is for.
func (p *product) tokens(panel *tap.Page) map[string]string {
	p.t.Helper()
	var pairing struct {
		Token string `json:"token"`
		Key   string `json:"key"`
	}
	read := fmt.Sprintf(`chrome.storage.session.get(%q).then((all) => all[%q])`, protocol.PairingKey, protocol.PairingKey)
	if err := panel.Eval(p.ctx, read, &pairing); err != nil || pairing.Token == "" || pairing.Key == "" {
		p.t.Fatalf("the panel has no pairing: %v", err)
	}
	environ, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", p.terminal().PID))
	if err != nil {
		p.t.Fatal(err)
	}
	secrets := map[string]string{"panel token": pairing.Token, "server key": pairing.Key, "cli token": p.endpoint().Token}
	for v := range strings.SplitSeq(string(environ), "\x00") {
		if token, ok := strings.CutPrefix(v, protocol.EnvToken+"="); ok {
			secrets["agent token"] = token
		}
	}
	if secrets["agent token"] == "" {
		p.t.Error("the agent has no token")
	}
	return secrets
}

// TestAgentInTheTerminal runs the fake agent: a full-screen program that queries
// the terminal and controls the browser.
func TestAgentInTheTerminal(t *testing.T) {
	pages := site(t)
	p, browser, panel := shared(t)
	p.startTerminal(panel, protocol.PtySessionRequest{Agent: protocol.AgentCustom, Command: filepath.Join(p.bin, "tui-agent")})
	p.untilScreen(panel, "tui-agent ready")
	p.untilScreen(panel, "tab t1")
	p.untilScreen(panel, "terminal answered") // the device query was answered
	p.typeLine(panel, "run pilotfish goto "+pages+"/reef")
	p.untilScreen(panel, "done")
	p.page(browser, "/reef")

	// An agent's token is not valid for other capabilities.
	p.typeLine(panel, "run pilotfish sessions stop; echo code $?")
	p.untilScreen(panel, "code 4")

	// Another tab gets the agent of Settings, by its name.
	defer p.settings(`agent = "custom"`, `agent_command = "{bin}/tui-agent"`)()
	second := p.made("newtab", pages+"/second")
	p.cli("tab", second)
	p.press(panel, "Start tui-agent beside this tab")
	p.untilScreen(panel, "tab "+second)
}
