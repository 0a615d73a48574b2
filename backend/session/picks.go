package session

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/browser"
	"pilotfish/backend/protocol"
)

// picks are the pickers that are on, by the panel whose person picks.
type picks struct {
	mu sync.Mutex
	on map[string]*picking
}

// picking is one of them.
type picking struct {
	cancel context.CancelCauseFunc
	tab    protocol.TabID // of what is only shown
	marks  chan string
	done   chan struct{} // closed when the picker is off
}

// errPickStopped ends a picker on its panel's word, which needs no answer.
var errPickStopped = errors.New("the panel stopped the picker")

// Pick lets the person at a panel pick an element of a tab's page. It returns
// once the picker is on, with what can be picked; what was picked comes as an
// event.
func (m *Manager) Pick(ctx context.Context, grant auth.Grant, req protocol.PickRequest) (protocol.PickReply, error) {
	none := protocol.PickReply{Elements: []protocol.PickedElement{}}
	s, err := m.Session(grant.Session)
	if err != nil {
		return none, err
	}
	r, err := s.current()
	if err != nil {
		return none, err
	}
	switch req.Action {
	case protocol.PickStart:
		return s.startPick(ctx, r, req)
	case protocol.PickMark:
		return none, s.markPick(ctx, req)
	case protocol.PickShow:
		return none, s.showElement(ctx, r, req)
	case protocol.PickStop:
		s.endPick(req.Panel)
		return none, nil
	}
	return none, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.40q is not an action of the picker", req.Action), "use start, mark, show or stop")
}

// startPick switches a picker on in place of the one that the panel has.
func (s *Session) startPick(ctx context.Context, r *run, req protocol.PickRequest) (protocol.PickReply, error) {
	if req.Panel == "" {
		return protocol.PickReply{}, protocol.NewError(protocol.CodeBadArgument, "panel is missing", "it is the name in the panel's hello")
	}
	s.endPick(req.Panel)
	// It outlives the request; the panel, its time and the browser end it.
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k := &picking{cancel: cancel, marks: make(chan string), done: make(chan struct{})}
	s.picks.mu.Lock()
	if s.picks.on == nil {
		s.picks.on = map[string]*picking{}
	}
	s.picks.on[req.Panel] = k
	s.picks.mu.Unlock()
	ready := make(chan []protocol.PickedElement, 1)
	failed := make(chan error, 1)
	s.m.running.Go(func() {
		defer close(k.done)
		defer cancel(nil)
		timed, stop := context.WithTimeout(own, pickTimeout)
		defer stop()
		started := false
		element, err := r.browser.Pick(timed, req.Tab, browser.PickConfig{
			Ready: func(all []protocol.PickedElement) { started = true; ready <- all }, Marks: k.marks,
		})
		s.forgetPick(req.Panel, k)
		switch {
		case !started:
			failed <- err
			return
		case errors.Is(context.Cause(own), errPickStopped):
			return
		case timed.Err() != nil:
			err = nil // nobody picked anything in time
		}
		s.events.Publish(protocol.PickedEvent{Type: protocol.PanelPicked, Panel: req.Panel, Tab: req.Tab, Element: element, Error: protocol.AsError(err)})
	})
	select {
	case elements := <-ready:
		if elements == nil {
			elements = []protocol.PickedElement{}
		}
		return protocol.PickReply{Elements: elements}, nil
	case err := <-failed:
		return protocol.PickReply{}, err
	case <-ctx.Done(): // nobody waits for it any more
		s.endPick(req.Panel)
		return protocol.PickReply{}, ctx.Err()
	}
}

// markPick shows an element of what a panel's picker can pick.
func (s *Session) markPick(ctx context.Context, req protocol.PickRequest) error {
	s.picks.mu.Lock()
	k := s.picks.on[req.Panel]
	s.picks.mu.Unlock()
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

// showElement marks an element of a page while the person points at it in a question.
// The mark ends with an empty ref, the panel, its time or the browser.
func (s *Session) showElement(ctx context.Context, r *run, req protocol.PickRequest) error {
	if req.Panel == "" {
		return protocol.NewError(protocol.CodeBadArgument, "panel is missing", "it is the name in the panel's hello")
	}
	key := shownBy(req.Panel)
	s.picks.mu.Lock()
	k := s.picks.on[key]
	if req.Ref == "" || k != nil && k.tab != req.Tab {
		s.picks.mu.Unlock()
		s.endPick(key)
		if req.Ref == "" {
			return nil
		}
		s.picks.mu.Lock()
		k = s.picks.on[key]
	}
	if k == nil {
		k = s.startShow(ctx, r, key, req.Tab)
	}
	s.picks.mu.Unlock()
	select {
	case k.marks <- req.Ref:
	case <-k.done:
	case <-ctx.Done():
	}
	return nil
}

// shownBy is the key of what a panel shows, apart from what its person picks.
func shownBy(panel string) string { return "show " + panel }

// startShow begins to show what a panel points at; the caller holds picks.mu.
func (s *Session) startShow(ctx context.Context, r *run, key string, tab protocol.TabID) *picking {
	own, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	k := &picking{cancel: cancel, tab: tab, marks: make(chan string), done: make(chan struct{})}
	if s.picks.on == nil {
		s.picks.on = map[string]*picking{}
	}
	s.picks.on[key] = k
	s.m.running.Go(func() {
		defer close(k.done)
		defer cancel(nil)
		timed, stop := context.WithTimeout(own, pickTimeout)
		defer stop()
		if err := r.browser.Show(timed, tab, k.marks); err != nil {
			s.m.log.Debug("showing an element ended", "error", err)
		}
		s.forgetPick(key, k)
	})
	return k
}

// endPick ends a panel's picker, and returns when it is off.
func (s *Session) endPick(panel string) {
	s.picks.mu.Lock()
	k := s.picks.on[panel]
	s.picks.mu.Unlock()
	if k == nil {
		return
	}
	k.cancel(errPickStopped)
	<-k.done
}

// forgetPick forgets a picker that is off.
func (s *Session) forgetPick(panel string, k *picking) {
	s.picks.mu.Lock()
	defer s.picks.mu.Unlock()
	if s.picks.on[panel] == k {
		delete(s.picks.on, panel)
	}
}
