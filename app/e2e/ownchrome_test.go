package e2e

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/browser/attach/attachtest"
	"pilotfish/backend/protocol"
)

// TestOwnChrome works in a browser that its user started: one Allow, the panel, an agent that
// has no tab but its own and the one that the user gives, a killed app, a killed browser, and an end after
// which the browser is as it was.
func TestOwnChrome(t *testing.T) {
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<title>Mail of the user</title><body style='background:white'>From the bank<button>Reply</button>"))
	}))
	defer site.Close()
	p := start(t, options{Settings: []string{"start_session = false"}})
	chrome := attachtest.New(t, true, p.desk.Env())
	chrome.Start(site.URL + "/mail")
	asked := chrome.Count()
	p.cli("sessions", "new", "mine", "--browser", chrome.Dir)
	mine := func() protocol.SessionInfo { return p.session("mine") }
	allow := func() {
		t.Helper()
		started := make(chan error, 1)
		go func() {
			_, err := p.cliRun("sessions", "start", "mine")
			started <- err
		}()
		p.eventually("it waits for Allow", func() bool { a := mine().Attaching; return a != nil && a.Step == protocol.AttachAllow })
		if out, err := p.cliRun("--session", "mine", "tabs"); err == nil || !strings.Contains(out, "press Allow") {
			t.Errorf("a command before Allow: %s", out)
		}
		chrome.Answer(attachtest.Allow())
		if err := <-started; err != nil {
			t.Fatal(err)
		}
		p.eventually("the panel is there", func() bool {
			s := mine()
			return s.State == protocol.SessionRunning && s.Panel == protocol.PanelConnected && s.Browser != nil && s.Browser.Attached && len(s.Tabs) == 1
		})
	}
	allow()
	users := mine().Tabs[0].ID
	private := func(id protocol.TabID) bool {
		for _, tab := range mine().Tabs {
			if tab.ID == id {
				return tab.Private
			}
		}
		return false
	}
	if !private(users) {
		t.Error("the panel would not say that agents cannot see the user's tab")
	}

	connect := func() *sdk.ClientSession {
		t.Helper()
		s, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(p.ctx, &sdk.CommandTransport{Command: p.shell("mcp", "--session", "mine")}, nil)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	s := connect()
	agent := func(line string) (string, bool) {
		t.Helper()
		return p.byMCP(s, line)
	}
	for _, line := range []string{"tabs", "windows", fmt.Sprintf("snapshot --tab %s", users), fmt.Sprintf("title --tab %s", users), fmt.Sprintf("closetab %s", users), "signins"} {
		if text, _ := agent(line); strings.Contains(text, "Mail") || strings.Contains(text, "bank") || strings.Contains(text, site.URL) {
			t.Errorf("%s shows a tab of the user: %s", line, text)
		}
	}
	if text, ok := agent("newtab " + site.URL + "/agent"); !ok {
		t.Fatalf("a tab of its own: %s", text)
	}
	// An empty tab changes no more after it is the agent's.
	if text, ok := agent("newtab"); !ok {
		t.Fatalf("an empty tab of its own: %s", text)
	}
	p.eventually("the panel knows which tabs are the agent's", func() bool {
		tabs := mine().Tabs
		return len(tabs) == 3 && private(users) && !private(tabs[1].ID) && !private(tabs[2].ID)
	})
	if text, ok := agent("tabs"); !ok || strings.Contains(text, "/mail") || !strings.Contains(text, "/agent") {
		t.Errorf("its tabs are %s", text)
	}
	p.cli("--session", "mine", "givetab", string(users))
	if private(users) {
		t.Error("the panel would not say that agents can use the tab that the user gave")
	}
	if text, ok := agent("snapshot --tab " + string(users)); !ok || !strings.Contains(text, "Reply") {
		t.Errorf("a tab that the user gave: %s", text)
	}
	p.cli("--session", "mine", "givetab", string(users), "--back")
	if text, _ := agent("tabs"); strings.Contains(text, "/mail") {
		t.Errorf("a tab that the user took back: %s", text)
	}

	// What is not about its own page waits for the user, whatever another session allows.
	rules := filepath.Join(p.home, "state", "sessions", string(protocol.DefaultSession), "rules.json")
	if err := os.WriteFile(rules, []byte(`{"version":1,"rules":[{"site":"*","kind":"sensitive","decision":"allow"}]}`), 0o600); err != nil {
		t.Error(err)
	}
	for _, line := range []string{"cookies get sid", "permissions grant geolocation"} {
		if text, ok := agent(line + " --timeout 1s --tab t2"); ok || !strings.Contains(text, "nobody answered") {
			t.Errorf("%s: %s", line, text)
		}
	}
	_ = s.Close()
	for range 2 { // programs come and go, and the user is not asked again
		s = connect()
		if text, ok := agent("tabs"); !ok {
			t.Error(text)
		}
		_ = s.Close()
	}
	if n := asked(); n != 1 {
		t.Errorf("the browser was asked %d times", n)
	}
	// A killed app leaves the browser running, and its next start asks again.
	p.kill()
	if !chrome.Running() {
		t.Fatal("the user's browser has ended with the app")
	}
	p.launch(options{})
	p.eventually("the app is there", func() bool { _, err := p.status(); return err == nil })
	allow()
	// What runs in terminals outlives the browser, which is asked again when the user wants it.
	p.eventually("a shell runs", func() bool { return len(mine().Terminals) == 1 && mine().Terminals[0].State == protocol.TerminalLive })
	shell := mine().Terminals[0].ID
	chrome.Kill()
	p.eventually("the session goes on without it", func() bool { return mine().State == protocol.SessionBackground && len(mine().Tabs) == 0 })
	if left := mine().Terminals; len(left) != 1 || left[0].ID != shell || left[0].State != protocol.TerminalLive {
		t.Errorf("the terminals are %+v", left)
	}
	chrome.Start(site.URL + "/mail")
	allow()
	p.cli("--session", "mine", "newtab", site.URL+"/shell")
	p.cli("sessions", "stop", "mine")
	if !chrome.Running() {
		t.Error("the user's browser has ended with the session")
	}
	p.eventually("only the user's tab is left", func() bool { return strings.HasPrefix(chrome.Title(), "Mail of the user") })
}

// byMCP runs a line of commands as the agent of an MCP session, and returns the reply
// and whether all of it was done.
func (p *product) byMCP(s *sdk.ClientSession, line string) (string, bool) {
	p.t.Helper()
	res, err := s.CallTool(p.ctx, &sdk.CallToolParams{Name: "browser_run", Arguments: map[string]any{"commands": []string{line}}})
	if err != nil {
		p.t.Fatal(err)
	}
	text := ""
	for _, c := range res.Content {
		if said, is := c.(*sdk.TextContent); is {
			text += said.Text
		}
	}
	return text, !res.IsError
}
