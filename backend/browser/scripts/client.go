package scripts

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/gate"
	"pilotfish/backend/protocol"
)

// client is one connected program. Its mu is never held while the browser is asked: the
// connection's reader takes it, too.
type client struct {
	ctx   context.Context // of the connection, for what events cause
	b     Browser
	terms Terms
	can   methods
	root  *devtools.Session // of the browser; what the program attaches to is attached through it
	out   *outbox
	// busy has room for the commands that wait for the browser, and later are the goroutines
	// that outlive an event.
	busy    chan struct{}
	later   sync.WaitGroup
	sharing sync.Mutex // held while tabs are shared

	mu sync.Mutex
	// before are the tabs that were open when the program connected; an address of one tab
	// does not share them. tabs are those that are or were shared.
	before, tabs map[protocol.TabID]bool
	rules        map[protocol.TabID]*gate.Rule
	pages        map[target.ID]*page
	sessions     map[string]*session
	refused      map[string]bool
	streams      map[string]bool // of documents that the program asked for
	worlds       map[string]bool // the names of those that it made
	// discover and attach are what the program last asked to be shown, and to be attached
	// to; nil for nothing.
	discover, attach filter
	left             bool
}

// mostBusy is how many commands of a program wait for the browser at a time.
const mostBusy = 16

// page is a shared target.
type page struct {
	tab  protocol.TabID
	info target.Info
	// strip is the id of the target of type "tab" that the program sees around the page.
	// Puppeteer needs one. It is only made up.
	strip string
	awake bool
}

// session is a session of the program. One without s is answered by Pilotfish.
type session struct {
	id, parent string
	s          *devtools.Session
	page       *page // nil for a session of the browser
	worker     bool
	contexts   contexts
}

func newClient(ctx context.Context, b Browser, root *devtools.Session, terms Terms, full func()) *client {
	return &client{
		ctx: ctx, b: b, terms: terms, can: allowed(terms.Read), root: root, out: newOutbox(full), busy: make(chan struct{}, mostBusy),
		before: map[protocol.TabID]bool{}, tabs: map[protocol.TabID]bool{}, rules: map[protocol.TabID]*gate.Rule{},
		pages: map[target.ID]*page{}, sessions: map[string]*session{"": {}}, refused: map[string]bool{}, streams: map[string]bool{}, worlds: map[string]bool{},
	}
}

// begin shares the tabs that are open.
func (c *client) begin(ctx context.Context) error {
	for _, t := range c.b.Tabs.All() {
		c.before[t.ID] = true
	}
	if c.terms.Tab != "" {
		c.tabs[c.terms.Tab] = true
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	if _, err := cdp.Call(ctx, c.root, target.SetDiscoverTargets, target.SetDiscoverTargetsParams{
		Discover: true, Filter: target.Filter{{Type: "page"}, {Type: "iframe"}, {Exclude: true}},
	}); err != nil {
		return err
	}
	c.share(ctx)
	return nil
}

// leave ends everything that the program has in the browser.
func (c *client) leave(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	c.mu.Lock()
	c.left = true
	rules := c.rules
	c.rules = nil
	c.mu.Unlock()
	_ = devtools.Post(ctx, c.b.Conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: c.root.ID})
	for _, rule := range rules {
		c.b.Gates.Lift(ctx, rule)
	}
	c.later.Wait()
}

// afterwards runs what an event causes and must not wait for. The caller holds mu.
func (c *client) afterwards(f func(ctx context.Context)) {
	if !c.left { // else everything ends
		c.later.Go(func() { f(context.WithoutCancel(c.ctx)) })
	}
}

// follow shares and hides tabs as they change, until ctx ends.
func (c *client) follow(ctx context.Context) {
	for {
		changed := c.b.Tabs.Changes() // taken before the tabs are read
		c.share(ctx)
		select {
		case <-changed:
		case <-ctx.Done():
			return
		}
	}
}

