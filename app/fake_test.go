package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"testing"

	"pilotfish/app/calls"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/session"
)

// The test binary also plays other programs: the app with a backend that the test
// controls, a tray and a window that need no desktop, and unresponsive ones.
const partEnv = "PILOTFISH_TEST_PART"

func TestMain(m *testing.M) {
	switch os.Getenv(partEnv) {
	case "app":
		os.Exit(run(context.Background(), os.Args[1:], console{out: os.Stdout, err: os.Stderr}, wireFake))
	case "tray":
		os.Exit(playTray(os.Stdin, os.Stdout))
	case "unresponsive tray":
		playUnresponsiveTray()
	case "dead tray", "dead window":
		os.Exit(7)
	case "window":
		os.Exit(playWindow(os.Stdin, os.Stdout))
	case "unresponsive window":
		playUnresponsiveWindow()
	}
	code := m.Run()
	_ = os.RemoveAll(builtDir())
	os.Exit(code)
}

// builtDir is where the tests of this run build the programs that they need.
func builtDir() string {
	return filepath.Join(os.TempDir(), fmt.Sprintf("pilotfish-app-test-%d", os.Getpid()))
}

// playTray answers every state with a click on a tab that names the icon, so that
// the test sees which state the tray received.
func playTray(in io.Reader, out io.Writer) int {
	answers := json.NewEncoder(out)
	_ = answers.Encode(protocol.TrayAction{Action: protocol.TrayReady})
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var state protocol.TrayState
		if err := json.Unmarshal(lines.Bytes(), &state); err != nil {
			return 1
		}
		_ = answers.Encode(protocol.TrayAction{Action: protocol.TrayTabOp, Session: protocol.SessionName(state.Icon), Tab: "t1"})
	}
	return 0
}

// playWindow is a window that needs no desktop. It reports each order that it
// receives by a call of OpenLink. The messages of the event "log" it writes as
// raw lines to its output: this is how a test makes it send any report.
func playWindow(in io.Reader, out io.Writer) int {
	reports := json.NewEncoder(out)
	_, _ = fmt.Fprint(out, "GTK prints this and does not end the line")
	said := func(text string) {
		args, _ := json.Marshal(text)
		_, _ = fmt.Fprintln(out)
		_ = reports.Encode(protocol.WindowReport{Report: protocol.ReportCall, Method: "OpenLink", Args: []json.RawMessage{[]byte(`"heard"`), args}})
	}
	said("begun")
	for orders := json.NewDecoder(in); ; {
		var order protocol.WindowOrder
		if err := orders.Decode(&order); err != nil {
			return 0
		}
		switch {
		case order.Order == protocol.OrderEvent && order.Event == "log":
			var records []protocol.LogRecord
			_ = json.Unmarshal(order.Data, &records)
			for _, r := range records {
				_, _ = fmt.Fprintf(out, "\n%s\n", r.Message)
			}
		case order.Order == protocol.OrderEvent && order.Event == "state":
			var state protocol.WindowState
			_ = json.Unmarshal(order.Data, &state)
			said(fmt.Sprintf("state %d", state.Port))
		case order.Order == protocol.OrderAnswer && order.Call == 0:
			// The answer to one of its own calls.
		case order.Order == protocol.OrderAnswer:
			said(fmt.Sprintf("answer %d: %s%s", order.Call, order.Data, order.Failed))
		default:
			said(string(order.Order) + string(order.Data))
		}
	}
}

// playUnresponsiveWindow neither reads its input nor notices its end.
func playUnresponsiveWindow() {
	signal.Ignore(os.Interrupt)
	_ = json.NewEncoder(os.Stdout).Encode(protocol.WindowReport{Report: protocol.ReportCall, Method: "OpenLink", Args: []json.RawMessage{[]byte(`"heard"`), []byte(`"unresponsive"`)}})
	select {}
}

// playUnresponsiveTray notices neither the end of its input nor an interrupt.
func playUnresponsiveTray() {
	signal.Ignore(os.Interrupt)
	_ = json.NewEncoder(os.Stdout).Encode(protocol.TrayAction{Action: protocol.TrayReady})
	select {}
}

// fakeBackend is a backend whose state the test sets, and which records calls.
type fakeBackend struct {
	kept    calls.SecretStore // nil for none
	clients calls.ConnectedClients
	stored  calls.StoredData
	changes *hub.Hub[struct{}]
	calls   chan string
	broken  error                // returned by Run at once
	chat    server.Conversations // nil when there are none

	mu    sync.Mutex
	state protocol.WindowState
	show  func(protocol.WindowShow)
	quit  func()
}

// Models returns nil: the models are tested elsewhere.
func (b *fakeBackend) Models() server.Models { return nil }

func (b *fakeBackend) Secrets() calls.SecretStore { return b.kept }

func (b *fakeBackend) Schedules() session.Schedules { return nil }

