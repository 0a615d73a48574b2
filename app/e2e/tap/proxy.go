// Package tap gives the whole-product tests access to a browser that only its app
// can reach. The tests set a small script as the browser in Settings. It runs
// Proxy, which starts the real Chromium and relays the two pipes. The product is
// the shipped binary, unchanged, and has no test interface.
package tap

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// firstTapID is the first id of the tests' commands. The app counts its own from
// 1 and never reaches it.
const firstTapID = 1 << 30

// The proxy's own commands and event; the browser never receives them.
const (
	refuse   = "Tap.refuse"
	overhear = "Tap.overhear"
	await    = "Tap.await"
	overtold = "Tap.told"
)

// envelope is the part of a message by which the proxy decides who receives it.
type envelope struct {
	ID        int64           `json:"id,omitempty"`
	SessionID string          `json:"sessionId,omitempty"`
	Method    string          `json:"method,omitempty"`
	Params    json.RawMessage `json:"params,omitempty"`
	Result    json.RawMessage `json:"result,omitempty"`
}

// awaited is a page that the test waits for.
type awaited struct {
	id   int64  // id of the command
	part string // part of its address
}

// proxy routes the messages of one browser between the app and one test.
type proxy struct {
	toBrowser io.Writer
	toApp     io.Writer

	mu       sync.Mutex
	test     net.Conn        // the connected test; nil when none is
	sessions map[string]bool // the CDP sessions that the test attached
	pending  map[string]bool // the targets that it is attaching to
	refused  map[string]bool // the targets to which the app may not attach
	overhear bool            // the test also receives what the browser sends to the app
	awaited  []awaited       // what the test waits for
	written  sync.Mutex      // held while a message is written to the browser
	told     sync.Mutex      // held while a message is written to the app
}

// Proxy runs browser with args and relays the file descriptors 3 and 4, which the
// app passed, until the browser ends or the app closes its pipe. A test that
// connects to the unix socket speaks CDP, one JSON message per line.
func Proxy(ctx context.Context, browser string, args []string, socket string) error {
	appIn, appOut := os.NewFile(3, "from app"), os.NewFile(4, "to app")
	childIn, toBrowser, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening the pipe to the browser: %w", err)
	}
	fromBrowser, childOut, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("opening the pipe from the browser: %w", err)
	}
	cmd := exec.CommandContext(ctx, browser, args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.ExtraFiles = []*os.File{childIn, childOut}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("starting the browser: %w", err)
	}
	childIn.Close()
	childOut.Close()

	if err := os.Remove(socket); err != nil && !errors.Is(err, os.ErrNotExist) {
		return fmt.Errorf("removing the socket of the run before: %w", err)
	}
	listener, err := (&net.ListenConfig{}).Listen(ctx, "unix", socket)
	if err != nil {
		return fmt.Errorf("listening for the test: %w", err)
	}
	defer listener.Close()

	p := &proxy{toBrowser: toBrowser, toApp: appOut, sessions: map[string]bool{}, pending: map[string]bool{}, refused: map[string]bool{}}
	go p.accept(listener)
	go func() {
		p.relayApp(appIn)
		toBrowser.Close() // the app is gone: the browser ends as it would without us
	}()
	p.relayBrowser(fromBrowser)
	appOut.Close()
	return cmd.Wait()
}

// relayApp forwards the app's commands unchanged, except those that the test has
// refused.
func (p *proxy) relayApp(from io.Reader) {
	reader := bufio.NewReader(from)
	for {
		message, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		if refusal := p.refusal(message); refusal != nil {
			if p.tell(refusal) != nil {
				return
			}
			continue
		}
		if p.send(message) != nil {
			return
		}
	}
}

// refusal returns the answer for the app when it attaches to a target that the
// test has refused: the answer of a browser whose administrator blocks developer
// tools for the page. It returns nil for every other message.
func (p *proxy) refusal(message []byte) []byte {
	if !bytes.Contains(message, []byte(`"Target.attachToTarget"`)) {
		return nil
	}
	var e envelope
	var params struct {
		TargetID string `json:"targetId"`
	}
	if json.Unmarshal(bytes.TrimSuffix(message, []byte{0}), &e) != nil || json.Unmarshal(e.Params, &params) != nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.refused[params.TargetID] {
		return nil
	}
	return append(fmt.Appendf(nil, `{"id":%d,"error":{"code":-32000,"message":"Not allowed"}}`, e.ID), 0)
}

// tell sends a message to the app.
func (p *proxy) tell(message []byte) error {
	p.told.Lock()
	defer p.told.Unlock()
	_, err := p.toApp.Write(message)
	return err
}

func (p *proxy) send(message []byte) error {
	p.written.Lock()
	defer p.written.Unlock()
	_, err := p.toBrowser.Write(message)
	return err
}

