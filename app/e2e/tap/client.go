package tap

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/coder/websocket"
)

// Client is a test's connection to a tap.
type Client struct {
	conn net.Conn

	mu      sync.Mutex
	nextID  int64
	waiting map[int64]call
	heard   map[event]func(params json.RawMessage)
	err     error
}

// event identifies one kind of event of one session.
type event struct{ session, method string }

// call is a call that waits for its answer on a session.
type call struct {
	session string
	answer  chan reply
}

type reply struct {
	result json.RawMessage
	err    error
}

// Target is a target of the browser as Target.getTargets lists it.
type Target struct {
	ID    string `json:"targetId"`
	Type  string `json:"type"`
	URL   string `json:"url"`
	Title string `json:"title"`
}

// Dial connects to a tap's socket.
func Dial(ctx context.Context, socket string) (*Client, error) {
	conn, err := (&net.Dialer{}).DialContext(ctx, "unix", socket)
	if err != nil {
		return nil, fmt.Errorf("connecting to the tap: %w", err)
	}
	return newClient(conn), nil
}

// DialPort connects to the debugging port of a browser, whose folder of profiles is dir, that
// a test has started itself. It returns an error until the browser listens.
func DialPort(ctx context.Context, dir string) (*Client, error) {
	raw, err := os.ReadFile(filepath.Join(dir, "DevToolsActivePort"))
	if err != nil {
		return nil, err
	}
	port, path, _ := strings.Cut(strings.TrimSpace(string(raw)), "\n")
	ws, resp, err := websocket.Dial(ctx, "ws://127.0.0.1:"+port+path, nil)
	if err != nil {
		return nil, fmt.Errorf("connecting to the browser: %w", err)
	}
	if resp.Body != nil {
		_ = resp.Body.Close()
	}
	ws.SetReadLimit(-1)
	ctx, cancel := context.WithCancel(context.WithoutCancel(ctx))
	return newClient(&socket{ws: ws, ctx: ctx, cancel: cancel}), nil
}

// socket is a WebSocket whose messages end with line breaks, as those of the tap do.
type socket struct {
	net.Conn

	ws     *websocket.Conn
	ctx    context.Context //nolint:containedctx // of the connection
	cancel context.CancelFunc
	rest   []byte
}

func (s *socket) Read(p []byte) (int, error) {
	if len(s.rest) == 0 {
		_, message, err := s.ws.Read(s.ctx)
		if err != nil {
			return 0, err
		}
		s.rest = append(s.rest[:0], message...)
		s.rest = append(s.rest, '\n')
	}
	n := copy(p, s.rest)
	s.rest = s.rest[n:]
	return n, nil
}

func (s *socket) Write(p []byte) (int, error) {
	return len(p), s.ws.Write(s.ctx, websocket.MessageText, p)
}

func (s *socket) Close() error {
	defer s.cancel()
	return s.ws.CloseNow()
}

func newClient(conn net.Conn) *Client {
	c := &Client{conn: conn, nextID: firstTapID, waiting: map[int64]call{}, heard: map[event]func(json.RawMessage){}}
	go c.read()
	return c
}

// Close closes the connection; the browser continues.
func (c *Client) Close() error { return c.conn.Close() }

func (c *Client) read() {
	reader := bufio.NewReader(c.conn)
	for {
		line, err := reader.ReadBytes('\n')
		if err != nil {
			c.mu.Lock()
			c.err = errors.Join(errors.New("the browser is gone"), err)
			for _, one := range c.waiting {
				one.answer <- reply{err: c.err}
			}
			clear(c.waiting)
			c.mu.Unlock()
			return
		}
		var message struct {
			ID      int64           `json:"id"`
			Session string          `json:"sessionId"`
			Method  string          `json:"method"`
			Params  json.RawMessage `json:"params"`
			Result  json.RawMessage `json:"result"`
			Error   *struct {
				Message string `json:"message"`
			} `json:"error"`
		}
		if json.Unmarshal(line, &message) != nil {
			continue
		}
		if message.ID == 0 {
			c.event(message.Session, message.Method, message.Params)
			continue
		}
		c.mu.Lock()
		one, ok := c.waiting[message.ID]
		delete(c.waiting, message.ID)
		c.mu.Unlock()
		if !ok {
			continue
		}
		if message.Error != nil {
			one.answer <- reply{err: errors.New(message.Error.Message)}
		} else {
			one.answer <- reply{result: message.Result}
		}
	}
}

