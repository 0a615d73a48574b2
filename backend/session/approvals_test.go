package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/config"
	"pilotfish/backend/mcp"
	"pilotfish/backend/op"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/terminal"
)

// onePage is a browser with one tab and a clipboard.
type onePage struct{ catalogue.Browser }

func (onePage) WasOpen(protocol.TabID) bool { return false }
func (onePage) ByHand() bool                { return false }
func (onePage) Carry(context.Context, protocol.TabID, string, string, map[string]any, func(context.Context, protocol.ByPage) protocol.CommandReply) protocol.CommandReply {
	return protocol.CommandReply{}
}

func (onePage) Gate(context.Context, protocol.TabID, []string, func(string, bool) error, func(string, netip.Addr) error, protocol.Saver) error {
	return nil
}

func (onePage) Tabs() []protocol.Tab {
	return []protocol.Tab{{ID: "t1", URL: "https://example.com/a", Title: "A", Active: true, Focused: true}}
}

func (onePage) Clipboard(context.Context, protocol.Caller, protocol.TabID, *string) (string, error) {
	return "from the clipboard", nil
}

func (onePage) Cookies(context.Context, protocol.Caller, protocol.TabID, string, protocol.CookieScope) ([]protocol.Cookie, error) {
	return []protocol.Cookie{{Name: "sid", Value: "topsecret", Domain: "example.com", Path: "/"}}, nil
}

func (onePage) Storage(context.Context, protocol.Caller, protocol.TabID) (protocol.Storage, error) {
	return protocol.Storage{
		Origin: "https://example.com", Local: []protocol.StorageItem{{Key: "token", Value: "topsecret"}},
		SessionItems: []protocol.StorageItem{{Key: "draft", Value: "topsecret"}},
	}, nil
}

func (onePage) Routine(name string) (protocol.Routine, error) {
	return protocol.Routine{Version: 1, Name: name, Params: map[string]string{"what": ""}, Steps: []string{`clipboard "${what}"`}}, nil
}

func (onePage) Page(context.Context, protocol.Caller, protocol.TabID) (protocol.PageInfo, error) {
	return protocol.PageInfo{Tab: "t1", URL: "https://example.com/a"}, nil
}

// fixture is a manager with a session whose browser is onePage, behind
// a real server.
type fixture struct {
	m     *Manager
	s     *Session
	port  int
	panel string
	agent string
	cli   string
	list  *terminal.Manager
	shown chan protocol.WindowShow // what the window was asked to show
}