// relayBrowser forwards each message of the browser to the test or to the app.
func (p *proxy) relayBrowser(from io.Reader) {
	reader := bufio.NewReader(from)
	for {
		message, err := reader.ReadBytes(0)
		if err != nil {
			return
		}
		var e envelope
		if json.Unmarshal(bytes.TrimSuffix(message, []byte{0}), &e) == nil && p.ours(e) {
			p.mu.Lock()
			test := p.test
			p.mu.Unlock()
			if test != nil {
				message[len(message)-1] = '\n'
				// A disconnected test is no reason to stop the product.
				_, _ = test.Write(message)
			}
			continue
		}
		if p.tell(message) != nil {
			return
		}
		p.repeat(message)
		p.announce(e)
	}
}

// announce reports a page to the test that waits for it.
func (p *proxy) announce(e envelope) {
	if e.Method != "Target.targetCreated" && e.Method != "Target.targetInfoChanged" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.test == nil || len(p.awaited) == 0 {
		return
	}
	var told struct {
		TargetInfo Target `json:"targetInfo"`
	}
	if json.Unmarshal(e.Params, &told) != nil || told.TargetInfo.Type != "page" {
		return
	}
	var left []awaited
	for _, a := range p.awaited {
		if !strings.Contains(told.TargetInfo.URL, a.part) {
			left = append(left, a)
			continue
		}
		if answer, err := json.Marshal(map[string]any{"id": a.id, "result": told.TargetInfo}); err == nil {
			// A disconnected test is no reason to stop the product.
			_, _ = p.test.Write(append(answer, '\n'))
		}
	}
	p.awaited = left
}

// repeat copies a message for the app to a test that overhears the app, with the
// time at which the browser sent it.
func (p *proxy) repeat(message []byte) {
	at := time.Now()
	p.mu.Lock()
	test := p.test
	if !p.overhear {
		test = nil
	}
	p.mu.Unlock()
	if test != nil {
		// A disconnected test is no reason to stop the product.
		_, _ = fmt.Fprintf(test, `{"method":%q,"params":{"at":%d,"message":%s}}`+"\n", overtold, at.UnixNano(), bytes.TrimSuffix(message, []byte{0}))
	}
}

// ours reports whether a message is an answer to the test, or an event of a
// session that the test attached.
func (p *proxy) ours(e envelope) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.ID >= firstTapID {
		// Record the session before its first event can arrive.
		var attached struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(e.Result, &attached) == nil && attached.SessionID != "" {
			p.sessions[attached.SessionID] = true
		}
		return true
	}
	if e.Method == "Target.attachedToTarget" || e.Method == "Target.detachedFromTarget" {
		// The event of the test's own attach comes before its answer. The app
		// must not see it, because it would take the session for its own.
		var params struct {
			SessionID  string `json:"sessionId"`
			TargetInfo struct {
				TargetID string `json:"targetId"`
			} `json:"targetInfo"`
		}
		if json.Unmarshal(e.Params, &params) != nil {
			return false
		}
		if p.sessions[params.SessionID] {
			return true
		}
		// Match by target: other sessions that the browser attaches meanwhile
		// belong to the app.
		if target := params.TargetInfo.TargetID; e.Method == "Target.attachedToTarget" && e.SessionID == "" && p.pending[target] {
			delete(p.pending, target)
			p.sessions[params.SessionID] = true
			return true
		}
	}
	return e.SessionID != "" && p.sessions[e.SessionID]
}

// accept serves one test at a time.
func (p *proxy) accept(listener net.Listener) {
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		p.mu.Lock()
		if p.test != nil {
			p.test.Close()
		}
		p.test, p.overhear, p.awaited = conn, false, nil
		p.mu.Unlock()
		go p.relayTest(conn)
	}
}

func (p *proxy) relayTest(conn net.Conn) {
	reader := bufio.NewReader(conn)
	for {
		message, err := reader.ReadBytes('\n')
		if err != nil {
			return
		}
		var e envelope
		if json.Unmarshal(message, &e) != nil {
			return
		}
		var params struct {
			TargetID string `json:"targetId"`
			Part     string `json:"part"`
		}
		switch e.Method {
		case await: // answered when the page exists
			if json.Unmarshal(e.Params, &params) != nil {
				return
			}
			p.mu.Lock()
			p.awaited = append(p.awaited, awaited{id: e.ID, part: params.Part})
			p.mu.Unlock()
			continue
		case "Target.attachToTarget":
			_ = json.Unmarshal(e.Params, &params) // the browser reports what is wrong with it
			p.mu.Lock()
			p.pending[params.TargetID] = true
			p.mu.Unlock()
		case refuse, overhear:
			if e.Method == refuse && json.Unmarshal(e.Params, &params) != nil {
				return
			}
			p.mu.Lock()
			if e.Method == refuse {
				p.refused[params.TargetID] = true
			} else {
				p.overhear = true
			}
			p.mu.Unlock()
			if _, err := fmt.Fprintf(conn, `{"id":%d,"result":{}}`+"\n", e.ID); err != nil {
				return
			}
			continue
		}
		message[len(message)-1] = 0
		if p.send(message) != nil {
			return
		}
	}
}

// Output runs the browser for a query that needs no pipe, such as --version.
func Output(ctx context.Context, browser string, args ...string) (string, error) {
	out, err := exec.CommandContext(ctx, browser, args...).Output()
	return string(out), err
}