func newFakeBackend() *fakeBackend {
	b := &fakeBackend{changes: hub.New[struct{}](1), calls: make(chan string, 256)}
	b.set(protocol.WindowState{Tray: protocol.TrayStarting})
	return b
}

// set replaces the state, except the tray's status, which the app sets.
func (b *fakeBackend) set(state protocol.WindowState) {
	b.mu.Lock()
	if b.state.Tray != "" {
		state.Tray = b.state.Tray
	}
	state.Theme = protocol.ThemeSystem
	if state.Sessions == nil {
		state.Sessions = []protocol.SessionInfo{}
	}
	for i := range state.Sessions {
		s := &state.Sessions[i]
		s.Panel = protocol.PanelAbsent
		s.Warnings = append([]protocol.Error{}, s.Warnings...)
		s.Tabs = append([]protocol.Tab{}, s.Tabs...)
		s.Terminals = append([]protocol.TerminalInfo{}, s.Terminals...)
	}
	state.Version = "test"
	state.Agents = protocol.AgentsFile{Version: 1, Agents: []protocol.AgentInfo{}, Default: protocol.AgentShell}
	b.state = state
	b.mu.Unlock()
	b.changes.Publish(struct{}{})
}

func (b *fakeBackend) called(format string, args ...any) { b.calls <- fmt.Sprintf(format, args...) }

func (b *fakeBackend) Run(ctx context.Context) error {
	b.called("run")
	if b.broken != nil {
		return b.broken
	}
	<-ctx.Done()
	b.called("ended")
	return nil
}

func (b *fakeBackend) Window() protocol.WindowState {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state
}

func (b *fakeBackend) Begun() <-chan struct{} {
	begun := make(chan struct{})
	close(begun)
	return begun
}

func (b *fakeBackend) Changes() *hub.Subscription[struct{}] { return b.changes.Subscribe() }

func (b *fakeBackend) Start(_ context.Context, name protocol.SessionName) error {
	b.called("start %s", name)
	return nil
}

func (b *fakeBackend) Stop(_ context.Context, name protocol.SessionName) error {
	b.called("stop %s", name)
	return nil
}

func (b *fakeBackend) Restart(_ context.Context, name protocol.SessionName) error {
	b.called("restart %s", name)
	return nil
}

func (b *fakeBackend) CreateTitled(_ context.Context, title string) (protocol.SessionName, error) {
	b.called("create %s", title)
	return protocol.SessionName(title), nil
}

func (b *fakeBackend) Clients() calls.ConnectedClients { return b.clients }

func (b *fakeBackend) Stored() calls.StoredData { return b.stored }

func (b *fakeBackend) Identity(name protocol.SessionName) (calls.Identity, error) {
	return fakeIdentity{b, name}, nil
}

// fakeIdentity notes what is asked of the identity of a session.
type fakeIdentity struct {
	b    *fakeBackend
	name protocol.SessionName
}

func (f fakeIdentity) Kept() (protocol.SessionIdentity, error) {
	return protocol.SessionIdentity{Color: "#1a73e8"}, nil
}

func (f fakeIdentity) Keep(id protocol.SessionIdentity) error {
	f.b.called("keep %s %s", f.name, id.Color)
	return nil
}

func (f fakeIdentity) Test(_ context.Context, id *protocol.SessionIdentity, _ string) (*protocol.ProxyTest, error) {
	return &protocol.ProxyTest{Proxy: id.Proxy, Host: protocol.ProxyTestHost, Milliseconds: 7}, nil
}

func (b *fakeBackend) Approvals(name protocol.SessionName) (calls.Asked, error) {
	return fakeApprovals{b, name}, nil
}

// fakeApprovals record calls, and accept any rule.
type fakeApprovals struct {
	b    *fakeBackend
	name protocol.SessionName
}

func (a fakeApprovals) Show(_ context.Context, id string) {
	a.b.called("show approval %s/%s", a.name, id)
}

func (a fakeApprovals) Answer(id string, answer protocol.ApprovalAnswer, _ string) error {
	a.b.called("answer %s %s %s", a.name, id, answer)
	return nil
}

func (a fakeApprovals) Rules() (calls.Rules, error) {
	return &fakeRules{list: []protocol.SiteRule{}}, nil
}

// fakeRules contain the rules that were set last.
type fakeRules struct{ list []protocol.SiteRule }

func (r *fakeRules) List() []protocol.SiteRule { return r.list }

func (r *fakeRules) Set(rule protocol.SiteRule) error {
	r.list = []protocol.SiteRule{rule}
	return nil
}

func (r *fakeRules) Remove(string, protocol.ActionKind) error { return nil }

func (b *fakeBackend) Delete(_ context.Context, name protocol.SessionName) error {
	b.called("delete %s", name)
	return nil
}

func (b *fakeBackend) ShowTab(_ context.Context, name protocol.SessionName, tab protocol.TabID) error {
	b.called("show tab %s/%s", name, tab)
	return nil
}

