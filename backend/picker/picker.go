// Package picker manages the active element pickers: one for each panel whose
// user picks an element of a page, and one for each panel whose user points at
// an element that a question names. It starts and ends them; the browser draws
// them.
package picker

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"pilotfish/backend/browser/pick"
	"pilotfish/backend/protocol"
)

// pickTimeout is how long the picker waits for a user to pick an element of a
// page.
const pickTimeout = 2 * time.Minute

// Browser is the part of the browser that Pickers use.
type Browser interface {
	Pick(ctx context.Context, tab protocol.TabID, c pick.Request) (*protocol.PickedElement, error)
	Show(ctx context.Context, tab protocol.TabID, marks <-chan string) error
	Highlight(ctx context.Context, tab protocol.TabID, ref string, scroll bool) error
	Badges(ctx context.Context, tab protocol.TabID, on bool) error
}

// Config is what Pickers need. All fields are required.
type Config struct {
	// Publish sends an event to the panels of the session.
	Publish func(event any)
	// Go runs a function on a goroutine that the app waits for when it ends.
	Go     func(func())
	Logger *slog.Logger
}

// Pickers are the pickers of a session. Its methods are safe for concurrent
// use.
type Pickers struct {
	cfg Config
	log *slog.Logger

	mu sync.Mutex
	on map[string]*picking // by panel, or by the key of shownBy
}

// picking is one active picker.
type picking struct {
	cancel context.CancelCauseFunc
	tab    protocol.TabID // the tab of a picker that only shows an element
	marks  chan string
	done   chan struct{} // closed when the picker has ended
}

// errPickStopped is the cause when the panel stops a picker. No PickedEvent is
// sent then.
var errPickStopped = errors.New("the panel stopped the picker")

// New returns Pickers without an active picker.
func New(cfg Config) *Pickers {
	return &Pickers{cfg: cfg, log: cfg.Logger.With("component", "picker"), on: map[string]*picking{}}
}

// Do carries out a panel's request. A start returns once the picker is on, with
// the elements that can be picked; the user's choice is published as a
// PickedEvent.
func (p *Pickers) Do(ctx context.Context, b Browser, req protocol.PickRequest) (protocol.PickReply, error) {
	none := protocol.PickReply{Elements: []protocol.PickedElement{}}
	switch req.Action {
	case protocol.PickStart:
		return p.start(ctx, b, req)
	case protocol.PickMark:
		return none, p.mark(ctx, req)
	case protocol.PickShow:
		return none, p.show(ctx, b, req)
	case protocol.PickStop:
		p.end(req.Panel)
		return none, nil
	case protocol.PickHighlight, protocol.PickScroll:
		return none, b.Highlight(ctx, req.Tab, req.Ref, req.Action == protocol.PickScroll)
	case protocol.PickBadges:
		return none, b.Badges(ctx, req.Tab, req.On)
	}
	return none, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not an action of the picker", req.Action), "use start, mark, show, stop, highlight, scroll or badges")
}

// PanelGone ends the pickers of a panel, and returns when they have ended.
func (p *Pickers) PanelGone(panel string) {
	p.end(shownBy(panel))
	p.end(panel)
}