// share brings what the program sees in line with the tabs.
func (c *client) share(ctx context.Context) {
	c.sharing.Lock()
	defer c.sharing.Unlock()
	wanted := map[target.ID]protocol.TabID{}
	for _, t := range c.b.Tabs.All() {
		now, ok := c.b.Tabs.Lookup(t.ID)
		if !ok || !c.mayShare(t) || !c.shows(now.URL) {
			continue
		}
		wanted[now.Target] = t.ID
	}
	c.mu.Lock()
	for id, p := range c.pages {
		if wanted[id] == "" {
			c.hide(p) //nolint:contextcheck // what it ends may outlive ctx
		}
		delete(wanted, id)
	}
	c.mu.Unlock()
	for id, tab := range wanted {
		ctx, cancel := context.WithTimeout(ctx, callTime)
		if err := c.show(ctx, id, tab); err != nil && !errors.Is(err, context.Canceled) {
			c.b.Log.Info("a tab could not be shared", "tab", tab, "error", err) // the next change of the tabs tries again
		}
		cancel()
	}
}

// shows reports whether the program may see a page with this address.
func (c *client) shows(address string) bool { return c.terms.Rules.Shows(address) == nil }

// mayShare reports whether a tab is one of those that the address gives.
func (c *client) mayShare(t protocol.Tab) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.terms.Tab == "" || c.tabs[t.Opener] && !c.before[t.ID] {
		c.tabs[t.ID] = true
	}
	return c.tabs[t.ID]
}

// show lets the program see a page. Its tab is under the rules before.
func (c *client) show(ctx context.Context, id target.ID, tab protocol.TabID) error {
	c.mu.Lock()
	rule := c.rules[tab]
	if rule == nil && c.rules != nil {
		rule = &gate.Rule{Patterns: c.terms.Rules.Patterns(), Allow: c.terms.Rules.Loads, Address: c.terms.Rules.Address, Saver: c.terms.Rules.Saver(tab)}
		c.rules[tab] = rule
	}
	c.mu.Unlock()
	if rule == nil {
		return nil // it has left
	}
	if err := c.b.Gates.GateBeside(ctx, tab, rule); err != nil {
		return err
	}
	res, err := cdp.Call(ctx, c.root, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: id})
	if err != nil {
		return err
	}
	c.mu.Lock()
	if c.pages[id] != nil || !c.shows(res.TargetInfo.URL) {
		c.mu.Unlock()
		return nil
	}
	p := &page{tab: tab, info: *res.TargetInfo, strip: rand.Text()}
	c.pages[id] = p
	for _, info := range c.infos(p) {
		if c.discover.admits(info.Type) {
			c.event("", target.TargetCreated.Method, map[string]any{"targetInfo": info})
		}
	}
	attach := c.attach
	c.mu.Unlock()
	return c.attachTo(ctx, p, attach)
}

// wake makes a page that is not in front draw at full speed, and believe that it has the
// focus, until the program leaves: clients wait for frames before they click, and a
// screenshot of a page that does not draw takes 4 s (seen). page.DrawBehind has the reason.
// Where the address only reads, the page keeps what it believes.
func (c *client) wake(ctx context.Context, p *page) {
	c.mu.Lock()
	awake := p.awake
	p.awake = true
	c.mu.Unlock()
	if awake {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, callTime)
	defer cancel()
	s, err := c.open(ctx, p)
	if err != nil {
		return // the page has gone, and what was asked of it fails
	}
	if !c.terms.Read {
		_ = devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true})
	}
	quality := int64(1)
	_ = devtools.Post(ctx, s, cdppage.StartScreencast, cdppage.StartScreencastParams{
		Format: cdppage.StartScreencastFormatJpeg, Quality: &quality, MaxWidth: 16, MaxHeight: 16,
	})
}

// open opens a session to a page, which ends at the latest when the program leaves.
func (c *client) open(ctx context.Context, p *page) (*devtools.Session, error) {
	flat := true
	res, err := cdp.Call(ctx, c.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: p.info.TargetID, Flatten: &flat})
	if err != nil {
		return nil, err
	}
	if s := c.b.Conn.Session(res.SessionID); s != nil {
		return s, nil
	}
	return nil, devtools.ErrSessionEnded
}

