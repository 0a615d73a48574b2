package browser

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// session is one flat session: the browser's own (empty id) or one of a
// target. It implements cdp.Session, so that cdproto's typed commands work on
// it.
type session struct {
	c      *conn
	id     target.SessionID
	target target.ID
	kind   string
	// address is where the target was when it was attached.
	address string
	parent  *session
	done    chan struct{}

	mu     sync.Mutex
	subs   []*subscription
	hook   func(event)
	reason error
}

var _ cdp.Session = (*session)(nil)

func newSession(c *conn, id target.SessionID, t target.ID, kind string, parent *session) *session {
	return &session{c: c, id: id, target: t, kind: kind, parent: parent, done: make(chan struct{})}
}

// Call sends a command and waits for its answer, the end of the session or of
// ctx, whichever is first.
func (s *session) Call(ctx context.Context, method string, params, result any) error {
	id, p, err := s.c.send(ctx, s, method, params)
	if err != nil {
		return err
	}
	return s.await(ctx, method, id, p, result)
}

func (s *session) await(ctx context.Context, method string, id int64, p *pending, result any) error {
	select {
	case r := <-p.reply:
		return r.read(method, result)
	case <-ctx.Done():
		s.c.forget(id)
		return ctx.Err()
	}
}

// read reads the answer to a command.
func (r reply) read(method string, result any) error {
	if r.err != nil {
		if e, ok := errors.AsType[*methodError](r.err); ok {
			e.method = method
		}
		return r.err
	}
	if result == nil || len(r.result) == 0 {
		return nil
	}
	if err := jsonv2.Unmarshal(r.result, result, chromedp.DefaultUnmarshalOptions); err != nil {
		return fmt.Errorf("decoding %s: %w", method, err)
	}
	return nil
}

// post sends a command whose answer nobody waits for. The browser works
// through the commands of a session in order, so what follows finds it done.
func (s *session) post(ctx context.Context, method string, params any) error {
	id, _, err := s.c.send(ctx, s, method, params)
	if err == nil {
		_ = id // the answer goes to the buffered channel and is dropped
	}
	return err
}

// postCommand is post for one of cdproto's typed commands.
func postCommand[P, R any](ctx context.Context, s *session, c cdp.Command[P, R], params P) error {
	return s.post(ctx, c.Method, params)
}

// Subscribe is cdp.Session's subscription to one method.
func (s *session) Subscribe(method string) (events <-chan jsonv2.Value, cancel func()) {
	sub := s.events(method)
	out := make(chan jsonv2.Value)
	stop := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(out)
		for e := range sub.c {
			select {
			case out <- e.params:
			case <-stop:
				return
			}
		}
	}()
	return out, func() {
		once.Do(func() { close(stop); sub.cancel() })
	}
}

// events subscribes to several methods in one ordered queue; to all of them
// when none is named. On a session that has ended the queue is closed.
func (s *session) events(methods ...string) *subscription {
	b := newSubscription(s, methods)
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.reason != nil {
		b.end()
		return b
	}
	s.subs = append(s.subs, b)
	return b
}

// follow calls f with every event of the session from the reader itself: what
// f keeps is never behind an answer. f must not wait.
func (s *session) follow(f func(event)) {
	s.mu.Lock()
	s.hook = f
	s.mu.Unlock()
}

func (s *session) remove(b *subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// A new slice: the reader may be walking through the old one.
	s.subs = slices.DeleteFunc(slices.Clone(s.subs), func(o *subscription) bool { return o == b })
}

// publish hands an event to the subscribers; called by the reader only.
func (s *session) publish(method string, params jsonv2.Value) {
	s.mu.Lock()
	subs, hook := s.subs, s.hook
	s.mu.Unlock()
	if hook != nil {
		hook(event{method: method, params: params})
	}
	for _, b := range subs {
		if b.want == nil || b.want[method] {
			b.put(event{method: method, params: params})
		}
	}
}

// close ends the session's subscriptions; later calls answer reason.
func (s *session) close(reason error) {
	s.mu.Lock()
	if s.reason != nil {
		s.mu.Unlock()
		return
	}
	s.reason = reason
	subs := s.subs
	s.subs = nil
	s.mu.Unlock()
	for _, b := range subs {
		b.end()
	}
	close(s.done)
}

// attach opens a flat session to a target.
func (c *conn) attach(ctx context.Context, id target.ID) (*session, error) {
	flat := true
	res, err := cdp.Call(ctx, c.root, target.AttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &flat})
	if err != nil {
		return nil, err
	}
	if s := c.session(res.SessionID); s != nil {
		return s, nil
	}
	return nil, errSessionEnded
}

// attachBrowser opens another session to the browser itself, whose automatic
// attaching is its own.
func (c *conn) attachBrowser(ctx context.Context) (*session, error) {
	res, err := cdp.Call(ctx, c.root, target.AttachToBrowserTarget, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if s := c.session(res.SessionID); s != nil {
		return s, nil
	}
	return nil, errSessionEnded
}

// letGo ends a session that the browser opened by itself, and what it attached to
// goes on.
func letGo(ctx context.Context, s *session) {
	_ = postCommand(ctx, s, runtime.RunIfWaitingForDebugger, cdp.Empty{})
	_ = postCommand(ctx, s.parent, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.id})
}

// decode reads an event's parameters; ok is false when they are not what this
// version of the protocol says, which ends nothing but that event.
func decode[E any](e event, _ cdp.Event[E]) (v E, ok bool) {
	err := jsonv2.Unmarshal(e.params, &v, chromedp.DefaultUnmarshalOptions)
	return v, err == nil
}
