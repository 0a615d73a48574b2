package standin

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/coder/websocket"
)

// Refusal is an answer instead of a browser.
type Refusal struct {
	Status     int
	RetryAfter string // the header; empty for none
}

// Engine is a server. Its fields are set before it is used.
type Engine struct {
	// Authorization is the header that requests must have; empty for any.
	Authorization string
	// Keeps: a browser outlives its connection, so that one may dial again.
	Keeps bool
	// Delay is added to each message, each way.
	Delay time.Duration

	dir    string // the browsers' profiles are in it
	server *httptest.Server
	back   net.Listener // after Leave; nil for none

	mu       sync.Mutex
	refusals []Refusal
	browsers map[string]*chrome
	open     map[*websocket.Conn]bool // true when its client gets nothing any more
	started  int
	answered bool // since the client's last message
	trips    int
	ended    []string
	breaks   int // how many of the next connections end at once
}

type chrome struct {
	cmd     *exec.Cmd
	address string
}

// New starts an engine, which ends with the test.
func New(tb testing.TB) *Engine {
	tb.Helper()
	e := Start(tb.TempDir())
	tb.Cleanup(e.Close) // before the folder is removed
	return e
}

// Start starts an engine, whose browsers have their profiles in a folder.
func Start(dir string) *Engine {
	e := &Engine{dir: dir, browsers: make(map[string]*chrome), open: make(map[*websocket.Conn]bool)}
	e.server = httptest.NewServer(e)
	return e
}

// Close ends the engine and its browsers.
func (e *Engine) Close() {
	e.Cut()
	e.Kill()
	e.server.Close()
	if e.back != nil {
		_ = e.back.Close()
	}
}

// Break ends the connections that are open, and the next ones before they bring anything.
func (e *Engine) Break(next int) {
	e.mu.Lock()
	e.breaks = next
	e.mu.Unlock()
	e.Cut()
}

// Leave makes the engine's host unreachable until the returned function is called. Its browsers
// run on.
func (e *Engine) Leave(tb testing.TB) (comeBack func()) {
	tb.Helper()
	_ = e.server.Listener.Close()
	e.Cut()
	return func() {
		l, err := new(net.ListenConfig).Listen(tb.Context(), "tcp", e.server.Listener.Addr().String())
		if err != nil {
			tb.Fatal(err)
		}
		e.back = l
		go func() { _ = e.server.Config.Serve(l) }()
	}
}

// Address is that of the WebSocket, Grid that of the Grid.
func (e *Engine) Address() string {
	return "ws" + strings.TrimPrefix(e.server.URL, "http") + "/chromium"
}

// Grid is the engine's address as a Selenium Grid.
func (e *Engine) Grid() string { return "grid+" + e.server.URL + "/" }

// Refuse makes the engine answer its next requests for a browser so.
func (e *Engine) Refuse(r ...Refusal) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.refusals = append(e.refusals, r...)
}

// Cut breaks all connections.
func (e *Engine) Cut() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.open {
		_ = c.CloseNow()
	}
}

// Silence leaves the connections open, but they carry nothing any more, and the browser does not
// notice when a client closes its one: so is a network that has gone.
func (e *Engine) Silence() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for c := range e.open {
		e.open[c] = true
	}
}

// Kill ends all browsers.
func (e *Engine) Kill() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for name, c := range e.browsers {
		c.kill()
		delete(e.browsers, name)
	}
}

// Started returns how many browsers were started, and Ended the sessions of the Grid that
// their client has ended.
func (e *Engine) Started() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.started
}

// Ended returns the sessions of the Grid that their client has ended.
func (e *Engine) Ended() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.ended
}

// Trips returns how many round trips the client has made: messages that it sent one after the
// other without an answer in between are one.
func (e *Engine) Trips() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.trips
}

// ServeHTTP answers as an engine.
func (e *Engine) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if e.Authorization != "" && r.Header.Get("Authorization") != e.Authorization && r.URL.Query().Get("token") != e.Authorization {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	name, cdp := strings.CutSuffix(strings.TrimPrefix(r.URL.Path, "/session/"), "/se/cdp")
	switch {
	case r.URL.Path == "/chromium", r.URL.Path == "/session" && r.Method == http.MethodPost:
		if e.refuses(w) {
			return
		}
		if r.URL.Path == "/session" {
			e.session(w, r)
			return
		}
		name := "kept"
		if !e.Keeps {
			name = fmt.Sprintf("of %s", r.RemoteAddr) // the one before may still be ending
		}
		c := e.browser(name)
		if c == nil {
			if c = e.start(w, name); c == nil { //nolint:contextcheck // it may outlive the request
				return
			}
		}
		e.pass(w, r, c)
		if !e.Keeps {
			e.end(name)
		}
	case cdp:
		if c := e.browser(name); c != nil {
			e.pass(w, r, c)
			return
		}
		w.WriteHeader(http.StatusNotFound)
	case r.Method == http.MethodDelete:
		if e.end(name) {
			e.mu.Lock()
			e.ended = append(e.ended, name)
			e.mu.Unlock()
		}
		_, _ = w.Write([]byte(`{"value":null}`))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (e *Engine) refuses(w http.ResponseWriter) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.refusals) == 0 {
		return false
	}
	r := e.refusals[0]
	e.refusals = e.refusals[1:]
	if r.RetryAfter != "" {
		w.Header().Set("Retry-After", r.RetryAfter)
	}
	w.WriteHeader(r.Status)
	_, _ = w.Write([]byte(`{"value":{"error":"session not created","message":"no node has this browser\nBuild info"}}`))
	return true
}

