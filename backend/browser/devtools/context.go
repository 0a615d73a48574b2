package devtools

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// Context is a browser context, with storage and tabs of its own, in the browser of a
// connection. It is the Transport of another connection, for which the context is the whole
// browser: other targets are neither listed nor reached, by events, ids and methods. The
// connection of the browser, in turn, neither sees nor reaches the context's targets.
type Context struct {
	conn *Conn
	id   cdp.BrowserContextID
	root *Session // stands for the browser; the context ends with it
	in   chan *cdproto.Message
	full chan struct{} // closed when in was full: the context cannot go on

	mu      sync.Mutex
	ids     map[string]bool // of its targets, frames and downloads
	windows map[browser.WindowID]bool
}

var _ Transport = (*Context)(nil)

// endTimeout is how long a browser may take to end a context: it closes its tabs first.
const endTimeout = 3 * time.Second

// NewContext makes a browser context. It ends with its Close, or with the browser.
func (c *Conn) NewContext(ctx context.Context) (*Context, error) {
	root, err := c.AttachBrowser(ctx)
	if err != nil {
		return nil, err
	}
	ends := true
	made, err := cdp.Call(ctx, root, target.CreateBrowserContext, target.CreateBrowserContextParams{DisposeOnDetach: &ends})
	if err != nil {
		_ = c.leave(ctx, root)
		return nil, err
	}
	x := &Context{
		conn: c, id: made.BrowserContextID, root: root, in: make(chan *cdproto.Message, 4*protocol.BrowserEventQueue), full: make(chan struct{}),
		ids: make(map[string]bool), windows: make(map[browser.WindowID]bool),
	}
	c.mu.Lock()
	root.of = x
	if c.contexts == nil {
		c.contexts = make(map[cdp.BrowserContextID]*Context)
	}
	c.contexts[x.id] = x
	c.mu.Unlock()
	return x, nil
}

func (c *Conn) leave(ctx context.Context, s *Session) error {
	return Post(ctx, c.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
}

// Close ends the context with its tabs and all that it stored. It does not wait for the browser.
func (x *Context) Close() error { return x.close(context.Background()) }

func (x *Context) close(ctx context.Context) error {
	x.conn.mu.Lock()
	ended := x.conn.contexts[x.id] == nil
	x.conn.contexts[x.id] = nil // events about its last targets are still to come
	x.conn.mu.Unlock()
	if ended {
		return nil
	}
	return x.conn.leave(context.WithoutCancel(ctx), x.root)
}

// End is Close, and returns when the browser has ended the context, or does not answer.
func (x *Context) End(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, endTimeout)
	defer cancel()
	// An error means that the browser has ended, and the context with it, or that it hangs.
	_, _ = cdp.Call(ctx, x.root, target.DisposeBrowserContext, target.DisposeBrowserContextParams{BrowserContextID: x.id})
	_ = x.close(ctx)
}

// Read returns the next message for the context's connection.
func (x *Context) Read(ctx context.Context, msg *cdproto.Message) error {
	select { // what came before the end is read first
	case m := <-x.in:
		*msg = *m
		return nil
	default:
	}
	select {
	case m := <-x.in:
		*msg = *m
		return nil
	case <-x.root.Done:
		return io.EOF
	case <-x.full:
		return errors.New("messages of a browser context were not read")
	case <-ctx.Done():
		return ctx.Err()
	}
}

// put gives the context's connection a message. The reader of the browser's connection calls
// it, which must not wait: a connection that reads too slowly ends.
func (x *Context) put(msg *cdproto.Message) {
	x.mu.Lock()
	defer x.mu.Unlock()
	select {
	case <-x.full:
		return
	default:
	}
	select {
	case x.in <- msg:
	default:
		close(x.full)
	}
}

// event passes on an event of one of the context's sessions.
func (x *Context) event(s *Session, msg *cdproto.Message) {
	out := *msg
	if s == x.root {
		out.SessionID = ""
	}
	x.put(&out)
}

// knows records that a target, frame or download is the context's, or that it has gone.
func (x *Context) knows(id string, there bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if there {
		x.ids[id] = true
	} else {
		delete(x.ids, id)
	}
}