// infos returns a page, and the target around it, as the program sees them. The caller holds mu.
func (c *client) infos(p *page) []target.Info {
	info := p.info
	info.Attached = false
	for _, s := range c.sessions {
		info.Attached = info.Attached || s.page == p && s.s != nil
	}
	if c.pages[info.OpenerID] == nil {
		info.OpenerID, info.OpenerFrameID, info.CanAccessOpener = "", "", false
	}
	strip := target.Info{TargetID: target.ID(p.strip), Type: "tab", Title: info.Title, URL: info.URL, Attached: info.Attached, BrowserContextID: info.BrowserContextID}
	return []target.Info{strip, info}
}

// attachTo attaches the program to a page, or to the target around it, where it has asked for
// that.
func (c *client) attachTo(ctx context.Context, p *page, attach filter) error {
	if attach.admits("tab") {
		c.attachStrip(p)
	}
	if !attach.admits("page") {
		return nil
	}
	_, err := c.attachPage(ctx, p, "")
	return err
}

// attachStrip opens a session to the target around a page.
func (c *client) attachStrip(p *page) string {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := &session{id: rand.Text(), page: p}
	c.sessions[s.id] = s
	c.event("", target.AttachedToTarget.Method, map[string]any{"sessionId": s.id, "targetInfo": attached(c.infos(p)[0]), "waitingForDebugger": false})
	return s.id
}

// attachPage opens a session to a page, which the program's session parent gets.
func (c *client) attachPage(ctx context.Context, p *page, parent string) (string, error) {
	s, err := c.open(ctx, p)
	if err != nil {
		return "", err
	}
	c.mu.Lock()
	if c.pages[p.info.TargetID] != p || c.sessions[parent] == nil {
		c.mu.Unlock()
		c.detach(ctx, s)
		return "", devtools.ErrSessionEnded
	}
	c.add(&session{id: string(s.ID), parent: parent, s: s, page: p}) //nolint:contextcheck // it lives as long as its session
	c.event(parent, target.AttachedToTarget.Method, map[string]any{"sessionId": s.ID, "targetInfo": attached(c.infos(p)[1]), "waitingForDebugger": false})
	c.mu.Unlock()
	return string(s.ID), nil
}

func attached(info target.Info) target.Info {
	info.Attached = true
	return info
}

// add records a session, and passes its events on. Nothing has asked for events before. The
// caller holds mu.
func (c *client) add(s *session) {
	c.sessions[s.id], s.contexts = s, contexts{}
	s.s.Follow(func(e devtools.Event) { c.happened(s, e) })
}

