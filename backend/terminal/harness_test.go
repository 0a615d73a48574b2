//go:build unix

package terminal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/creack/pty"
	"go.uber.org/goleak"

	"pilotfish/backend/confine"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// patience ends a test that hangs; no test takes this long, on a busy machine either.
const patience = 3 * time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(roleEnv) == "sizes" {
		sizes()
		return
	}
	if os.Getenv(roleEnv) == "serve" { // the server process that a benchmark measures
		if err := serveTerminals(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

// roleEnv makes the test binary act as a program in a terminal.
const roleEnv = "TERMINAL_TEST_ROLE"

// sizes prints the size of its terminal at each change.
func sizes() {
	changes := make(chan os.Signal, 1)
	signal.Notify(changes, syscall.SIGWINCH)
	fmt.Println("\x1b]0;ready\x07RDY")
	for range changes {
		rows, cols, err := pty.Getsize(os.Stdin)
		fmt.Println("size", rows, cols, err)
	}
}

// world is a Manager behind a real server, and the changes that it has reported.
type world struct {
	t   *testing.T
	m   *Manager
	url string
	// end ends the Manager and waits for it.
	end func()

	mu    sync.Mutex
	cond  sync.Cond
	infos map[protocol.TerminalID]protocol.TerminalInfo
	gone  map[protocol.TerminalID]bool
	drawn map[protocol.TerminalID]int
	grace time.Duration
}

// newWorld runs terminals whose command line is a bash script, or an
// interactive bash for AgentShell.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{
		t: t, infos: make(map[protocol.TerminalID]protocol.TerminalInfo),
		gone: make(map[protocol.TerminalID]bool), drawn: make(map[protocol.TerminalID]int),
	}
	w.cond.L = &w.mu
	events := hub.New[any](1)
	events.Observe(func(event any) {
		w.mu.Lock()
		defer w.mu.Unlock()
		switch e := event.(type) {
		case protocol.TerminalEvent:
			w.infos[e.Terminal.ID] = e.Terminal
		case protocol.TerminalGoneEvent:
			w.gone[e.Terminal] = true
		case Drawn:
			w.drawn[e.Terminal]++
		}
		w.cond.Broadcast()
	})
	m, err := New(Config{
		Session: "test",
		Launch:  w.launch,
		Logger:  slog.New(slog.NewTextHandler(t.Output(), nil)),
		Grace: func() time.Duration {
			w.mu.Lock()
			defer w.mu.Unlock()
			return w.grace
		},
		Events: events,
	})
	if err != nil {
		t.Fatal(err)
	}
	w.m = m
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- m.Run(ctx) }()
	var serving sync.WaitGroup
	server := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		serving.Add(1)
		defer serving.Done()
		ws, err := websocket.Accept(rw, r, &websocket.AcceptOptions{CompressionMode: websocket.CompressionDisabled})
		if err != nil {
			return
		}
		if err := m.Serve(r.Context(), ws, protocol.TerminalID(r.URL.Query().Get("id"))); err != nil {
			t.Logf("viewer: %v", err)
		}
	}))
	w.url = server.URL
	w.end = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		server.CloseClientConnections()
		server.Close()
		serving.Wait()
	})
	t.Cleanup(w.end)
	return w
}

func (w *world) launch(_ context.Context, r Request) (Launch, error) {
	kind, command := r.Agent, r.Command
	l := Launch{
		Path: "/bin/bash", Dir: "/", Kind: kind, Name: "bash",
		Env: []string{"PATH=" + os.Getenv("PATH"), "PS1=$ ", "LANG=C.UTF-8", "TERM=dumb", "HISTFILE="},
	}
	if r.Confined {
		l.Confine = &confine.Folders{}
	}
	switch {
	case command == "missing":
		l.Missing = &protocol.AgentInfo{Kind: kind, Name: "Nobody"}
	case command == "broken":
		l.Path = "/nonexistent/agent"
	case command == "refused":
		return l, protocol.NewError(protocol.CodeBadArgument, "no such agent", "")
	case kind == protocol.AgentShell:
		l.Args = []string{"--norc", "--noprofile", "-i"}
	default:
		l.Args = []string{"-c", command}
	}
	return l, nil
}

func (w *world) start(kind protocol.AgentKind, command string) protocol.TerminalInfo {
	w.t.Helper()
	info, err := w.m.Start(w.t.Context(), protocol.PtySessionRequest{Tab: "t1", Agent: kind, Command: command, Cols: 80, Rows: 24})
	if err != nil {
		w.t.Fatal(err)
	}
	return info
}

// raw starts a program in a terminal that passes bytes unchanged.
func (w *world) raw(command string) protocol.TerminalInfo {
	w.t.Helper()
	return w.start(protocol.AgentCustom, "stty raw -echo; printf RDY; "+command)
}

// await waits until a terminal is reported in a state that ok accepts.
func (w *world) await(id protocol.TerminalID, what string, ok func(protocol.TerminalInfo) bool) {
	w.t.Helper()
	awaitCond(w, what, func() (protocol.TerminalInfo, bool) { return w.infos[id], ok(w.infos[id]) })
}

func awaitCond[T any](w *world, what string, ok func() (T, bool)) T {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	late := false
	timer := time.AfterFunc(patience, func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		late = true
		w.cond.Broadcast()
	})
	defer timer.Stop()
	for {
		v, done := ok()
		if done {
			return v
		}
		if late {
			w.t.Fatalf("waiting for %s; last %+v", what, v)
		}
		w.cond.Wait()
	}
}