// Write carries a command of the context's connection out, if it concerns the context alone.
func (x *Context) Write(ctx context.Context, msg *cdproto.Message) error {
	asked, method := *msg, string(msg.Method)
	s := x.root
	if msg.SessionID != "" {
		if s = x.conn.Session(msg.SessionID); s == nil || s.of != x {
			x.answer(&asked, nil, &MethodError{Code: -32001, Message: "Session with given id not found."})
			return nil
		}
	}
	switch method {
	case storage.GetCookies.Method, storage.SetCookies.Method, storage.ClearCookies.Method:
		s = x.root // Chromium 156 takes a page's question for one about the browser's first context
	}
	params, err := x.within(s, method, msg.Params)
	if err == nil {
		err = s.Relay(ctx, method, params, nil, func(result jsonv2.Value, err error) { x.answer(&asked, result, err) })
	}
	if err == nil || errors.Is(err, ErrPipeEnded) {
		return err
	}
	x.answer(&asked, nil, err)
	return nil
}

// answer answers a command of the context's connection.
func (x *Context) answer(asked *cdproto.Message, result jsonv2.Value, err error) {
	out := &cdproto.Message{ID: asked.ID, SessionID: asked.SessionID, Result: result}
	if err != nil {
		e, ok := AsMethodError(err)
		if !ok {
			e = &MethodError{Code: -32000, Message: err.Error()}
		}
		out.Error = &cdproto.Error{Code: e.Code, Message: e.Message}
	}
	switch method := string(asked.Method); {
	case err != nil:
	case method == target.CreateTarget.Method:
		var made target.CreateTargetResult
		if json.Unmarshal(result, &made) == nil {
			x.knows(string(made.TargetID), true)
		}
	case method == browser.GetWindowForTarget.Method:
		var in browser.GetWindowForTargetResult
		if json.Unmarshal(result, &in) == nil {
			x.mu.Lock()
			x.windows[in.WindowID] = true
			x.mu.Unlock()
		}
	}
	x.put(out)
}

// within returns the parameters of a command as the context may send it, or an error when it
// would concern more than the context. Commands of the domains that only a page has pass.
func (x *Context) within(s *Session, method string, raw jsonv2.Value) (jsonv2.Value, error) {
	domain, _, _ := strings.Cut(method, ".")
	refused := &MethodError{Code: -32000, Message: "not allowed in a browser context"}
	var has []string // that must be the context's own
	adds := false    // the id of the context
	switch method {
	case target.SetAutoAttach.Method, target.SetDiscoverTargets.Method, target.DetachFromTarget.Method, target.AttachToBrowserTarget.Method,
		target.GetTargets.Method, browser.GetVersion.Method:
	case target.AttachToTarget.Method, target.CloseTarget.Method, target.ActivateTarget.Method, target.GetTargetInfo.Method, target.AutoAttachRelated.Method,
		browser.GetWindowForTarget.Method:
		has = []string{"targetId"}
	case browser.GetWindowBounds.Method, browser.SetWindowBounds.Method, browser.SetContentsSize.Method:
		has = []string{"windowId"}
	case target.CreateTarget.Method, browser.SetDownloadBehavior.Method, browser.CancelDownload.Method,
		browser.SetPermission.Method, browser.ResetPermissions.Method, "Browser.grantPermissions",
		storage.GetCookies.Method, storage.SetCookies.Method, storage.ClearCookies.Method:
		adds = true
	default:
		ofAll := []string{"Browser", "Cast", "Extensions", "PWA", "SystemInfo", "Target", "Tethering", "Tracing"}
		if slices.Contains(ofAll, domain) || s.browser() {
			return nil, refused
		}
		if domain != "Storage" {
			return raw, nil
		}
	}
	var params map[string]json.RawMessage
	if len(raw) > 0 {
		if err := json.Unmarshal(raw, &params); err != nil {
			return nil, &MethodError{Code: -32602, Message: "Invalid parameters"}
		}
	}
	if _, other := params["browserContextId"]; other {
		return nil, refused
	}
	for _, key := range has {
		if !x.owns(key, params[key]) {
			return nil, &MethodError{Code: -32602, Message: "No target with given id found"}
		}
	}
	if params == nil {
		params = make(map[string]json.RawMessage)
	}
	if adds {
		params["browserContextId"], _ = json.Marshal(x.id) // a string
	}
	out, err := json.Marshal(params)
	if err != nil {
		return nil, fmt.Errorf("encoding %s: %w", method, err)
	}
	return out, nil
}

// owns reports whether a target or window is the context's.
func (x *Context) owns(key string, raw json.RawMessage) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if key == "windowId" {
		var id browser.WindowID
		return json.Unmarshal(raw, &id) == nil && x.windows[id]
	}
	var id string
	return json.Unmarshal(raw, &id) == nil && x.ids[id]
}

// browser reports whether a session is one of the browser itself.
func (s *Session) browser() bool { return s.Parent == nil || s.whole }