func (c *Client) event(session, method string, params json.RawMessage) {
	if method == "Target.detachedFromTarget" {
		var gone struct {
			SessionID string `json:"sessionId"`
		}
		if json.Unmarshal(params, &gone) == nil {
			c.detached(gone.SessionID)
		}
	}
	c.mu.Lock()
	hear := c.heard[event{session, method}]
	c.mu.Unlock()
	if hear != nil {
		hear(params)
	}
}

// detached fails the calls on a session whose target has gone: the browser never
// answers them.
func (c *Client) detached(session string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for id, one := range c.waiting {
		if one.session == session && session != "" {
			one.answer <- reply{err: errors.New("the target is gone")}
			delete(c.waiting, id)
		}
	}
}

// Call sends a command on the browser's own session (session "") or on an
// attached one.
func (c *Client) Call(ctx context.Context, session, method string, params, result any) error {
	answer, err := c.send(session, method, params)
	if err != nil {
		return err
	}
	return answered(ctx, method, answer, result)
}

// send sends a command; the answer arrives on the channel.
func (c *Client) send(session, method string, params any) (<-chan reply, error) {
	ch := make(chan reply, 1)
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return nil, c.err
	}
	c.nextID++
	id := c.nextID
	c.waiting[id] = call{session: session, answer: ch}
	c.mu.Unlock()

	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	line, err := json.Marshal(message)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", method, err)
	}
	if _, err := c.conn.Write(append(line, '\n')); err != nil {
		return nil, fmt.Errorf("sending %s: %w", method, err)
	}
	return ch, nil
}

// answered waits for the answer to a command.
func answered(ctx context.Context, method string, answer <-chan reply, result any) error {
	select {
	case r := <-answer:
		if r.err != nil {
			return fmt.Errorf("%s: %w", method, r.err)
		}
		if result == nil {
			return nil
		}
		return json.Unmarshal(r.result, result)
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	}
}

// RefuseNext prevents the app from attaching to the next page that opens: the app gets the
// answer of a browser whose administrator blocks developer tools for the page.
func (c *Client) RefuseNext(ctx context.Context) error {
	return c.Call(ctx, "", refuse, nil, nil)
}

// Targets lists the browser's targets.
func (c *Client) Targets(ctx context.Context) ([]Target, error) {
	var result struct {
		TargetInfos []Target `json:"targetInfos"`
	}
	err := c.Call(ctx, "", "Target.getTargets", nil, &result)
	return result.TargetInfos, err
}

// ClickAction clicks an extension's toolbar icon in the window of the first web
// page, as a user does. This opens or closes the side panel.
func (c *Client) ClickAction(ctx context.Context, extension string) error {
	return c.ClickActionAt(ctx, extension, "http")
}

// ClickActionAt is ClickAction in the window of the first page whose address
// begins with address.
func (c *Client) ClickActionAt(ctx context.Context, extension, address string) error {
	var found struct {
		TargetInfos []Target `json:"targetInfos"`
	}
	filter := map[string]any{"filter": []map[string]any{{"type": "tab"}}}
	if err := c.Call(ctx, "", "Target.getTargets", filter, &found); err != nil {
		return err
	}
	for _, t := range found.TargetInfos {
		if strings.HasPrefix(t.URL, address) {
			return c.Call(ctx, "", "Extensions.triggerAction", map[string]any{"id": extension, "targetId": t.ID}, nil)
		}
	}
	return fmt.Errorf("there is no tab at %s… among %v", address, found.TargetInfos)
}

// Page is an attached target.
type Page struct {
	client  *Client
	session string
	Target  Target
}

