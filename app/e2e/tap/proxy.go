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
	"slices"
	"strings"
	"sync"
)

// firstTapID is the first id of the tests' commands. The app counts its own from
// 1 and never reaches it.
const firstTapID = 1 << 30

// The proxy's own commands; the browser never receives them.
const (
	refuse = "Tap.refuse"
	await  = "Tap.await"
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

// attaching is an attachment to a target that was asked for.
type attaching struct {
	id     int64 // id of the command
	target string
}

// proxy routes the messages of one browser between the app and one test.
type proxy struct {
	toBrowser io.Writer
	toApp     io.Writer

	mu       sync.Mutex
	test     net.Conn        // the connected test; nil when none is
	sessions map[string]bool // the CDP sessions that the test attached
	attaches []attaching     // the attachments that the browser has not reported, in order
	refusing bool            // the app may not attach to the next page that opens
	refused  map[string]bool // the targets to which the app may not attach
	awaited  []awaited       // what the test waits for
	written  sync.Mutex      // held while a message is written to the browser
	relayed  sync.Mutex      // held while a message is written to the app
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

	p := &proxy{toBrowser: toBrowser, toApp: appOut, sessions: map[string]bool{}, refused: map[string]bool{}}
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

// attach is the method with which app and test attach to targets.
const attach = "Target.attachToTarget"

// attachment returns the attachment to a target for which the browser's own session is asked.
func attachment(message []byte) (a attaching, is bool) {
	if !bytes.Contains(message, []byte(`"`+attach+`"`)) {
		return a, false
	}
	var e envelope
	var params struct {
		TargetID string `json:"targetId"`
	}
	if json.Unmarshal(bytes.TrimSuffix(message, []byte{0}), &e) != nil || json.Unmarshal(e.Params, &params) != nil {
		return a, false
	}
	return attaching{e.ID, params.TargetID}, e.Method == attach && e.SessionID == ""
}

// refusal returns the answer for the app when it attaches to a target that the
// test has refused: the answer of a browser whose administrator blocks developer
// tools for the page. It returns nil for every other message.
func (p *proxy) refusal(message []byte) []byte {
	a, is := attachment(message)
	p.mu.Lock()
	defer p.mu.Unlock()
	if !is || !p.refused[a.target] {
		return nil
	}
	return append(fmt.Appendf(nil, `{"id":%d,"error":{"code":-32000,"message":"Not allowed"}}`, a.id), 0)
}

// tell sends a message to the app.
func (p *proxy) tell(message []byte) error {
	p.relayed.Lock()
	defer p.relayed.Unlock()
	_, err := p.toApp.Write(message)
	return err
}

// send sends a message to the browser. Attachments are noted in the order in which they are
// sent, which is the one in which the browser reports them.
func (p *proxy) send(message []byte) error {
	a, is := attachment(message)
	p.written.Lock()
	defer p.written.Unlock()
	if is {
		p.mu.Lock()
		p.attaches = append(p.attaches, a)
		p.mu.Unlock()
	}
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
		page := pageOf(e)
		p.mu.Lock()
		if p.refusing && page != nil && e.Method == "Target.targetCreated" {
			p.refusing, p.refused[page.ID] = false, true
		}
		p.mu.Unlock()
		if p.tell(message) != nil {
			return
		}
		p.announce(page)
	}
}

// pageOf returns the page that opens or changes; nil when the message says no such thing.
func pageOf(e envelope) *Target {
	if e.Method != "Target.targetCreated" && e.Method != "Target.targetInfoChanged" {
		return nil
	}
	var params struct {
		TargetInfo Target `json:"targetInfo"`
	}
	if json.Unmarshal(e.Params, &params) != nil || params.TargetInfo.Type != "page" {
		return nil
	}
	return &params.TargetInfo
}

// announce reports a page to the test that waits for it.
func (p *proxy) announce(page *Target) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if page == nil || p.test == nil {
		return
	}
	var left []awaited
	for _, a := range p.awaited {
		if !strings.Contains(page.URL, a.part) {
			left = append(left, a)
			continue
		}
		if answer, err := json.Marshal(map[string]any{"id": a.id, "result": page}); err == nil {
			// A disconnected test is no reason to stop the product.
			_, _ = p.test.Write(append(answer, '\n'))
		}
	}
	p.awaited = left
}

// ours reports whether a message is an answer to the test, or an event of a
// session that the test attached.
func (p *proxy) ours(e envelope) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	if e.ID != 0 {
		p.attached(func(a attaching) bool { return a.id == e.ID }) // one that failed is not reported
	}
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
		// App and test may attach to one target at the same time, as to a new tab.
		if e.Method == "Target.attachedToTarget" && e.SessionID == "" {
			by := p.attached(func(a attaching) bool { return a.target == params.TargetInfo.TargetID })
			if by >= firstTapID {
				p.sessions[params.SessionID] = true
				return true
			}
		}
	}
	return e.SessionID != "" && p.sessions[e.SessionID]
}

// attached removes the first attachment that satisfies is, and returns the id of its command;
// 0 when there is none. p.mu is held.
func (p *proxy) attached(is func(attaching) bool) (id int64) {
	if at := slices.IndexFunc(p.attaches, is); at >= 0 {
		id = p.attaches[at].id
		p.attaches = slices.Delete(p.attaches, at, at+1)
	}
	return id
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
		p.test, p.awaited = conn, nil
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
			Part string `json:"part"`
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
		case refuse:
			p.mu.Lock()
			p.refusing = true
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