func (c *client) detach(ctx context.Context, s *devtools.Session) {
	_ = devtools.Post(ctx, s.Parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
}

// drop ends a session of the program, with those that were attached through it. The caller holds mu.
func (c *client) drop(s *session) {
	if c.sessions[s.id] != s {
		return
	}
	delete(c.sessions, s.id)
	for _, child := range c.sessions {
		if child.parent == s.id && child.id != "" {
			c.drop(child)
		}
	}
	of := target.ID("")
	switch {
	case s.s != nil:
		of = s.s.Target
		c.afterwards(func(ctx context.Context) { c.detach(ctx, s.s) })
	case s.page != nil:
		of = target.ID(s.page.strip)
	}
	c.event(s.parent, target.DetachedFromTarget.Method, map[string]any{"sessionId": s.id, "targetId": of})
}

// hide lets the program see a page no longer. The caller holds mu.
func (c *client) hide(p *page) {
	for _, s := range c.sessions {
		if s.page == p {
			c.drop(s)
		}
	}
	for _, info := range c.infos(p) {
		if c.discover.admits(info.Type) {
			c.event("", target.TargetDestroyed.Method, map[string]any{"targetId": info.TargetID})
		}
	}
	delete(c.pages, p.info.TargetID)
}

// targets handles the events of the browser. The connection's reader calls it, so that the
// program gets nothing of a page that it must not see.
func (c *client) targets(e devtools.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch e.Method {
	case target.TargetInfoChanged.Method:
		v, ok := devtools.Decode(e, target.TargetInfoChanged)
		if !ok || v.TargetInfo == nil {
			return
		}
		shows := c.shows(v.TargetInfo.URL)
		if p := c.pages[v.TargetInfo.TargetID]; p != nil {
			p.info = *v.TargetInfo
			if !shows {
				c.hide(p)
				return
			}
			for _, info := range c.infos(p) {
				if c.discover.admits(info.Type) {
					c.event("", target.TargetInfoChanged.Method, map[string]any{"targetInfo": info})
				}
			}
			return
		}
		for _, s := range c.sessions {
			if !shows && s.s != nil && s.s.Target == v.TargetInfo.TargetID {
				c.drop(s)
			}
		}
	case target.DetachedFromTarget.Method:
		if v, ok := devtools.Decode(e, target.DetachedFromTarget); ok && c.sessions[string(v.SessionID)] != nil {
			c.drop(c.sessions[string(v.SessionID)])
		}
	case target.TargetDestroyed.Method:
		if v, ok := devtools.Decode(e, target.TargetDestroyed); ok && c.pages[v.TargetID] != nil {
			c.hide(c.pages[v.TargetID])
		}
	case target.TargetCrashed.Method:
		if v, ok := devtools.Decode(e, target.TargetCrashed); ok && c.pages[v.TargetID] != nil && c.discover != nil {
			c.event("", e.Method, v)
		}
	}
}

// happened passes an event of a session on. The connection's reader calls it.
func (c *client) happened(s *session, e devtools.Event) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[s.id] != s {
		return
	}
	switch {
	case e.Method == target.AttachedToTarget.Method:
		v, ok := devtools.Decode(e, target.AttachedToTarget)
		child := c.b.Conn.Session(v.SessionID)
		if !ok || child == nil || v.TargetInfo == nil {
			return
		}
		if v.TargetInfo.Type != "worker" && (v.TargetInfo.Type != "iframe" || !frame(v.TargetInfo.URL) && !c.shows(v.TargetInfo.URL)) {
			c.afterwards(func(ctx context.Context) { devtools.LetGo(ctx, child) })
			return
		}
		c.add(&session{id: string(v.SessionID), parent: s.id, s: child, page: s.page, worker: v.TargetInfo.Type == "worker"})
	case e.Method == target.DetachedFromTarget.Method:
		v, ok := devtools.Decode(e, target.DetachedFromTarget)
		child := c.sessions[string(v.SessionID)]
		if !ok || child == nil || child.parent != s.id {
			return
		}
		c.drop(child)
		return // drop has reported it
	case e.Method == fetch.RequestPaused.Method:
		v, ok := devtools.Decode(e, fetch.RequestPaused)
		if !ok || v.Request == nil {
			return
		}
		// The program may answer the request itself, before the rules of the tab see it.
		if err := c.terms.Rules.Loads(v.Request.URL, v.ResourceType == network.ResourceTypeDocument); err != nil {
			c.afterwards(func(ctx context.Context) {
				_ = devtools.Post(ctx, s.s, fetch.FailRequest, fetch.FailRequestParams{RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
			})
			return
		}
	case !s.contexts.event(e, s.worker, c.worlds):
		return
	case strings.HasPrefix(e.Method, "Target."):
		return // of targets that the program may not know
	}
	c.event(s.id, e.Method, e.Params)
}

// frame reports whether a frame has no address of its own yet.
func frame(address string) bool {
	return address == "" || address == "about:blank" || address == "about:srcdoc"
}

// event sends an event. The caller holds mu.
func (c *client) event(session, method string, params any) {
	if c.left {
		return
	}
	if raw, is := params.(jsonv2.Value); is && len(raw) == 0 {
		params = struct{}{}
	}
	text, err := jsonv2.Marshal(event{session, method, params}, chromedp.DefaultMarshalOptions)
	if err != nil {
		c.b.Log.Warn("an event could not be passed on", "method", method, "error", err)
		return
	}
	c.out.put(text)
}

// filter says which types of target are meant; the first entry that matches decides.
type filter []struct {
	Type    string `json:"type"`
	Exclude bool   `json:"exclude"`
}

// usual is the filter of a client that gives none.
func usual() filter { return filter{{"browser", true}, {"tab", true}, {"", false}} }

func (f filter) admits(kind string) bool {
	for _, one := range f {
		if one.Type == "" || one.Type == kind {
			return !one.Exclude
		}
	}
	return false
}
