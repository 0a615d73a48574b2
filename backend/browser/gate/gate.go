// Package gate holds a rule over what a tab loads, whoever makes it load something.
package gate

import (
	"context"
	"errors"
	"fmt"
	"html"
	"log/slog"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Source gives the gates and tabs of a browser; they change with each of its lives.
type Source interface {
	// Gates are those of the life that runs.
	Gates() (*Gates, error)
	// OnTarget runs f with a tab as it is now, again when its target changed. Its
	// errors are protocol.Errors.
	OnTarget(ctx context.Context, id protocol.TabID, f func(tabs.Entry) error) error
}

// Rules puts tabs of a browser under rules.
type Rules struct{ source Source }

// New returns the rules of a browser's tabs: none.
func New(source Source) *Rules { return &Rules{source: source} }

// Gates are the gates of one life of the browser, by the target that shows a
// tab.
type Gates struct {
	conn *devtools.Conn
	log  *slog.Logger

	mu sync.Mutex
	of map[target.ID]*gate
	// commanded are the targets that a command navigates just now, with why a
	// document of theirs was refused: the command says it.
	commanded map[target.ID]error
	workers   workerGate
}

// NewGates returns the gates of a life of the browser: none.
func NewGates(conn *devtools.Conn, log *slog.Logger) *Gates {
	return &Gates{conn: conn, log: log, of: make(map[target.ID]*gate), commanded: make(map[target.ID]error)}
}

// gate holds a rule over everything that one tab loads: its documents, those of
// its frames, and what they and their workers load from addresses like some
// patterns. It has sessions of its own, so that nothing else that is done to the
// tab switches it off, and costs nothing for what is not like the patterns.
type gate struct {
	all    *Gates
	target target.ID

	opening sync.Mutex // held while the root is attached or its patterns change

	mu       sync.Mutex
	root     *devtools.Session
	inside   []*devtools.Session // root, frames in other processes, workers, pages opened
	patterns []string
	allow    func(url string, document bool) error
}

// Gate puts a tab under a rule from now on, whoever makes it load something.
// allow is asked about each document, with document, and without it about
// everything else whose address is like one of patterns ("*", and "?" for a
// digit); it must answer at once. What it refuses is not loaded. The gate stays until the tab's
// page is closed; a later call replaces its rule.
func (r *Rules) Gate(ctx context.Context, id protocol.TabID, patterns []string, allow func(url string, document bool) error) error {
	all, err := r.source.Gates()
	if err != nil {
		return err
	}
	return r.source.OnTarget(ctx, id, func(t tabs.Entry) error {
		if err := all.workers.set(ctx, all.conn, patterns, allow); err != nil {
			return err
		}
		g := all.gate(t.Target)
		err := g.set(ctx, patterns, allow)
		if page.IsTargetGone(err) {
			all.forget(g)
		}
		return err
	})
}

// gate returns the gate of a target, made if need be.
func (g *Gates) gate(id target.ID) *gate {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of[id] == nil {
		g.of[id] = &gate{all: g, target: id}
	}
	return g.of[id]
}

func (g *Gates) forget(old *gate) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.of[old.target] == old {
		delete(g.of, old.target)
	}
}

// set opens the gate if need be and gives it its rule.
func (g *gate) set(ctx context.Context, patterns []string, allow func(string, bool) error) error {
	g.opening.Lock()
	defer g.opening.Unlock()
	g.mu.Lock()
	same := slices.Equal(g.patterns, patterns)
	g.patterns, g.allow = slices.Clone(patterns), allow
	root, inside := g.root, slices.Clone(g.inside)
	g.mu.Unlock()
	if root == nil {
		return g.open(ctx)
	}
	if same {
		return nil
	}
	for _, s := range inside {
		if err := g.enable(ctx, s); err != nil && !s.Ended() {
			return err
		}
	}
	return nil
}

// open attaches the gate's own session to the tab, and waits until it holds.
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

// noInput tells a tab that the browser lets nobody into, as a rule of its
// administrator may say of a site, from one that has gone.
func noInput(err error) error {
	refused, ok := errors.AsType[*devtools.MethodError](err)
	if !ok || page.IsTargetGone(err) {
		return err
	}
	return protocol.NewError(protocol.CodeNoInput, "the browser does not let Pilotfish into this tab ("+refused.Message+")", "do it yourself, or use another tab")
}

