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

	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
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
		_ = reports.Encode(protocol.WindowReport{Report: protocol.ReportCall, Op: "OpenLink", Session: "heard", In: args})
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
	_ = json.NewEncoder(os.Stdout).Encode(protocol.WindowReport{Report: protocol.ReportCall, Op: "OpenLink", Session: "heard", In: []byte(`"unresponsive"`)})
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
	changes *hub.Hub[struct{}]
	calls   chan string
	broken  error // returned by Run at once

	mu    sync.Mutex
	state protocol.WindowState
	show  func(protocol.WindowShow)
	quit  func()
}

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

// Operations records what is asked for; those that the tests do not call are missing.
func (b *fakeBackend) Operations() []op.Operation {
	asked := func(name, words string) op.Operation {
		return op.Do(name, func(_ context.Context, call op.Call, in string) error {
			b.called("%s %s/%s", words, call.Session, in)
			return nil
		})
	}
	session := func(name, words string) op.Operation {
		return op.Do(name, func(_ context.Context, call op.Call, _ op.None) error {
			b.called("%s %s", words, call.Session)
			return nil
		})
	}
	return []op.Operation{
		session("StartSession", "start"), session("StopSession", "stop"), session("RestartSession", "restart"), session("DeleteSession", "delete"),
		asked("ShowTab", "show tab"), asked("OpenLink", "open"),
		op.Do("ShowApproval", func(_ context.Context, call op.Call, id string) error {
			b.called("show approval %s/%s", call.Session, id)
			if call.Session == "deleted" {
				return protocol.NewError(protocol.CodeUnknownSession, "there is no such session", "")
			}
			return nil
		}),
		op.Do("AnswerApproval", func(_ context.Context, call op.Call, in protocol.ApprovalAnswerRequest) error {
			b.called("answer %s %s %s by the %s", call.Session, in.ID, in.Answer, call.Place)
			return nil
		}),
		op.New("SetSiteRule", func(_ context.Context, _ op.Call, rule protocol.SiteRule) ([]protocol.SiteRule, error) {
			return []protocol.SiteRule{rule}, nil
		}),
		op.New("ConversationFile", func(context.Context, op.Call, protocol.FileRequest) (protocol.ChatAttachment, error) {
			return protocol.ChatAttachment{}, protocol.NewError(protocol.CodeBadArgument, "there is no file", "")
		}),
		op.New("SessionWork", func(context.Context, op.Call, op.None) (protocol.SessionWork, error) {
			return protocol.SessionWork{Routines: []protocol.TaskRoutine{}, Tasks: []protocol.Task{}}, nil
		}),
		op.New("SearchActivity", func(context.Context, op.Call, protocol.ActivityQuery) (protocol.ActivityFound, error) {
			return protocol.ActivityFound{Entries: []protocol.ActivityEntry{}}, nil
		}),
		op.Do("UnwatchConversation", func(context.Context, op.Call, int) error { return nil }),
	}
}

func (b *fakeBackend) Settings() protocol.Settings {
	return protocol.Settings{Agent: protocol.AgentAuto}
}

func (b *fakeBackend) SaveSettings(_ context.Context, s protocol.Settings) (protocol.Settings, error) {
	return s, nil
}

func (b *fakeBackend) ServeControl(op.Table) {}

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
