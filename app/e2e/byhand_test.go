package e2e

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/browser/attach/attachtest"
	"pilotfish/backend/protocol"
)

// TestOwnChromeByHand works in a browser in which its user installed the extension, without
// remote debugging: a code, the panel, an agent that acts by the page's own events, a
// rotated token, and an end after which the panel knows nothing of the app.
func TestOwnChromeByHand(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte(`<title>Mail</title>From the bank<button onclick="out.textContent = 'trusted: ' + event.isTrusted">Reply</button><p id=out role=status></p>`))
	}))
	defer site.Close()
	p := start(t, options{Settings: []string{"start_session = false"}})
	p.eventually("the app is there", func() bool { _, err := p.status(); return err == nil })
	p.cli("sessions", "new", "plain", "--browser", protocol.ByHand)
	plain := func() protocol.SessionInfo { return p.session("plain") }
	started := make(chan error, 1)
	go func() {
		_, err := p.cliRun("sessions", "start", "plain")
		started <- err
	}()
	var asks protocol.Attaching
	p.eventually("it says what to install", func() bool {
		if a := plain().Attaching; a != nil {
			asks = *a
		}
		return asks.Step == protocol.AttachInstall && asks.Folder != "" && asks.Page != ""
	})
	if out, err := p.cliRun("--session", "plain", "tabs"); err == nil || !strings.Contains(out, asks.Folder) {
		t.Errorf("a command before there is a panel: %s", out)
	}

	// The port is the test's own: Pilotfish does not know of it.
	chrome := attachtest.New(t, false, p.desk.Env())
	chrome.Args = []string{"--load-extension=" + asks.Folder, "--remote-debugging-port=0"}
	var browser *tap.Client
	var panel *tap.Page
	open := func() {
		t.Helper()
		_ = os.Remove(filepath.Join(chrome.Dir, "DevToolsActivePort")) // of the browser before
		chrome.Start(asks.Page)
		p.eventually("the test reaches the user's browser", func() bool {
			var err error
			browser, err = tap.DialPort(p.ctx, chrome.Dir)
			return err == nil
		})
		t.Cleanup(func() { _ = browser.Close() })
		p.page(browser, "/welcome")
		there := func(part string) bool {
			targets, err := browser.Targets(p.ctx)
			return err == nil && slices.ContainsFunc(targets, func(one tap.Target) bool { return strings.Contains(one.URL, part) })
		}
		// The extension's worker makes the key open the panel.
		p.eventually("the extension runs", func() bool { return there(protocol.ExtensionOrigin + "/worker.js") })
		pressed := time.Time{}
		p.eventually("the panel is open", func() bool {
			if !there("panel.html") && time.Since(pressed) > 5*time.Second { // a key may be lost while the window comes up
				chrome.Key("ctrl+shift+y")
				pressed = time.Now()
			}
			return there("panel.html")
		})
		panel = p.panel(browser)
	}
	open()
	shownCode := func() (code string) {
		t.Helper()
		p.until(panel, "the panel shows a code", `document.querySelector('[data-code]')`)
		if err := panel.Eval(p.ctx, `document.querySelector('[data-code]').dataset.code`, &code); err != nil {
			t.Fatal(err)
		}
		// The panel shows it, and then the app learns that a panel waits.
		p.eventually("the session asks for the code", func() bool { a := plain().Attaching; return a != nil && a.Step == protocol.AttachCode })
		return code
	}
	works := func() {
		t.Helper()
		p.eventually("the panel is there", func() bool {
			s := plain()
			return s.State == protocol.SessionRunning && s.Panel == protocol.PanelConnected && len(s.Tabs) == 1 && s.Tabs[0].ChromeTabID != 0
		})
	}
	code := shownCode()
	if err := p.desk.Screenshot(p.ctx, artifact(t, "byhand-code.png")); err != nil {
		t.Error(err)
	}
	if out, err := p.cliRun("pair", "AAAA-BBBB-CCCC"); err == nil || !strings.Contains(out, "no panel shows this code") {
		t.Errorf("a wrong code: %s", out)
	}
	p.cli("pair", strings.ToLower(code))
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	works()
	users := plain().Tabs[0]
	if !users.Private {
		t.Errorf("the user's tab is %+v", users)
	}
	p.untilScreen(panel, "ready>")
	p.typeLine(panel, "echo by-$((40+2))-hand")
	p.untilScreen(panel, "by-42-hand")

	s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(p.ctx, &sdk.CommandTransport{Command: p.shell("mcp", "--session", "plain")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	agent := func(line string) (string, bool) {
		t.Helper()
		return p.byMCP(s, line)
	}
	for _, line := range []string{"tabs", "snapshot --tab " + string(users.ID), "closetab " + string(users.ID)} {
		if text, _ := agent(line); strings.Contains(text, "/welcome") || strings.Contains(text, "Pilotfish is") {
			t.Errorf("%s shows a tab of the user: %s", line, text)
		}
	}
	if text, ok := agent("newtab " + site.URL + "/agent"); !ok {
		t.Fatalf("a tab of its own: %s", text)
	}
	p.eventually("there is the agent's tab", func() bool { return len(plain().Tabs) == 2 })
	own := string(plain().Tabs[1].ID)
	if text, ok := agent("snapshot --tab " + own); !ok || !strings.Contains(text, "Reply") || !strings.Contains(text, "no trusted input") {
		t.Errorf("its snapshot: %s", text)
	}
	if text, ok := agent(`click 'role=button name="Reply"' --tab ` + own); !ok || !strings.Contains(text, "by the page’s own events") || !strings.Contains(text, "trusted: false") {
		t.Errorf("its click: %s", text)
	}
	if text, ok := agent("goto " + site.URL + "/next --tab " + own); !ok {
		t.Errorf("its goto: %s", text)
	}
	if text, ok := agent("markdown --tab " + own); !ok || !strings.Contains(text, "From the bank") {
		t.Errorf("what it reads: %s", text)
	}
	if text, ok := agent("eval document.title --tab " + own); ok || !strings.Contains(text, "eval needs remote debugging") {
		t.Errorf("its eval: %s", text)
	}
	p.cli("app", "rotate-tokens")
	p.cli("--session", "plain", "givetab", string(users.ID))
	if text, ok := agent("snapshot --tab " + string(users.ID)); !ok || !strings.Contains(text, "Panel connected") {
		t.Errorf("a tab that the user gave: %s", text)
	}
	p.cli("--session", "plain", "givetab", string(users.ID), "--back")
	if text, _ := agent("tabs"); strings.Contains(text, "/welcome") {
		t.Errorf("a tab that the user took back: %s", text)
	}
	_ = s.Close()

	// A task of the user works in the user's own tab.
	m := newHosted(t, map[string]func(scene) model.Reply{"Reply": func(s scene) model.Reply {
		if s.first() {
			return step(do{"do": "click", "ref": s.ref("btn Reply")})
		}
		return s.checked("trusted: false")
	}})
	p.useModel(panel, m.front.URL+"/v1")
	p.do(p.page(browser, "/welcome"), "location.href = "+strconv.Quote(site.URL+"/task"))
	p.eventually("the user's tab is elsewhere", func() bool { return strings.HasSuffix(plain().Tabs[0].URL, "/task") })
	p.toTask(panel)
	p.tell(panel, "Reply to the bank")
	p.ended(panel, protocol.TaskDone)
	p.do(p.page(browser, "/task"), "location.href = "+strconv.Quote(asks.Page))
	p.eventually("the user's tab is back", func() bool { return plain().Tabs[0].URL == asks.Page })

	// A browser that was closed comes back with another code, and the terminal has gone on.
	shell := plain().Terminals
	chrome.Kill()
	p.eventually("the session waits for the panel", func() bool {
		s := plain()
		return s.State == protocol.SessionStarting && s.Attaching != nil && s.Attaching.Step == protocol.AttachPanel
	})
	if left := plain().Terminals; len(shell) != 1 || len(left) != 1 || left[0].ID != shell[0].ID || left[0].State != protocol.TerminalLive {
		t.Errorf("the terminals are %+v", left)
	}
	open()
	code = shownCode()
	p.cli("pair", code)
	works()
	if now := plain().Tabs[0]; now.ID == users.ID || !now.Private {
		t.Errorf("the tab of the new browser is %+v", now)
	}

	p.cli("--session", "plain", "newtab", site.URL+"/shell")
	p.cli("sessions", "stop", "plain")
	if !chrome.Running() {
		t.Error("the user's browser has ended with the session")
	}
	p.until(panel, "the panel shows no code, which no session waits for", "document.body.innerText.includes('Waiting for Pilotfish') && !document.querySelector('[data-code]')")
	targets, err := browser.Targets(p.ctx)
	if err != nil {
		t.Fatal(err)
	}
	for _, target := range targets {
		if target.Type == "page" && strings.HasPrefix(target.URL, site.URL) {
			t.Errorf("the agent's tab stays: %+v", target)
		}
	}
}
