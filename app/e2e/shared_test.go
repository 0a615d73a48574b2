package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pilotfish/app/agents/fakes/model"
	"pilotfish/app/e2e/desktop"
	"pilotfish/app/e2e/tap"
	"pilotfish/backend/protocol"
)

// common is the product that all tests use which need no configuration of their own: a
// start costs more than most of them. The tests run one after the other. Between two of
// them it is put back into the state of its start, and what a test has left running or
// changed for good is the failure of that test.
var common sharedProduct //nolint:gochecknoglobals // the tests of a package share nothing else

type sharedProduct struct {
	*product
	notes *desktop.Notifications
	// began is what the product keeps at its start, see kept.
	began string
	ends  []func() error
}

// shared returns the shared product, which it starts when there is none: with one tab at
// the welcome page, a shell beside it, and nothing else.
func shared(t *testing.T) (p *product, browser *tap.Client, panel *tap.Page) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), longest)
	t.Cleanup(cancel)
	s := &common
	if s.product == nil {
		s.start(t)
	}
	p = s.product
	p.t, p.ctx = t, ctx
	browser = p.browser(protocol.DefaultSession)
	panel = p.panel(browser)
	p.untilScreen(panel, "ready>")
	if s.began == "" {
		s.began = s.kept()
	}
	t.Cleanup(func() {
		if !t.Failed() {
			s.restore()
		}
		if t.Failed() { // the next test gets another one
			t.Logf("log of the app:\n%s", p.tail())
			if err := s.end(); err != nil {
				t.Error(err)
			}
		}
	})
	return p, browser, panel
}

// notifications are those that the shared product shows from now on.
func notifications() *desktop.Notifications {
	for len(common.notes.Shown) > 0 {
		<-common.notes.Shown
	}
	for len(common.notes.Closed) > 0 {
		<-common.notes.Closed
	}
	return common.notes
}

func (s *sharedProduct) start(t *testing.T) {
	t.Helper()
	atEnd := func(end func() error) { s.ends = append(s.ends, end) }
	desk := desktopUntil(t, desktop.Config{Width: 1440, Height: 900}, atEnd)
	notes, err := desk.Notifications()
	if err != nil {
		t.Fatal(err)
	}
	s.notes, s.began = notes, ""
	// For TestTaskUsesTheUsersServers: a fake pass, which nobody asks without its name.
	path := "PATH=" + filepath.Join(repoRoot(t), "backend/secret/fakes") + ":" + os.Getenv("PATH")
	s.product = startUntil(t, options{Desktop: desk, Env: []string{path}}, atEnd)
}

// end ends the product, in the opposite order of its start.
func (s *sharedProduct) end() error {
	var errs []error
	for _, end := range slices.Backward(s.ends) {
		errs = append(errs, end())
	}
	s.product, s.ends = nil, nil
	return errors.Join(errs...)
}

// kept is what tests may change only until their end: settings, rules, schedules, servers,
// the names of sessions.
func (s *sharedProduct) kept() string {
	s.t.Helper()
	settings, err := os.ReadFile(filepath.Join(s.home, "config", "settings.toml"))
	if err != nil {
		s.t.Fatal(err)
	}
	kept := []string{string(settings)}
	for _, one := range s.sessions() {
		kept = append(kept, fmt.Sprintf("session %s: %s", one.Name, one.State))
	}
	for _, list := range []string{"rules", "schedule", "mcp-servers"} {
		kept = append(kept, s.cli(list))
	}
	return strings.Join(kept, "\n")
}

