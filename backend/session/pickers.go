package session

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"pilotfish/backend/browser/pick"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// pickTimeout is how long the picker waits for a user to pick an element of a
// page.
const pickTimeout = 2 * time.Minute

// pickerBrowser is the part of the browser that pickers use.
type pickerBrowser interface {
	Pick(ctx context.Context, tab protocol.TabID, c pick.Request) (*protocol.PickedElement, error)
	Show(ctx context.Context, tab protocol.TabID, marks <-chan string) error
	Highlight(ctx context.Context, tab protocol.TabID, ref string, scroll bool) error
	Badges(ctx context.Context, tab protocol.TabID, on bool) error
}

// pickers are the active element pickers of a session: one for each panel whose user
// picks an element of a page, and one for each panel whose user points at an element that
// a question names. The browser draws them. Its methods are safe for concurrent use.
type pickers struct {
	events  *hub.Hub[any]   // for the panels
	running *sync.WaitGroup // the app waits for it when it ends
	log     *slog.Logger

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

func newPickers(events *hub.Hub[any], running *sync.WaitGroup, log *slog.Logger) *pickers {
	return &pickers{events: events, running: running, log: log.With("component", "picker"), on: map[string]*picking{}}
}

// Do carries out a panel's request. A start returns once the picker is on, with
// the elements that can be picked; the user's choice is published as a
// PickedEvent.
func (p *pickers) Do(ctx context.Context, b pickerBrowser, req protocol.PickRequest) (protocol.PickReply, error) {
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
func (p *pickers) PanelGone(panel string) {
	p.end(shownBy(panel))
	p.end(panel)
}

// start starts a picker. It replaces the panel's current one.
func (p *pickers) start(ctx context.Context, b pickerBrowser, req protocol.PickRequest) (protocol.PickReply, error) {
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
	p.running.Go(func() {
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
		p.events.Publish(protocol.PickedEvent{Type: protocol.PanelPicked, Panel: req.Panel, Tab: req.Tab, Element: element, Error: protocol.AsError(err)})
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
func (p *pickers) mark(ctx context.Context, req protocol.PickRequest) error {
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
func (p *pickers) show(ctx context.Context, b pickerBrowser, req protocol.PickRequest) error {
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
func (p *pickers) startShow(ctx context.Context, b pickerBrowser, key string, tab protocol.TabID) *picking {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k := &picking{cancel: cancel, tab: tab, marks: make(chan string), done: make(chan struct{})}
	p.on[key] = k
	p.running.Go(func() {
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
func (p *pickers) end(panel string) {
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
func (p *pickers) forget(panel string, k *picking) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.on[panel] == k {
		delete(p.on, panel)
	}
}