// Attach attaches to the first page target whose URL contains part. Its error
// lists the existing targets.
func (c *Client) Attach(ctx context.Context, part string) (*Page, error) {
	targets, err := c.Targets(ctx)
	if err != nil {
		return nil, err
	}
	for _, target := range targets {
		if target.Type == "page" && strings.Contains(target.URL, part) {
			return c.AttachTo(ctx, target)
		}
	}
	return nil, fmt.Errorf("no page with %q among %v", part, targets)
}

// Await attaches to the first page whose address contains part, as soon as the
// browser reports it. It does not poll, because a measurement must not keep the
// browser busy. Without an app that discovers targets, call Discover first.
func (c *Client) Await(ctx context.Context, part string) (*Page, error) {
	answer, err := c.send("", await, map[string]any{"part": part})
	if err != nil {
		return nil, err
	}
	// The browser does not report a page again that already exists. Checking
	// after the subscription makes sure that none is missed.
	if page, err := c.Attach(ctx, part); err == nil {
		return page, nil
	}
	var target Target
	if err := answered(ctx, await, answer, &target); err != nil {
		return nil, err
	}
	return c.AttachTo(ctx, target)
}

// Discover makes the browser report every target.
func (c *Client) Discover(ctx context.Context) error {
	return c.Call(ctx, "", "Target.setDiscoverTargets", map[string]any{"discover": true}, nil)
}

// AttachTo attaches to one target.
func (c *Client) AttachTo(ctx context.Context, target Target) (*Page, error) {
	var attached struct {
		SessionID string `json:"sessionId"`
	}
	if err := c.Call(ctx, "", "Target.attachToTarget", map[string]any{"targetId": target.ID, "flatten": true}, &attached); err != nil {
		return nil, err
	}
	p := &Page{client: c, session: attached.SessionID, Target: target}
	// Without focus emulation, a page without the desktop's focus may never
	// answer a key: the test must not depend on the window manager.
	err := p.Call(ctx, "Emulation.setFocusEmulationEnabled", map[string]any{"enabled": true}, nil)
	return p, err
}

// Call sends a command to the page.
func (p *Page) Call(ctx context.Context, method string, params, result any) error {
	return p.client.Call(ctx, p.session, method, params, result)
}

// Hear calls hear with the page's events of a method, in order. hear must not
// send commands to the browser.
func (p *Page) Hear(method string, hear func(params json.RawMessage)) {
	p.client.mu.Lock()
	defer p.client.mu.Unlock()
	p.client.heard[event{p.session, method}] = hear
}

// Eval evaluates an expression in the page, awaits it, and decodes its value.
func (p *Page) Eval(ctx context.Context, expression string, result any) error {
	var evaluated struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		ExceptionDetails *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := p.Call(ctx, "Runtime.evaluate", map[string]any{"expression": expression, "awaitPromise": true, "returnByValue": true, "userGesture": true}, &evaluated)
	if err != nil {
		return err
	}
	if e := evaluated.ExceptionDetails; e != nil {
		return fmt.Errorf("evaluating in the page: %s %s", e.Text, e.Exception.Description)
	}
	if result == nil || len(evaluated.Result.Value) == 0 {
		return nil
	}
	return json.Unmarshal(evaluated.Result.Value, result)
}

// Type presses the keys of a text one after the other, as a keyboard would; a
// newline is Enter.
func (p *Page) Type(ctx context.Context, text string) error {
	for _, r := range text {
		key := map[string]any{"type": "keyDown", "text": string(r), "key": string(r)}
		if r == '\n' {
			key = map[string]any{"type": "keyDown", "text": "\r", "key": "Enter", "code": "Enter", "windowsVirtualKeyCode": 13}
		}
		if err := p.Call(ctx, "Input.dispatchKeyEvent", key, nil); err != nil {
			return err
		}
		key["type"] = "keyUp"
		delete(key, "text")
		if err := p.Call(ctx, "Input.dispatchKeyEvent", key, nil); err != nil {
			return err
		}
	}
	return nil
}
