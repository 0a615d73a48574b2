// Package gate enforces a rule on what a tab loads, no matter who causes the
// load.
package gate

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"maps"
	"net"
	"net/netip"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Source provides the gates and tabs of a browser. The gates are new for each run
// of the browser process.
type Source interface {
	// Gates returns the gates of the current run.
	Gates() (*Gates, error)
	// OnTarget runs f with a tab as it is now, and again when the tab's target
	// changed. Its errors are protocol.Errors.
	OnTarget(ctx context.Context, id protocol.TabID, f func(tabs.Entry) error) error
}

// Rules puts tabs of a browser under rules.
type Rules struct{ source Source }

// New returns Rules with no rule for any tab.
func New(source Source) *Rules { return &Rules{source: source} }

// Gates holds the gates of one run of the browser, by the target that shows a
// tab.
type Gates struct {
	conn *devtools.Conn
	log  *slog.Logger

	mu sync.Mutex
	of map[target.ID]*gate
	// commanded holds the targets that a command is navigating at the moment,
	// with the reason if a document of theirs was refused: the command reports
	// that reason.
	commanded map[target.ID]error
	workers   workerGate
	names     names
}

// NewGates returns the gates of a life of the browser: none. lookup finds the
// addresses of names; nil asks the system.
func NewGates(conn *devtools.Conn, log *slog.Logger, lookup Lookup) *Gates {
	if lookup == nil {
		lookup = func(ctx context.Context, host string) ([]netip.Addr, error) {
			return net.DefaultResolver.LookupNetIP(ctx, "ip", host)
		}
	}
	g := &Gates{
		conn: conn, log: log, of: make(map[target.ID]*gate), commanded: make(map[target.ID]error),
		names: names{lookup: lookup, known: make(map[string]*answer)},
	}
	g.workers.inherit = g.inherit
	return g
}

// Rule is what a tab may load.
type Rule struct {
	// Patterns is what service and shared workers of the browser are asked once not to load,
	// what is like one of them ("*", and "?" for a digit).
	Patterns []string
	// Allow is asked about everything, documents with document. What it allows and whose
	// host is a name, Address is asked about again, with each address of the name; nil
	// allows all. Both must answer at once. What they refuse is not loaded.
	Allow   func(url string, document bool) error
	Address func(url string, ip netip.Addr) error
	// Saver decides about the files that the tab would save; nil saves all.
	Saver protocol.Saver
}

// gate holds a rule over everything that one tab loads: its documents, those of
// its frames, and what they and their workers load. It has sessions of its own,
// so that nothing else that is done to the tab switches it off.
type gate struct {
	all    *Gates
	target target.ID

	opening sync.Mutex // held while the root is attached

	mu   sync.Mutex
	root *devtools.Session
	// own is the rule of the agent whose tab it is, nil for none; beside are those that
	// hold as well.
	own       *Rule
	beside    []*Rule
	frames    map[cdp.FrameID]bool // that requested something
	decisions *decisions
}

// Gate puts a tab under a rule from now on, whatever makes it load something. It stays until
// the tab's page is closed; a later call replaces its rule.
func (r *Rules) Gate(ctx context.Context, id protocol.TabID, patterns []string, allow func(url string, document bool) error, address func(url string, ip netip.Addr) error, saver protocol.Saver) error {
	return r.put(ctx, id, &Rule{patterns, allow, address, saver}, func(g *gate, rule *Rule) { g.own = rule })
}

// GateBeside puts a tab and the tabs that its pages open under a rule that holds beside that
// of Gate, until Lift.
func (r *Rules) GateBeside(ctx context.Context, id protocol.TabID, rule *Rule) error {
	return r.put(ctx, id, rule, func(g *gate, rule *Rule) {
		if !slices.Contains(g.beside, rule) {
			g.beside = append(slices.Clone(g.beside), rule)
		}
	})
}

func (r *Rules) put(ctx context.Context, id protocol.TabID, rule *Rule, put func(*gate, *Rule)) error {
	all, err := r.source.Gates()
	if err != nil {
		return err
	}
	return r.source.OnTarget(ctx, id, func(t tabs.Entry) error {
		if err := all.workers.set(ctx, all.conn, rule.Patterns, rule.Allow); err != nil {
			return err
		}
		g := all.gate(t.Target)
		err := g.set(ctx, func() { put(g, rule) })
		if page.IsTargetGone(err) {
			all.forget(g)
		}
		return err
	})
}

// Lift ends a rule of GateBeside in all tabs. A tab without another rule is free again.
func (r *Rules) Lift(ctx context.Context, rule *Rule) {
	all, err := r.source.Gates()
	if err != nil {
		return // the browser has ended, and its gates with it
	}
	all.mu.Lock()
	gates := slices.Collect(maps.Values(all.of))
	all.mu.Unlock()
	for _, g := range gates {
		g.opening.Lock()
		g.mu.Lock()
		had := slices.Contains(g.beside, rule)
		g.beside = slices.DeleteFunc(slices.Clone(g.beside), func(o *Rule) bool { return o == rule })
		root := g.root
		free := had && root != nil && g.own == nil && len(g.beside) == 0
		if free {
			g.root = nil
		}
		g.mu.Unlock()
		if free {
			all.forget(g)
			// What it holds back is let through when its sessions end.
			_ = devtools.Post(ctx, root.Parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: root.ID})
		}
		g.opening.Unlock()
	}
}