// restore checks what a test has left, and removes what a test may leave: tabs,
// conversations, tasks, models, terminals that have ended or are at their prompt.
func (s *sharedProduct) restore() {
	t := s.t
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), longest)
	defer cancel()
	s.ctx = ctx
	var session protocol.SessionInfo
	var talks protocol.ChatListReply
	running := func() (left []string) {
		session = s.session(protocol.DefaultSession)
		for _, one := range session.Approvals {
			left = append(left, fmt.Sprintf("a question: %+v", one))
		}
		for _, one := range s.tasks() {
			if !one.State.Over() {
				left = append(left, fmt.Sprintf("the task %q, which is %s", one.Goal, one.State))
			}
		}
		talks = protocol.ChatListReply{}
		s.request("/chat/list", struct{}{}, &talks)
		for _, one := range talks.Conversations {
			if one.State != protocol.ConversationIdle && one.State != protocol.ConversationFailed {
				left = append(left, fmt.Sprintf("the conversation %q, which is %s", one.Title, one.State))
			}
		}
		return left
	}
	// What the test saw last is on the screen before its end is recorded.
	left := running()
	// As in eventually: nothing outside of the product can subscribe to all of these.
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for deadline := time.Now().Add(patience); len(left) > 0 && time.Now().Before(deadline); left = running() {
		<-tick.C
	}
	for _, one := range left {
		t.Errorf("the test leaves %s", one)
	}
	if kept := s.kept(); kept != s.began {
		t.Errorf("the test has changed for good:\n%s\nAt the start it was:\n%s", kept, s.began)
	}
	if t.Failed() {
		return
	}

	s.command("tab", "t1", nil)
	s.command("goto", "t1", map[string]string{"url": fmt.Sprintf("http://127.0.0.1:%d/welcome", s.endpoint().Port)})
	for _, tab := range session.Tabs {
		if tab.ID != "t1" {
			s.command("closetab", tab.ID, nil)
		}
	}
	browser := s.browser(protocol.DefaultSession)
	if s.session(protocol.DefaultSession).Panel != protocol.PanelConnected {
		s.clickIcon(browser)
	}
	panel := s.connectedPanel(browser)
	for _, one := range talks.Conversations {
		s.request("/chat/delete", protocol.ChatRequest{Conversation: one.ID}, nil)
	}
	for _, one := range s.tasks() {
		s.askAsPanel(panel, "/task/delete", protocol.TaskRequest{Task: one.ID}, nil)
	}
	for _, one := range s.models(panel) {
		s.askAsPanel(panel, "/llm/delete", protocol.LLMProfileRequest{Profile: one.ID}, nil)
	}
	s.startTerminal(panel, protocol.PtySessionRequest{})
	s.do(panel, `chrome.storage.local.clear()`)
	s.do(panel, `globalThis.last = true; location.reload()`)
	s.until(panel, "the panel's next document is there", `globalThis.last === undefined`)
	s.untilScreen(panel, "ready>")
	// Where a test left no terminal, the panel may have started one by itself, too.
	s.eventually("the panel's terminal is the only one", func() bool {
		all := s.session(protocol.DefaultSession).Terminals
		unseen := slices.DeleteFunc(slices.Clone(all), func(one protocol.TerminalInfo) bool { return one.Viewers > 0 })
		s.endTerminals(panel, unseen)
		return len(all) == 1
	})
	if now := s.session(protocol.DefaultSession); len(now.Tabs) != 1 || len(now.Terminals) != 1 {
		t.Errorf("the test leaves %d tabs and %d terminals: %+v", len(now.Tabs), len(now.Terminals), now)
	}
}

// command runs a command of the browser that must succeed, without a process.
func (p *product) command(name string, tab protocol.TabID, args map[string]string) {
	p.t.Helper()
	req := protocol.CommandRequest{Command: name, Tab: tab, Args: map[string]json.RawMessage{}}
	for name, value := range args {
		req.Args[name] = must(json.Marshal(value))
	}
	var reply protocol.CommandReply
	p.request("/command", req, &reply)
	if !reply.OK {
		p.t.Fatalf("%s: %+v", name, reply.Error)
	}
}

// startTerminal starts a terminal beside t1, and ends all others.
func (p *product) startTerminal(panel *tap.Page, req protocol.PtySessionRequest) {
	p.t.Helper()
	others := p.session(protocol.DefaultSession).Terminals
	req.Tab, req.Cols, req.Rows = "t1", 80, 24
	p.askAsPanel(panel, "/pty-session", req, nil)
	p.endTerminals(panel, others)
}

// startAgent makes the panel start the agent of Settings beside t1, as it does where no
// terminal is left. The terminal's name shows that the settings apply.
func (p *product) startAgent(panel *tap.Page, name string) {
	p.t.Helper()
	p.eventually("the agent of Settings starts", func() bool {
		all := p.session(protocol.DefaultSession).Terminals
		if len(all) == 1 && all[0].Name == name {
			return true
		}
		p.endTerminals(panel, all)
		// The panel starts one by itself, or offers it with a button.
		p.do(panel, fmt.Sprintf(`[...document.querySelectorAll('button')].find((b) => b.checkVisibility() && b.textContent.trim() === %q)?.click()`, "Start "+name+" beside this tab"))
		return false
	})
}

func (p *product) endTerminals(panel *tap.Page, all []protocol.TerminalInfo) {
	p.t.Helper()
	for _, one := range all {
		p.askAsPanel(panel, "/pty-close", protocol.PtyCloseRequest{Terminal: one.ID}, nil)
	}
}

// models returns the model profiles.
func (p *product) models(panel *tap.Page) []protocol.LLMProfile {
	p.t.Helper()
	var state protocol.LLMState
	p.askAsPanel(panel, "/llm/profiles", struct{}{}, &state)
	return state.Profiles
}

// useModel sets up the fake model at an address. TestTaskFillsForm does it in the panel's form.
func (p *product) useModel(panel *tap.Page, address string) {
	p.t.Helper()
	key := model.Key
	p.askAsPanel(panel, "/llm/save", protocol.LLMSaveRequest{Key: &key, Profile: protocol.LLMProfile{
		Name: "fake-model", Provider: protocol.LLMCompatible, URL: address, Model: "fake-model", For: []string{protocol.ForTask},
	}}, nil)
}

// settings adds lines to the settings of the running product, until the returned function
// takes them back.
func (p *product) settings(lines ...string) (back func()) {
	p.t.Helper()
	file := filepath.Join(p.home, "config", "settings.toml")
	before, err := os.ReadFile(file)
	if err != nil {
		p.t.Fatal(err)
	}
	text := strings.ReplaceAll(string(before)+strings.Join(lines, "\n")+"\n", "{bin}", p.bin)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		p.t.Fatal(err)
	}
	return func() {
		if err := os.WriteFile(file, before, 0o600); err != nil {
			p.t.Error(err)
		}
	}
}