// newManager returns a Manager whose files are in a folder.
func newManager(t *testing.T, home string, headless bool) *Manager {
	t.Helper()
	dirs := config.Dirs{Config: filepath.Join(home, "config"), State: filepath.Join(home, "state")}
	if err := dirs.Prepare(); err != nil {
		t.Fatal(err)
	}
	settings, err := config.Open(dirs.SettingsFile())
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(Config{Version: "test", Dirs: dirs, Settings: settings, Headless: headless, Logger: slog.New(slog.DiscardHandler)})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	home, log := t.TempDir(), slog.New(slog.DiscardHandler)
	m := newManager(t, home, false)
	h := &fixture{m: m, s: m.sessions[protocol.DefaultSession], shown: make(chan protocol.WindowShow, 16)}
	m.OnShow(func(show protocol.WindowShow) { h.shown <- show })
	h.s.tabs.Set(onePage{}.Tabs())
	ctx, cancel := context.WithCancel(t.Context())
	r := &run{attention: newAttention(h.s), done: make(chan struct{}), up: make(chan struct{}), cancel: func(error) {}}
	r.policy = policy.New(policy.Config{OwnPort: m.endpoint.Port, Rules: h.s.approvals.Rules(), Broker: h.s.approvals.Broker()})
	r.commands = catalogue.New(catalogue.Config{Browser: onePage{}, Policy: r.policy})
	var err error
	r.terminals, err = terminal.New(terminal.Config{
		Session: protocol.DefaultSession, Logger: log, Grace: func() time.Duration { return 0 },
		Launch: func(context.Context, terminal.Request) (terminal.Launch, error) {
			return terminal.Launch{Path: "/bin/sh", Args: []string{"-c", "cat"}, Dir: home, Kind: protocol.AgentClaude, Name: "claude"}, nil
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	sessions := quiet{gateway: gateway{m}, s: h.s, r: r}
	tools := mcp.NewHandler(mcp.HandlerConfig{Logger: log, Caller: func(grant auth.Grant) mcp.Config {
		c := gateway{m}.mcpFor(grant)
		c.Caller = quietCaller{c.Caller.(mcpCaller), sessions}
		return c
	}})
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	sessions.Handler = tools
	srv, err := server.New(server.Config{
		Auth: m.auth, Sessions: sessions, Version: "test", Key: []byte("k"), Logger: log, Operations: m.Operations(), Listener: listener,
	})
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { defer close(ended); _ = srv.Run(ctx) }()
	waits := make(chan struct{})
	go func() { defer close(waits); h.s.approvals.Run(ctx, r.terminals) }()
	terminals := make(chan struct{})
	go func() { defer close(terminals); _ = r.terminals.Run(ctx) }()
	t.Cleanup(func() { _ = tools.Close(); cancel(); <-ended; <-waits; <-terminals })
	h.port, h.list = listener.Addr().(*net.TCPAddr).Port, r.terminals
	_, panel := m.auth.Mint(auth.KindPanel, auth.Grant{Session: protocol.DefaultSession, Actor: protocol.Actor{Kind: protocol.ActorUser, Name: "you"}}, 0)
	_, cli := m.auth.Mint(auth.KindCLI, auth.Grant{Actor: protocol.Actor{Kind: protocol.ActorShell, Name: "shell"}, Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin}}, 0)
	info, err := r.terminals.Start(ctx, protocol.PtySessionRequest{Tab: "t1", Cols: 80, Rows: 24})
	if err != nil {
		t.Fatal(err)
	}
	h.panel, h.cli, h.agent = panel.Reveal(), cli.Reveal(), h.s.tokens.Terminal(info.ID, "t1", protocol.AgentClaude, true).Reveal()
	return h
}

// quiet is the gateway, but runs its commands in the fixture's own run, because
// other tests cover a session with a browser.
type quiet struct {
	gateway
	*mcp.Handler
	s *Session
	r *run
}

type quietCaller struct {
	mcpCaller
	quiet quiet
}

func (c quietCaller) Execute(ctx context.Context, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	return c.quiet.Command(ctx, c.Grant, req, waiting)
}

func (q quiet) Command(ctx context.Context, grant auth.Grant, req protocol.CommandRequest, waiting func(protocol.Waiting)) protocol.CommandReply {
	grant, err := q.m.callers.Conversation(grant, req.Tab)
	if err != nil {
		return protocol.CommandReply{Error: protocol.AsError(err)}
	}
	return q.s.recorder.Do(grant.Actor, req, waiting, func(watch command.Watch) protocol.CommandReply {
		return q.r.commands.Execute(ctx, q.call(q.s, q.r, grant, req, watch))
	})
}

func (h *fixture) post(t *testing.T, token, path string, body any) (int, []byte) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, fmt.Sprintf("http://127.0.0.1:%d%s", h.port, path), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	req.Header.Set("Authorization", "Bearer "+token)
	req.Header.Set("Content-Type", "application/json")
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		t.Error(err)
		return 0, nil
	}
	defer res.Body.Close()
	got, err := io.ReadAll(res.Body)
	if err != nil {
		t.Error(err)
	}
	return res.StatusCode, got
}

func (h *fixture) run(t *testing.T, token, name string, args map[string]json.RawMessage) protocol.CommandReply {
	t.Helper()
	var reply protocol.CommandReply
	status, body := h.post(t, token, "/command", protocol.CommandRequest{Command: name, Args: args})
	if status != http.StatusOK {
		t.Errorf("%s: %d %s", name, status, body)
	}
	if err := json.Unmarshal(body, &reply); err != nil {
		t.Errorf("%s: %v", name, err)
	}
	return reply
}

// socket dials the panel's socket as a page of the given origin.
func (h *fixture) socket(t *testing.T, token, origin string) (*websocket.Conn, int) {
	t.Helper()
	conn, res, err := websocket.Dial(t.Context(), fmt.Sprintf("ws://127.0.0.1:%d/panel", h.port), &websocket.DialOptions{ //nolint:bodyclose // the library closes it
		Subprotocols: []string{protocol.Version, protocol.TokenSubprotocol + token}, HTTPHeader: http.Header{"Origin": {origin}},
	})
	if err != nil {
		return nil, res.StatusCode
	}
	conn.SetReadLimit(1 << 20)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn, res.StatusCode
}