// gate returns the gate of a target, and makes it if there is none.
func (g *Gates) gate(id target.ID) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of[id] == nil {
		g.of[id] = &gate{all: g, target: id, frames: make(map[cdp.FrameID]bool), decisions: newDecisions()}
	}
	return g.of[id]
}

// Count returns how many targets have a gate.
func (g *Gates) Count() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.of)
}

func (g *Gates) forget(old *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of[old.target] == old {
		delete(g.of, old.target)
	}
}

// set gives the gate a rule by put, and opens it if need be.
func (g *gate) set(ctx context.Context, put func()) error {
	g.opening.Lock()
	defer g.opening.Unlock()
	g.mu.Lock()
	put()
	root := g.root
	g.mu.Unlock()
	if root == nil {
		return g.open(ctx)
	}
	return nil
}

// rules are those that hold.
func (g *gate) rules() []*Rule {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.own == nil {
		return g.beside
	}
	return append([]*Rule{g.own}, g.beside...)
}

// allow asks all rules about an address.
func (g *gate) allow(url string, document bool) error {
	for _, rule := range g.rules() {
		if err := rule.Allow(url, document); err != nil {
			return err
		}
	}
	return nil
}

// address asks all rules about an address of a name.
func (g *gate) address(url string, ip netip.Addr) error {
	for _, rule := range g.rules() {
		if rule.Address == nil {
			continue
		}
		if err := rule.Address(url, ip); err != nil {
			return err
		}
	}
	return nil
}

// saver decides about files: that of the agent whose tab it is, before another one.
func (g *gate) saver() protocol.Saver {
	for _, rule := range g.rules() {
		if rule.Saver != nil {
			return rule.Saver
		}
	}
	return nil
}

// open attaches the gate's own session to the tab, and waits until the gate is in
// force.
func (g *gate) open(ctx context.Context) error {
	root, err := g.all.conn.Attach(ctx, g.target)
	if err != nil {
		return noInput(err)
	}
	g.enter(root) //nolint:contextcheck // it lives as long as its session
	g.mu.Lock()
	g.root = root
	g.mu.Unlock()
	if err := g.enable(ctx, root); err != nil {
		_ = devtools.Post(ctx, g.all.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: root.ID})
		return err
	}
	return nil
}

// noInput distinguishes a tab to which the browser allows no connection (for
// example by an administrator's policy for a site) from a tab that is gone.
func noInput(err error) error {
	refused, ok := errors.AsType[*devtools.MethodError](err)
	if !ok || page.IsTargetGone(err) {
		return err
	}
	return protocol.NewError(protocol.CodeNoInput, "the browser does not allow Pilotfish to control this tab ("+refused.Message+")", "do it yourself, or use another tab")
}

// enter handles the events of a session until it ends.
func (g *gate) enter(s *devtools.Session) {
	events := s.Events(fetch.RequestPaused.Method, network.ResponseReceivedExtraInfo.Method, target.AttachedToTarget.Method)
	go func() {
		defer events.Cancel()
		ctx, cancel := context.WithCancel(context.Background()) // the session's end closes the events
		defer cancel()
		a := newAnswers()
		for e := range events.C {
			g.event(ctx, s, a, e)
		}
		if events.Overflowed() {
			// Requests that were paused and not read would wait for ever. The tab
			// loads nothing more, and the next command puts it under a new gate.
			_ = devtools.Post(ctx, s, cdppage.Navigate, cdppage.NavigateParams{URL: "about:blank"})
			_ = devtools.Post(ctx, s.Parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
		}
		g.leave(s)
	}()
}

// leave removes a session that ended; without its root session the gate is
// closed.
func (g *gate) leave(s *devtools.Session) {
	g.mu.Lock()
	over := g.root == s
	if over {
		g.root = nil
	}
	g.mu.Unlock()
	if over {
		g.all.forget(g)
	}
}

// enable turns the gate on in a session, and for targets that will be attached
// through it: these are paused until the gate is on for them, too. Service
// workers have a gate of their own.
func (g *gate) enable(ctx context.Context, s *devtools.Session) error {
	flat := true
	if err := devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat,
		Filter: target.Filter{{Type: "service_worker", Exclude: true}, {Type: "browser", Exclude: true}, {Type: "tab", Exclude: true}, {}},
	}); err != nil {
		return err
	}
	// It reports where answers came from. Bodies are not asked for.
	least := int64(1)
	if err := devtools.Post(ctx, s, network.Enable, network.EnableParams{MaxTotalBufferSize: &least, MaxResourceBufferSize: &least}); err != nil {
		return err
	}
	all := fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}}
	if s.Parent != nil && s.Parent != g.all.conn.Root {
		return devtools.Post(ctx, s, fetch.Enable, all)
	}
	_, err := cdp.Call(ctx, s, fetch.Enable, all)
	return err
}