// session makes a session of the Grid. As in a container, the address of its protocol has a
// host that is not reached from here.
func (e *Engine) session(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(r.Header.Get("Content-Type"), "charset=utf-8") {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	e.mu.Lock()
	name := fmt.Sprintf("s%d", e.started+1)
	e.mu.Unlock()
	if e.start(w, name) == nil { //nolint:contextcheck // it outlives the request
		return
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"sessionId": name, "capabilities": map[string]any{
		"browserName": "chrome", "se:cdp": "ws://node.invalid:4444/session/" + name + "/se/cdp",
	}}})
}

// end ends a browser, and reports whether there was one.
func (e *Engine) end(name string) bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	c := e.browsers[name]
	if c != nil {
		c.kill()
		delete(e.browsers, name)
	}
	return c != nil
}

func (e *Engine) browser(name string) *chrome {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.browsers[name]
}

// start starts a browser and waits until it listens. It answers an error, and returns nil
// then.
func (e *Engine) start(w http.ResponseWriter, name string) *chrome {
	profile, err := os.MkdirTemp(e.dir, "")
	args := []string{"--headless=new", "--remote-debugging-port=0", "--user-data-dir=" + profile, "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic"}
	if os.Geteuid() == 0 {
		args = append(args, "--no-sandbox")
	}
	c := &chrome{cmd: exec.CommandContext(context.Background(), "chromium", append(args, "about:blank")...)}
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	said, noPipe := c.cmd.StderrPipe()
	if err = errors.Join(err, noPipe); err == nil {
		err = c.cmd.Start()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return nil
	}
	lines := bufio.NewScanner(said)
	for c.address == "" && lines.Scan() {
		_, c.address, _ = strings.Cut(lines.Text(), "DevTools listening on ")
	}
	go func() {
		for lines.Scan() { // else the browser would wait
		}
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.browsers[name] = c
	e.started++
	return c
}

func (c *chrome) kill() {
	_ = syscall.Kill(-c.cmd.Process.Pid, syscall.SIGKILL)
	_ = c.cmd.Wait()
}

// pass carries messages between a client and a browser, until either ends.
func (e *Engine) pass(w http.ResponseWriter, r *http.Request, c *chrome) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	up, _, err := websocket.Dial(ctx, c.address, nil) //nolint:bodyclose // the package closes it
	if err != nil {
		w.WriteHeader(http.StatusBadGateway)
		return
	}
	defer func() { _ = up.CloseNow() }()
	down, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = down.CloseNow() }()
	e.mu.Lock()
	e.open[down] = false
	breaks := e.breaks > 0
	e.breaks = max(0, e.breaks-1)
	e.mu.Unlock()
	if breaks {
		cancel()
	}
	defer func() {
		e.mu.Lock()
		delete(e.open, down)
		e.mu.Unlock()
	}()
	var copying sync.WaitGroup
	copying.Go(func() {
		defer cancel()
		e.copy(ctx, up, down, func(data []byte) {
			e.mu.Lock()
			e.answered = e.answered || strings.HasPrefix(string(data), `{"id":`)
			e.mu.Unlock()
		})
	})
	copying.Go(func() {
		defer cancel()
		e.copy(ctx, down, up, func([]byte) {
			e.mu.Lock()
			if e.answered {
				e.trips, e.answered = e.trips+1, false
			}
			e.mu.Unlock()
		})
	})
	copying.Wait()
}

// copy carries messages one way, and shows each to seen. Each arrives Delay later than it was
// sent.
func (e *Engine) copy(ctx context.Context, from, to *websocket.Conn, seen func(data []byte)) {
	type message struct {
		at   time.Time
		data []byte
	}
	from.SetReadLimit(-1)
	queue := make(chan message, 1<<16)
	go func() {
		defer close(queue)
		for {
			_, data, err := from.Read(ctx)
			if err != nil {
				e.mu.Lock()
				silent := e.open[from]
				e.mu.Unlock()
				if silent {
					<-ctx.Done() // the browser ends
				}
				return
			}
			seen(data)
			select {
			case queue <- message{time.Now().Add(e.Delay), data}:
			case <-ctx.Done():
				return
			}
		}
	}()
	for m := range queue {
		time.Sleep(time.Until(m.at))
		e.mu.Lock()
		silent := e.open[to] || e.open[from]
		e.mu.Unlock()
		if silent {
			continue
		}
		if to.Write(ctx, websocket.MessageText, m.data) != nil {
			return
		}
	}
}