// waitingIn reads the panel's events until n questions wait. The first state
// may already contain one, because the socket is open before the state is sent.
func waitingIn(t *testing.T, conn *websocket.Conn, n int) []protocol.Approval {
	t.Helper()
	for {
		_, data, err := conn.Read(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var e protocol.SessionEvent
		if json.Unmarshal(data, &e) == nil && (e.Type == protocol.PanelSession || e.Type == protocol.PanelHello) && len(e.Session.Approvals) == n {
			return e.Session.Approvals
		}
	}
}

// TestWholePath: an agent's sensitive command waits, the answer comes through
// the panel's socket, and the result arrives. No other caller can answer.
func TestWholePath(t *testing.T) {
	h := newFixture(t)
	conn, _ := h.socket(t, h.panel, protocol.ExtensionOrigin)
	if conn == nil {
		t.Fatal("the panel's socket does not open")
	}
	say := func(m protocol.PanelMessage) {
		t.Helper()
		data, err := json.Marshal(m)
		if err == nil {
			err = conn.Write(t.Context(), websocket.MessageText, data)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	// The panel opens a page of the window; the session is that of its token.
	say(protocol.PanelMessage{Type: protocol.PanelWindow, Window: &protocol.WindowShow{Page: protocol.WindowSettings, Session: "other"}})
	if got := <-h.shown; got.Page != protocol.WindowSettings || got.Session != protocol.DefaultSession {
		t.Errorf("the window shows %+v", got)
	}
	text := map[string]json.RawMessage{"text": json.RawMessage(`"a secret"`)}
	for _, c := range []struct {
		answer protocol.ApprovalAnswer
		ok     bool
	}{{protocol.AnswerDeny, false}, {protocol.AnswerOnce, true}, {protocol.AnswerAlways, true}} {
		done := make(chan protocol.CommandReply, 1)
		go func() { done <- h.run(t, h.agent, "clipboard", text) }()
		w := waitingIn(t, conn, 1)[0]
		if w.Command != "clipboard" || w.Kind != protocol.ActionClipboard || w.Origin != "https://example.com" || w.Actor.Name != "claude in t1" || w.Words.What != "write “a secret” to the clipboard" {
			t.Errorf("the panel is shown %+v", w)
		}
		if got := h.status(t, protocol.AgentNeedsYou); got.Message == "" {
			t.Errorf("the terminal says %+v", got)
		}
		if c.answer == protocol.AnswerDeny {
			h.othersCannotAnswer(t, w.ID)
		}
		say(protocol.PanelMessage{Type: protocol.PanelAnswer, Approval: "guessed", Answer: protocol.AnswerOnce})
		say(protocol.PanelMessage{Type: protocol.PanelAnswer, Approval: w.ID, Answer: c.answer})
		reply := <-done
		if reply.OK != c.ok || (!c.ok && reply.Error.Code != protocol.CodeDenied) {
			t.Errorf("%s: %+v", c.answer, reply)
		}
		h.status(t, protocol.AgentWorking)
		// Wait until the question is gone: it may have been shown twice, and the next
		// question must not be mistaken for it.
		waitingIn(t, conn, 0)
	}
	// The window shows who asked what, and the answer.
	found := called[protocol.ActivityFound](t, op.NewTable(nil, h.m.Operations()...), "SearchActivity", protocol.ActivityQuery{Kinds: []protocol.ActivityKind{protocol.ActivityQuestion}})
	if len(found.Entries) != 6 {
		t.Fatalf("the activity has %+v", found.Entries)
	}
	asked, answered := found.Entries[4], found.Entries[5]
	if answered.Phase != protocol.ActivityAnswered || answered.Parent != asked.Index || answered.Args["answer"] != "always" || answered.Args["in"] != "panel" || !strings.Contains(asked.Summary, "https://example.com") {
		t.Errorf("the last question: %+v, its answer: %+v", asked, answered)
	}
	// "Always" applies from now on, and is on the disk.
	if reply := h.run(t, h.agent, "clipboard", text); !reply.OK {
		t.Errorf("after always: %+v", reply)
	}
	dirs, err := h.m.cfg.Dirs.Session(protocol.DefaultSession)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dirs.Root, "rules.json")
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("rules.json: %v, %v", info, err)
	}
	var file protocol.SiteRulesFile
	if data, err := os.ReadFile(path); err != nil || json.Unmarshal(data, &file) != nil || file.Version != 1 {
		t.Fatalf("rules.json has %s, %v", data, err)
	}
	if kept := file.Rules; len(kept) != 1 || kept[0] != (protocol.SiteRule{Site: "example.com", Kind: protocol.ActionClipboard, Decision: protocol.SiteAllow}) {
		t.Errorf("the disk has %+v", kept)
	}
	// When the agent's process ends, its question ends too.
	h.rule(t, protocol.SiteRule{Site: "example.com", Kind: protocol.ActionClipboard, Decision: protocol.SiteAsk})
	done := make(chan protocol.CommandReply, 1)
	go func() { done <- h.run(t, h.agent, "clipboard", nil) }()
	w := waitingIn(t, conn, 1)[0]
	h.s.launcher().Ended(protocol.TerminalID(w.Actor.ID))
	if reply := <-done; reply.OK || reply.Error.Code != protocol.CodeRefused {
		t.Errorf("an agent that ended: %+v", reply)
	}
	if h.s.approvals.Answer(w.ID, protocol.AnswerOnce, "window") == nil {
		t.Error("a question that is over was answered")
	}
	// A user at a shell is not asked about their own actions.
	if reply := h.run(t, h.cli, "clipboard", nil); !reply.OK {
		t.Errorf("a person: %+v", reply)
	}
}

// rule sets a site rule.
func (h *fixture) rule(t *testing.T, rule protocol.SiteRule) {
	t.Helper()
	if err := h.s.approvals.Rules().Set(rule); err != nil {
		t.Fatal(err)
	}
}

// status waits until the terminal has a status.
func (h *fixture) status(t *testing.T, want protocol.AgentStatus) protocol.TerminalInfo {
	t.Helper()
	for {
		for _, info := range h.list.List() {
			if info.Status == want {
				return info
			}
		}
		if t.Context().Err() != nil {
			t.Fatalf("the terminal never says %s", want)
		}
	}
}

// othersCannotAnswer tries every other way to approve a question.
func (h *fixture) othersCannotAnswer(t *testing.T, id string) {
	t.Helper()
	for name, token := range map[string]string{"agent": h.agent, "cli": h.cli} {
		if _, status := h.socket(t, token, protocol.ExtensionOrigin); status != http.StatusForbidden {
			t.Errorf("the panel's socket opens to the token of the %s: %d", name, status)
		}
		for _, path := range []string{"/approvals", "/approve", "/answer", "/panel"} {
			if status, _ := h.post(t, token, path, map[string]string{"id": id, "answer": "once"}); status < 400 {
				t.Errorf("%s of the %s: %d", path, name, status)
			}
		}
	}
	// A page has neither the token nor the origin.
	if _, status := h.socket(t, h.panel, "https://example.com"); status != http.StatusForbidden {
		t.Errorf("the panel's socket opens to a page: %d", status)
	}
	if reply := h.run(t, h.agent, "rules", map[string]json.RawMessage{"do": json.RawMessage(`"allow"`), "kind": json.RawMessage(`"clipboard"`), "site": json.RawMessage(`"*"`)}); reply.OK || reply.Error.Code != protocol.CodeForbidden {
		t.Errorf("an agent makes rules: %+v", reply)
	}
	if status, body := h.post(t, h.agent, "/app", protocol.AppRequest{Action: protocol.AppStatus}); status != http.StatusForbidden {
		t.Errorf("an agent asks the app: %d %s", status, body)
	}
	if _, body := h.post(t, h.cli, "/app", protocol.AppRequest{Action: protocol.AppStatus}); bytes.Contains(body, []byte(id)) {
		t.Errorf("the command line is told by which word it is answered: %s", body)
	}
}

// A session without a window has nobody to ask, and does not wait for them.
func TestHeadlessHasNobodyToAsk(t *testing.T) {
	m := newManager(t, t.TempDir(), true)
	asked := m.sessions[protocol.DefaultSession].approvals
	_, err := asked.Broker().Ask(t.Context(), protocol.Approval{Command: "eval"})
	if e := protocol.AsError(err); e.Code != protocol.CodeRefused || len(asked.Pending()) > 0 {
		t.Errorf("Ask() = %v", err)
	}
}