func (g *gate) event(ctx context.Context, s *devtools.Session, a *answers, e devtools.Event) {
	switch e.Method {
	case target.AttachedToTarget.Method:
		v, ok := devtools.Decode(e, target.AttachedToTarget)
		if !ok {
			return
		}
		child := g.all.conn.Session(v.SessionID)
		if child == nil {
			return // it has ended already
		}
		g.enter(child)           //nolint:contextcheck // it lives as long as its session
		_ = g.enable(ctx, child) // a session that ended loads nothing
		devtools.Resume(ctx, child)
	case network.ResponseReceivedExtraInfo.Method:
		if v, ok := devtools.Decode(e, network.ResponseReceivedExtraInfo); ok {
			if held := a.report(&v); held != nil {
				g.settle(ctx, s, held, v.ResourceIPAddressSpace)
			}
		}
	case fetch.RequestPaused.Method:
		v, ok := devtools.Decode(e, fetch.RequestPaused)
		switch {
		case !ok || v.Request == nil:
		case v.ResponseStatusCode != 0 || v.ResponseErrorReason != "":
			g.answered(ctx, s, a, &v)
		default:
			g.judge(ctx, s, a, &v)
		}
	}
}

// judge lets a request through or not. A name is looked up beside the events,
// which go on.
func (g *gate) judge(ctx context.Context, s *devtools.Session, a *answers, v *fetch.EventRequestPaused) {
	g.mu.Lock()
	g.frames[v.FrameID] = true
	g.mu.Unlock()
	if err := g.allow(v.Request.URL, v.ResourceType == network.ResourceTypeDocument); err != nil {
		g.refuse(ctx, s, v, err)
		return
	}
	host := nameOf(v.Request.URL)
	if host == "" || !slices.ContainsFunc(g.rules(), func(r *Rule) bool { return r.Address != nil }) {
		g.send(ctx, s, a, v)
		return
	}
	go func() {
		for _, ip := range g.all.names.of(ctx, host) {
			if err := g.address(v.Request.URL, ip); err != nil {
				g.refuse(ctx, s, v, err)
				return
			}
		}
		g.send(ctx, s, a, v)
	}()
}

// refuse keeps a request, or the answer to it, from the tab.
func (g *gate) refuse(ctx context.Context, s *devtools.Session, v *fetch.EventRequestPaused, err error) {
	if v.ResourceType == network.ResourceTypeDocument && target.ID(v.FrameID) == s.Target && !g.all.refuse(s.Target, err) {
		g.all.log.Info("page refused in an agent's tab", "code", protocol.AsError(err).Code)
		_ = devtools.Post(ctx, s, fetch.FulfillRequest, refusedPage(v.RequestID, err))
		return
	}
	_ = devtools.Post(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
}

// refusedPage returns the page that a tab shows instead of a page that it may not
// load. The user may have been the one who navigated.
func refusedPage(id fetch.RequestID, why error) fetch.FulfillRequestParams {
	body := fmt.Sprintf(`<!doctype html><meta charset=utf-8><meta name=color-scheme content="light dark"><title>Not opened</title>`+
		`<body style="font:15px/1.5 system-ui;max-width:34em;margin:12vh auto;padding:0 1.5em"><h1 style="font-size:1.2em">Pilotfish did not open this page</h1>`+
		`<p style="overflow-wrap:anywhere">%s</p><p>An agent or a script works in this tab. To open the page yourself, use a tab without one.</p>`,
		html.EscapeString(protocol.AsError(why).Message))
	return fetch.FulfillRequestParams{
		RequestID: id, ResponseCode: 403, Body: []byte(body),
		ResponseHeaders: []*fetch.HeaderEntry{
			{Name: "Content-Type", Value: "text/html; charset=utf-8"},
			{Name: "Cache-Control", Value: "no-store"},
			{Name: "Content-Security-Policy", Value: "default-src 'none'; style-src 'unsafe-inline'"},
		},
	}
}

// Command records that a command navigates a target until the returned function
// is called. The navigations of one tab run one after the other.
func (g *Gates) Command(id target.ID) func() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.commanded[id] = nil
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		delete(g.commanded, id)
	}
}

// refuse records why the navigation of a command was refused. It reports false
// when no command navigates the target.
func (g *Gates) refuse(id target.ID, why error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, is := g.commanded[id]; !is {
		return false
	}
	g.commanded[id] = why
	return true
}

// Refusal returns why a document of a command's navigation was refused; nil if
// none was.
func (g *Gates) Refusal(id target.ID) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.commanded[id]
}
