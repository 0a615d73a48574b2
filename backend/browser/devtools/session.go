package devtools

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"
)

// Session is one flat session: the browser's own (empty id) or that of a target.
// It implements cdp.Session, so that cdproto's typed commands run on it.
type Session struct {
	Conn   *Conn
	ID     target.SessionID
	Target target.ID
	// Address is the URL of the target when it was attached.
	Address string
	// Parent is the session through which this one was attached; nil for the browser's own.
	Parent *Session
	// Done is closed when the session ends.
	Done chan struct{}

	// of is the context that has the session; nil for one of the connection's own.
	of *Context
	// whole: it is another session of the browser itself.
	whole bool

	mu     sync.Mutex
	subs   []*Subscription
	hook   func(Event)
	reason error
}

var _ cdp.Session = (*Session)(nil)

// NewSession returns a session that the browser has reported as attached.
func NewSession(c *Conn, id target.SessionID, t target.ID, parent *Session) *Session {
	return &Session{Conn: c, ID: id, Target: t, Parent: parent, Done: make(chan struct{})}
}

// Ended reports whether the session has ended: its target closed, crashed for
// good or was replaced, or the pipe ended.
func (s *Session) Ended() bool {
	select {
	case <-s.Done:
		return true
	default:
		return false
	}
}

// Call sends a command and waits until its answer arrives, the session ends or
// ctx ends, whichever is first.
func (s *Session) Call(ctx context.Context, method string, params, result any) error {
	id, p, err := s.Conn.Send(ctx, s, method, params)
	if err != nil {
		return err
	}
	return s.Await(ctx, method, id, p, result)
}

// Relay sends a command of another program. params is its JSON, which is passed on as it
// is. The connection's reader calls answer once, in the order of the session's events, with
// the JSON of the result or with a *MethodError or why the session ended. answer must not
// block. typed is what New's sent gets: params as a type of cdproto, or nil.
func (s *Session) Relay(ctx context.Context, method string, params jsonv2.Value, typed any, answer func(result jsonv2.Value, err error)) error {
	_, err := s.Conn.send(ctx, s, method, typed, params, &Pending{session: s, relayed: func(r Reply) {
		answer(r.result, r.Read(method, nil))
	}})
	return err
}

// Await waits for the answer to a command that Conn.Send has sent, as Call does.
func (s *Session) Await(ctx context.Context, method string, id int64, p *Pending, result any) error {
	select {
	case r := <-p.Reply:
		return r.Read(method, result)
	case <-ctx.Done():
		s.Conn.Forget(id)
		return ctx.Err()
	}
}

// Read decodes the answer to a command into result.
func (r Reply) Read(method string, result any) error {
	if r.err != nil {
		if e, ok := errors.AsType[*MethodError](r.err); ok {
			e.Method = method
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

// Post sends a command and does not wait for its answer. The browser runs the
// commands of a session in order, so a later command sees its effect.
func (s *Session) Post(ctx context.Context, method string, params any) error {
	_, _, err := s.Conn.Send(ctx, s, method, params) // the answer goes to a buffered channel
	return err
}

// Post is Session.Post for one of cdproto's typed commands.
func Post[P, R any](ctx context.Context, s *Session, c cdp.Command[P, R], params P) error {
	return s.Post(ctx, c.Method, params)
}

// Subscribe implements cdp.Session: it subscribes to one method.
func (s *Session) Subscribe(method string) (events <-chan jsonv2.Value, cancel func()) {
	sub := s.Events(method)
	out := make(chan jsonv2.Value)
	stop := make(chan struct{})
	var once sync.Once
	go func() {
		defer close(out)
		for e := range sub.C {
			select {
			case out <- e.Params:
			case <-stop:
				return
			}
		}
	}()
	return out, func() {
		once.Do(func() { close(stop); sub.Cancel() })
	}
}

// Events subscribes to several methods in one ordered queue, or to all methods
// when none is named. On a session that has ended, the queue is closed.
func (s *Session) Events(methods ...string) *Subscription {
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

// Follow makes the connection's reader call f with every event of the session, so
// that f has seen all events that preceded an answer before that answer is
// delivered. f must not block.
func (s *Session) Follow(f func(Event)) {
	s.mu.Lock()
	s.hook = f
	s.mu.Unlock()
}

func (s *Session) remove(b *Subscription) {
	s.mu.Lock()
	defer s.mu.Unlock()
	// This makes a new slice, because the reader may be iterating over the old
	// one.
	s.subs = slices.DeleteFunc(slices.Clone(s.subs), func(o *Subscription) bool { return o == b })
}

// Publish passes an event to the hook and the subscribers. The connection's
// reader calls it, and watch.Keeper.CatchUp with a marker of its own.
func (s *Session) Publish(method string, params jsonv2.Value) {
	s.mu.Lock()
	subs, hook := s.subs, s.hook
	s.mu.Unlock()
	if hook != nil {
		hook(Event{Method: method, Params: params})
	}
	for _, b := range subs {
		if b.want == nil || b.want[method] {
			b.put(Event{Method: method, Params: params})
		}
	}
}

// close ends the session's subscriptions; later calls return reason.
func (s *Session) close(reason error) {
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
	close(s.Done)
}

// Attach opens a flat session to a target.
func (c *Conn) Attach(ctx context.Context, id target.ID) (*Session, error) {
	flat := true
	res, err := cdp.Call(ctx, c.Root, target.AttachToTarget, target.AttachToTargetParams{TargetID: id, Flatten: &flat})
	if err != nil {
		return nil, err
	}
	if s := c.Session(res.SessionID); s != nil {
		return s, nil
	}
	return nil, ErrSessionEnded
}

// AttachBrowser opens another session to the browser itself, with auto-attach
// settings of its own.
func (c *Conn) AttachBrowser(ctx context.Context) (*Session, error) {
	res, err := cdp.Call(ctx, c.Root, target.AttachToBrowserTarget, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if s := c.Session(res.SessionID); s != nil {
		return s, nil
	}
	return nil, ErrSessionEnded
}

// Decode decodes an event's parameters. ok is false when they do not match this
// version of the protocol; the caller then ignores the event.
func Decode[E any](e Event, _ cdp.Event[E]) (v E, ok bool) {
	err := jsonv2.Unmarshal(e.Params, &v, chromedp.DefaultUnmarshalOptions)
	return v, err == nil
}