// foreign reports whether a target is none of those that a session may know of.
func (c *Conn) foreign(s *Session, info *target.Info) bool {
	if s.of != nil {
		return info.BrowserContextID != s.of.id && info.Type != "browser"
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_, is := c.contexts[info.BrowserContextID]
	return is
}

// Lends reports whether there are, or were, browser contexts beside this connection's own.
func (c *Conn) Lends() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.contexts) > 0
}

// passes reports whether an event of a session is passed on: those about foreign targets are
// not.
func (c *Conn) passes(s *Session, msg *cdproto.Message) bool {
	if s.of == nil && !c.Lends() {
		return true
	}
	switch string(msg.Method) {
	case target.TargetCreated.Method, target.TargetInfoChanged.Method, target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(msg.Params, &e) != nil || e.TargetInfo == nil {
			return false
		}
		if !c.foreign(s, e.TargetInfo) {
			if s.of != nil && e.TargetInfo.Type != "browser" {
				s.of.knows(string(e.TargetInfo.TargetID), true)
			}
			return true
		}
		if e.SessionID != "" {
			// A target that waits is let go by the sessions of its own context.
			go func() { // it ends with the connection at the latest
				_ = Post(context.Background(), s, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: e.SessionID})
			}()
		}
		return false
	case target.TargetDestroyed.Method, target.TargetCrashed.Method, browser.DownloadWillBegin.Method, browser.DownloadProgress.Method,
		cdppage.FrameAttached.Method, cdppage.FrameDetached.Method:
		return c.about(s, msg)
	}
	return true
}

// about is passes for events that name a target, a frame or a download. Chromium 156 reports
// the downloads of all contexts.
func (c *Conn) about(s *Session, msg *cdproto.Message) bool {
	var e struct {
		TargetID, FrameID, GUID, State, Reason string
	}
	if json.Unmarshal(msg.Params, &e) != nil {
		return s.of == nil
	}
	of := s.of
	id := cmp.Or(e.TargetID, e.FrameID, e.GUID)
	if of == nil {
		of = c.context(id)
	}
	switch string(msg.Method) {
	case cdppage.FrameAttached.Method:
		if s.of != nil {
			s.of.knows(id, true)
		}
		return true
	case browser.DownloadWillBegin.Method:
		if of != nil && of.is(id) {
			of.knows(e.GUID, true)
		}
	}
	passes := s.of == nil && of == nil || s.of != nil && s.of.is(id)
	// The browser's connection gets the same event, and may get it first.
	if s.of != nil && (string(msg.Method) == target.TargetDestroyed.Method || string(msg.Method) == cdppage.FrameDetached.Method && e.Reason != "swap") {
		s.of.knows(id, false)
	}
	return passes
}

// context returns the context that has a target, frame or download; nil for none.
func (c *Conn) context(id string) *Context {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range c.contexts {
		if x != nil && id != "" && x.is(id) {
			return x
		}
	}
	return nil
}

// reaches returns an error for a command of the browser's own connection that names a context
// or one of its targets.
func (c *Conn) reaches(s *Session, method string, raw jsonv2.Value) error {
	domain, _, _ := strings.Cut(method, ".")
	if s.of != nil || domain != "Target" && domain != "Browser" && domain != "Storage" {
		return nil
	}
	if !c.Lends() {
		return nil
	}
	var params map[string]any
	_ = json.Unmarshal(raw, &params) // the browser says what is wrong with it
	for _, value := range params {
		if id, _ := value.(string); c.context(id) != nil {
			return &MethodError{Method: method, Code: -32602, Message: "No target with given id found"}
		}
	}
	return nil
}

// is reports whether an id is that of the context, or of a target, frame or download in it.
func (x *Context) is(id string) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.id == cdp.BrowserContextID(id) || x.ids[id]
}

// onlyOwn removes foreign targets from the answer to Target.getTargets.
func (c *Conn) onlyOwn(s *Session, result jsonv2.Value) jsonv2.Value {
	var list target.GetTargetsResult
	if jsonv2.Unmarshal(result, &list) != nil {
		return result
	}
	var raw struct {
		Infos []json.RawMessage `json:"targetInfos"`
	}
	if json.Unmarshal(result, &raw) != nil || len(raw.Infos) != len(list.TargetInfos) {
		return result
	}
	own := []json.RawMessage{}
	for i, info := range list.TargetInfos {
		if !c.foreign(s, info) {
			own = append(own, raw.Infos[i])
		}
	}
	out, err := json.Marshal(map[string]any{"targetInfos": own})
	if err != nil {
		return result
	}
	return out
}