func (b *fakeBackend) Conversations(protocol.SessionName) (server.Conversations, error) {
	if b.chat == nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "there is no conversation", "")
	}
	return b.chat, nil
}

func (b *fakeBackend) ConversationFile(context.Context, protocol.SessionName, string) (protocol.ChatAttachment, error) {
	return protocol.ChatAttachment{}, protocol.NewError(protocol.CodeBadArgument, "there is no file", "")
}

func (b *fakeBackend) ShowConversation(_ context.Context, name protocol.SessionName, id protocol.ConversationID) error {
	b.called("show conversation %s/%s", name, id)
	return nil
}

func (b *fakeBackend) ShowSignIns(_ context.Context, name protocol.SessionName) error {
	b.called("show sign-ins %s", name)
	return nil
}

func (b *fakeBackend) OpenLink(_ context.Context, name protocol.SessionName, link string) error {
	b.called("open %s/%s", name, link)
	return nil
}

func (b *fakeBackend) Settings() protocol.Settings {
	return protocol.Settings{Agent: protocol.AgentAuto}
}

func (b *fakeBackend) Work(name protocol.SessionName) (protocol.SessionWork, error) {
	b.called("work %s", name)
	return protocol.SessionWork{Routines: []protocol.TaskRoutine{}, Tasks: []protocol.Task{}}, nil
}

func (b *fakeBackend) Activity(_ context.Context, name protocol.SessionName, _ protocol.ActivityQuery) (protocol.ActivityFound, error) {
	b.called("activity %s", name)
	return protocol.ActivityFound{Entries: []protocol.ActivityEntry{}}, nil
}

func (b *fakeBackend) SaveSettings(_ context.Context, s protocol.Settings) (protocol.Settings, error) {
	return s, nil
}

func (b *fakeBackend) ProbeAgents(context.Context) protocol.AgentsFile { return b.Window().Agents }

func (b *fakeBackend) SetTray(host protocol.TrayHost) {
	b.mu.Lock()
	b.state.Tray = host
	b.mu.Unlock()
	b.changes.Publish(struct{}{})
	b.called("tray %s", host)
}

func (b *fakeBackend) OnShow(show func(protocol.WindowShow)) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.show = show
}

func (b *fakeBackend) OnQuit(quit func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.quit = quit
}

// fakeLog records when the page requests the log, which is the last thing that it
// does when it loads.
type fakeLog struct{ b *fakeBackend }

func (l fakeLog) Tail() []protocol.LogRecord {
	l.b.called("page loaded")
	return []protocol.LogRecord{}
}

func (fakeLog) Follow(ctx context.Context, _ int, _ func([]protocol.LogRecord)) { <-ctx.Done() }

// order is an order of the test to the app on file descriptor 3, one per line.
type order struct {
	State *protocol.WindowState `json:"state,omitempty"`
	Show  *string               `json:"show,omitempty"`
}

// Environment variables of the app that the test binary plays.
const (
	windowEnv = "PILOTFISH_TEST_WINDOW" // path of the window's program
	trayEnv   = "PILOTFISH_TEST_TRAY"   // path of the tray program
	dirEnv    = "PILOTFISH_TEST_DIR"    // a folder
	brokenEnv = "PILOTFISH_TEST_BROKEN" // what fails: the wiring, or the backend
)

// wireFake makes an app whose backend reads orders from file descriptor 3 and
// writes its calls to 4.
func wireFake(_ context.Context, tty console) (parts, error) {
	if os.Getenv(brokenEnv) == "wiring" {
		return parts{windowProgram: os.Getenv(windowEnv)}, protocol.NewError(protocol.CodeNotWritable, "the state folder cannot be written", "check its owner")
	}
	b := newFakeBackend()
	if os.Getenv(brokenEnv) == "backend" {
		b.broken = protocol.NewError(protocol.CodeInternal, "the loopback listener cannot be opened", "")
	}
	go func() {
		out := bufio.NewWriter(os.NewFile(4, "calls"))
		for call := range b.calls {
			_, _ = fmt.Fprintln(out, call)
			_ = out.Flush()
		}
	}()
	go func() {
		for lines := bufio.NewScanner(os.NewFile(3, "orders")); lines.Scan(); {
			var o order
			if err := json.Unmarshal(lines.Bytes(), &o); err != nil {
				panic(err)
			}
			switch {
			case o.State != nil:
				b.set(*o.State)
			case o.Show != nil:
				b.show(protocol.WindowShow{Page: protocol.WindowPage(*o.Show)})
			}
		}
	}()
	return parts{
		backend: b, logs: fakeLog{b}, windowProgram: os.Getenv(windowEnv), trayProgram: os.Getenv(trayEnv), trayDir: os.Getenv(dirEnv) + "/tray",
		openFolder: func(_ context.Context, path string) error { b.called("open %s", path); return nil },
		logger:     slog.New(slog.NewTextHandler(tty.err, &slog.HandlerOptions{Level: slog.LevelInfo})),
		close:      func() {},
	}, nil
}