// enter follows a session until it ends.
func (g *gate) enter(s *devtools.Session) {
	events := s.Events(fetch.RequestPaused.Method, target.AttachedToTarget.Method)
	g.mu.Lock()
	g.inside = append(g.inside, s)
	g.mu.Unlock()
	go func() {
		defer events.Cancel()
		ctx := context.Background() // the session's end closes the events
		for e := range events.C {
			g.event(ctx, s, e)
		}
		if events.Overflowed() {
			// What was not read waits for ever. The tab loads no more, and the next
			// command gates it anew.
			_ = devtools.Post(ctx, s, cdppage.Navigate, cdppage.NavigateParams{URL: "about:blank"})
			_ = devtools.Post(ctx, g.all.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
		}
		g.leave(s)
	}()
}

// leave forgets a session that ended; without its root the gate is closed.
func (g *gate) leave(s *devtools.Session) {
	g.mu.Lock()
	g.inside = slices.DeleteFunc(g.inside, func(o *devtools.Session) bool { return o == s })
	over := g.root == s
	if over {
		g.root = nil
	}
	g.mu.Unlock()
	if over {
		g.all.forget(g)
	}
}

// enable switches the gate on in a session, and for what will be attached to
// it: that is paused until it is gated, too. Service workers have a gate of
// their own.
func (g *gate) enable(ctx context.Context, s *devtools.Session) error {
	flat := true
	if err := devtools.Post(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat,
		Filter: target.Filter{{Type: "service_worker", Exclude: true}, {Type: "browser", Exclude: true}, {Type: "tab", Exclude: true}, {}},
	}); err != nil {
		return err
	}
	g.mu.Lock()
	like := g.patterns
	g.mu.Unlock()
	patterns := []*fetch.RequestPattern{{URLPattern: "*", ResourceType: network.ResourceTypeDocument}}
	for _, p := range like {
		patterns = append(patterns, &fetch.RequestPattern{URLPattern: p})
	}
	if s.Parent != nil && s.Parent != g.all.conn.Root {
		return devtools.Post(ctx, s, fetch.Enable, fetch.EnableParams{Patterns: patterns})
	}
	_, err := cdp.Call(ctx, s, fetch.Enable, fetch.EnableParams{Patterns: patterns})
	return err
}

func (g *gate) event(ctx context.Context, s *devtools.Session, e devtools.Event) {
	switch e.Method {
	case target.AttachedToTarget.Method:
		v, ok := devtools.Decode(e, target.AttachedToTarget)
		if !ok {
			return
		}
		child := g.all.conn.Session(v.SessionID)
		if child == nil {
			return // gone already
		}
		g.enter(child)           //nolint:contextcheck // it lives as long as its session
		_ = g.enable(ctx, child) // a session that ended loads nothing
		_ = devtools.Post(ctx, child, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	case fetch.RequestPaused.Method:
		if v, ok := devtools.Decode(e, fetch.RequestPaused); ok && v.Request != nil {
			g.judge(ctx, s, &v)
		}
	}
}

// judge lets a request through or not.
func (g *gate) judge(ctx context.Context, s *devtools.Session, v *fetch.EventRequestPaused) {
	g.mu.Lock()
	allow := g.allow
	g.mu.Unlock()
	document := v.ResourceType == network.ResourceTypeDocument
	isPage := document && target.ID(v.FrameID) == s.Target
	err := allow(v.Request.URL, document)
	switch {
	case err == nil:
		_ = devtools.Post(ctx, s, fetch.ContinueRequest, fetch.ContinueRequestParams{RequestID: v.RequestID})
	case isPage && !g.all.refuse(s.Target, err):
		g.all.log.Info("page refused in an agent's tab", "code", protocol.AsError(err).Code)
		_ = devtools.Post(ctx, s, fetch.FulfillRequest, refusedPage(v.RequestID, err))
	default:
		_ = devtools.Post(ctx, s, fetch.FailRequest, fetch.FailRequestParams{RequestID: v.RequestID, ErrorReason: network.ErrorReasonBlockedByClient})
	}
}

// refusedPage is what a tab shows instead of a page that it may not load: the
// person may have been the one who went there.
func refusedPage(id fetch.RequestID, why error) fetch.FulfillRequestParams {
	body := fmt.Sprintf(`<!doctype html><meta charset=utf-8><meta name=color-scheme content="light dark"><title>Not opened</title>`+
		`<body style="font:15px/1.5 system-ui;max-width:34em;margin:12vh auto;padding:0 1.5em"><h1 style="font-size:1.2em">Pilotfish did not open this page</h1>`+
		`<p style="overflow-wrap:anywhere">%s</p><p>An agent works in this tab. To open the page yourself, use a tab without an agent.</p>`,
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

// Command notes that a command navigates a target until the returned function
// is called. Those of one tab come one after the other.
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

// refuse tells the command that navigates a target why it goes no further; it
// reports whether there is one.
func (g *Gates) refuse(id target.ID, why error) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if _, is := g.commanded[id]; !is {
		return false
	}
	g.commanded[id] = why
	return true
}

// Refusal is why a document of a command's navigation was refused.
func (g *Gates) Refusal(id target.ID) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.commanded[id]
}