// start starts a picker. It replaces the panel's current one.
func (p *Pickers) start(ctx context.Context, b Browser, req protocol.PickRequest) (protocol.PickReply, error) {
	if req.Panel == "" {
		return protocol.PickReply{}, protocol.NewError(protocol.CodeBadArgument, "panel is missing", "it is the name in the panel's hello")
	}
	p.end(req.Panel)
	// The picker outlives the request. The panel, the timeout or the browser ends
	// it.
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k := &picking{cancel: cancel, marks: make(chan string), done: make(chan struct{})}
	p.mu.Lock()
	p.on[req.Panel] = k
	p.mu.Unlock()
	ready := make(chan []protocol.PickedElement, 1)
	failed := make(chan error, 1)
	p.cfg.Go(func() {
		defer close(k.done)
		defer cancel(nil)
		timed, stop := context.WithTimeout(own, pickTimeout)
		defer stop()
		started := false
		element, err := b.Pick(timed, req.Tab, pick.Request{
			Ready: func(all []protocol.PickedElement) { started = true; ready <- all }, Marks: k.marks,
		})
		p.forget(req.Panel, k)
		switch {
		case !started:
			failed <- err
			return
		case errors.Is(context.Cause(own), errPickStopped):
			return
		case timed.Err() != nil:
			err = nil // nobody picked anything in time
		}
		p.cfg.Publish(protocol.PickedEvent{Type: protocol.PanelPicked, Panel: req.Panel, Tab: req.Tab, Element: element, Error: protocol.AsError(err)})
	})
	select {
	case elements := <-ready:
		if elements == nil {
			elements = []protocol.PickedElement{}
		}
		return protocol.PickReply{Elements: elements}, nil
	case err := <-failed:
		return protocol.PickReply{}, err
	case <-ctx.Done(): // the request was cancelled
		p.end(req.Panel)
		return protocol.PickReply{}, ctx.Err()
	}
}

// mark highlights one of the elements that a panel's picker offers.
func (p *Pickers) mark(ctx context.Context, req protocol.PickRequest) error {
	p.mu.Lock()
	k := p.on[req.Panel]
	p.mu.Unlock()
	if k == nil {
		return protocol.NewError(protocol.CodeGone, "the picker is not running", "start it first")
	}
	select {
	case k.marks <- req.Ref:
	case <-k.done:
	case <-ctx.Done():
	}
	return nil
}

// show highlights an element of a page while the user points at it in a
// question. The highlight ends with an empty ref, the panel, the timeout or the
// browser.
func (p *Pickers) show(ctx context.Context, b Browser, req protocol.PickRequest) error {
	if req.Panel == "" {
		return protocol.NewError(protocol.CodeBadArgument, "panel is missing", "it is the name in the panel's hello")
	}
	key := shownBy(req.Panel)
	p.mu.Lock()
	k := p.on[key]
	if req.Ref == "" || k != nil && k.tab != req.Tab {
		p.mu.Unlock()
		p.end(key)
		if req.Ref == "" {
			return nil
		}
		p.mu.Lock()
		k = p.on[key]
	}
	if k == nil {
		k = p.startShow(ctx, b, key, req.Tab)
	}
	p.mu.Unlock()
	select {
	case k.marks <- req.Ref:
	case <-k.done:
	case <-ctx.Done():
	}
	return nil
}

// shownBy returns the key of the picker that highlights what a panel's user
// points at. It differs from the key of the panel's other picker.
func shownBy(panel string) string { return "show " + panel }

// startShow starts to highlight what a panel's user points at. The caller holds
// mu.
func (p *Pickers) startShow(ctx context.Context, b Browser, key string, tab protocol.TabID) *picking {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k := &picking{cancel: cancel, tab: tab, marks: make(chan string), done: make(chan struct{})}
	p.on[key] = k
	p.cfg.Go(func() {
		defer close(k.done)
		defer cancel(nil)
		timed, stop := context.WithTimeout(own, pickTimeout)
		defer stop()
		if err := b.Show(timed, tab, k.marks); err != nil {
			p.log.Debug("showing an element ended", "error", err)
		}
		p.forget(key, k)
	})
	return k
}

// end ends a picker by its key, and returns when it has ended.
func (p *Pickers) end(panel string) {
	p.mu.Lock()
	k := p.on[panel]
	p.mu.Unlock()
	if k == nil {
		return
	}
	k.cancel(errPickStopped)
	<-k.done
}

// forget removes a picker that has ended.
func (p *Pickers) forget(panel string, k *picking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on[panel] == k {
		delete(p.on, panel)
	}
}