// client is a viewer that draws immediately.
type client struct {
	t  *testing.T
	ws *websocket.Conn

	epoch  int
	offset uint64 // of the next byte
	acked  uint64
	noAcks bool
	text   []byte // drawn
	// cuts is called for each frame and resized for each size, in order with the
	// drawn text.
	cuts    func(data []byte)
	resized func(protocol.TerminalControl)
	// controls holds the messages that no test step waited for.
	controls []protocol.TerminalControl
}

func (w *world) dial(id protocol.TerminalID) *client {
	w.t.Helper()
	ws, res, err := websocket.Dial(w.t.Context(), w.url+"?id="+string(id), nil)
	if err != nil {
		w.t.Fatal(err)
	}
	if res.Body != nil {
		_ = res.Body.Close()
	}
	ws.SetReadLimit(-1)
	c := &client{t: w.t, ws: ws}
	w.t.Cleanup(func() { _ = ws.CloseNow() })
	return c
}

// attach dials and attaches with the epoch and offset that the viewer already has.
func (w *world) attach(id protocol.TerminalID, epoch int, offset uint64) *client {
	w.t.Helper()
	c := w.dial(id)
	c.epoch, c.offset, c.acked = epoch, offset, offset
	c.control(protocol.ViewerControl{Type: protocol.ControlAttach, Epoch: epoch, Offset: offset, Cols: 80, Rows: 24})
	ready := c.waitControl(protocol.ControlReady)
	if ready.Terminal == nil || ready.Terminal.ID != id || ready.Epoch != ready.Terminal.Epoch {
		w.t.Fatalf("ready = %+v", ready)
	}
	c.epoch, c.offset, c.acked = ready.Epoch, ready.Offset, ready.Offset
	return c
}

func (c *client) control(v protocol.ViewerControl) {
	c.t.Helper()
	b, err := json.Marshal(v)
	if err != nil {
		c.t.Fatal(err)
	}
	if err := c.ws.Write(c.t.Context(), websocket.MessageText, b); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) send(p []byte) {
	c.t.Helper()
	if err := c.ws.Write(c.t.Context(), websocket.MessageBinary, p); err != nil {
		c.t.Fatal(err)
	}
}

func (c *client) typeText(s string) { c.t.Helper(); c.send([]byte(s)) }

// read handles the next message: it draws and acknowledges output, and returns a
// control message.
func (c *client) read(ctx context.Context) (*protocol.TerminalControl, error) {
	typ, b, err := c.ws.Read(ctx)
	if err != nil {
		return nil, err
	}
	if typ == websocket.MessageText {
		var m protocol.TerminalControl
		if err := json.Unmarshal(b, &m); err != nil {
			return nil, err
		}
		switch m.Type {
		case protocol.ControlEpoch:
			c.epoch, c.offset, c.acked, c.text = m.Epoch, m.Offset, m.Offset, nil
		case protocol.ControlSnapshot:
			c.text = []byte(m.Data)
		case protocol.ControlResize:
			if c.resized != nil {
				c.resized(m)
			}
		}
		return &m, nil
	}
	offset, data, ok := parseFrame(b)
	switch {
	case !ok, len(data) == 0, len(data) > protocol.MaxFrame:
		return nil, fmt.Errorf("a frame of %d bytes", len(b))
	case offset != c.offset:
		return nil, fmt.Errorf("a frame at %d instead of %d", offset, c.offset)
	}
	if c.cuts != nil {
		c.cuts(data)
	}
	c.offset += uint64(len(data))
	c.text = append(c.text, data...)
	if !c.noAcks && c.offset-c.acked >= protocol.AckEvery {
		return nil, c.ack(ctx)
	}
	return nil, nil
}

func (c *client) ack(ctx context.Context) error {
	c.acked = c.offset
	b, err := json.Marshal(protocol.ViewerControl{Type: protocol.ControlAck, Epoch: c.epoch, Offset: c.offset})
	if err != nil {
		return err
	}
	return c.ws.Write(ctx, websocket.MessageText, b)
}

func (c *client) waitControl(typ protocol.ControlType) protocol.TerminalControl {
	c.t.Helper()
	return c.waitControlIf(string(typ), func(m protocol.TerminalControl) bool { return m.Type == typ })
}

func (c *client) waitControlIf(what string, ok func(protocol.TerminalControl) bool) protocol.TerminalControl {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		m, err := c.read(ctx)
		if err != nil {
			c.t.Fatalf("waiting for %s: %v; have %q", what, err, tail(c.text))
		}
		if m == nil {
			continue
		}
		if ok(*m) {
			return *m
		}
		c.controls = append(c.controls, *m)
	}
}

// wait reads until ok returns true.
func (c *client) wait(what string, ok func() bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for !ok() {
		m, err := c.read(ctx)
		if err != nil {
			c.t.Fatalf("waiting for %s: %v; have %q", what, err, tail(c.text))
		}
		if m != nil {
			c.controls = append(c.controls, *m)
		}
	}
}

// waitText reads until the text is drawn.
func (c *client) waitText(want string) {
	c.t.Helper()
	from := 0
	c.wait(fmt.Sprintf("%q", want), func() bool {
		from = min(from, len(c.text))
		found := bytes.Contains(c.text[from:], []byte(want))
		from = max(0, len(c.text)-len(want))
		return found
	})
}

// closeCode reads until the socket ends.
func (c *client) closeCode() websocket.StatusCode {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), patience)
	defer cancel()
	for {
		if _, err := c.read(ctx); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				c.t.Fatal("the socket stays open")
			}
			return websocket.CloseStatus(err)
		}
	}
}

func (c *client) leave() { _ = c.ws.CloseNow() }

func tail(b []byte) string {
	return strings.ToValidUTF8(string(b[max(0, len(b)-200):]), "?")
}

func testBinary(t *testing.T) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return exe
}
