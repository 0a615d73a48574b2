// Package devtools speaks the DevTools protocol over a browser's private pipe: one
// connection, its flat sessions, and their events in ordered queues of limited
// length. It knows no page and no tab. Its name is not that of cdproto's package
// cdp, whose typed commands its sessions run.
package devtools

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/protocol"
)

// ErrPipeEnded is returned by every call once the browser has closed its pipe
// or died.
var ErrPipeEnded = errors.New("the browser's pipe ended")

// ErrSessionEnded is returned by every call on a session whose target closed,
// crashed away or was replaced.
var ErrSessionEnded = errors.New("the target's session ended")

// MethodError is an error that the browser answered a command with: the command,
// the protocol's code, and what the browser says.
type MethodError struct {
	Method  string
	Code    int64
	Message string
}

// Error names the command and repeats what the browser said.
func (e *MethodError) Error() string { return e.Method + ": " + e.Message }

// Transport carries messages to a browser and back, as chromedp's pipe does. Read
// returns an error once there is nothing more to read; Write may be called from
// several goroutines at once.
type Transport interface {
	Read(ctx context.Context, msg *cdproto.Message) error
	Write(ctx context.Context, msg *cdproto.Message) error
	Close() error
}

// Conn multiplexes the sessions of one browser over its pipe. One goroutine
// (Serve) reads; it never waits for anybody: answers go to a buffered channel
// and events to bounded queues.
type Conn struct {
	t Transport
	// Root is the session of the browser itself.
	Root *Session
	// Done is closed when the pipe has ended.
	Done chan struct{}

	mu       sync.Mutex
	next     int64
	calls    map[int64]*Pending
	sessions map[target.SessionID]*Session
	err      error
	// queues are those of subscriptions that were released. One is large, and each
	// action needs three.
	queues sync.Pool
	sent   func(ctx context.Context, s *Session, params any)
}

// Pending is a command that waits for its answer.
type Pending struct {
	session *Session
	// Reply has room for the answer, and gets one at most.
	Reply chan Reply
}

// Reply is the answer to a command; its Read decodes it.
type Reply struct {
	result jsonv2.Value
	err    error
}

// New makes the connection over a pipe. sent is called with each command right
// after it was written, and with the session that it went to; it may send further
// ones. nil hears of none.
func New(t Transport, sent func(ctx context.Context, s *Session, params any)) *Conn {
	c := &Conn{
		t:        t,
		sent:     sent,
		calls:    make(map[int64]*Pending),
		sessions: make(map[target.SessionID]*Session),
		Done:     make(chan struct{}),
	}
	c.Root = NewSession(c, "", "", nil)
	c.sessions[""] = c.Root
	return c
}

// Serve reads until the pipe ends and then fails everything that waits. It
// always returns an error.
func (c *Conn) Serve(ctx context.Context) error {
	var err error
	for {
		var msg cdproto.Message
		if err = c.t.Read(ctx, &msg); err != nil {
			break
		}
		c.dispatch(&msg)
	}
	c.Fail(fmt.Errorf("%w: %w", ErrPipeEnded, err))
	return c.err
}

// Fail ends every session and every call. Only the first reason counts.
func (c *Conn) Fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	sessions := make([]*Session, 0, len(c.sessions))
	for _, s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()
	for _, s := range sessions {
		c.end(s, err)
	}
	close(c.Done)
}

func (c *Conn) dispatch(msg *cdproto.Message) {
	if msg.ID != 0 {
		c.mu.Lock()
		p := c.calls[msg.ID]
		delete(c.calls, msg.ID)
		c.mu.Unlock()
		if p == nil {
			return // its caller gave up
		}
		r := Reply{result: msg.Result}
		if msg.Error != nil {
			r.err = &MethodError{Code: msg.Error.Code, Message: msg.Error.Message}
		}
		p.Reply <- r
		return
	}
	c.mu.Lock()
	s := c.sessions[msg.SessionID]
	c.mu.Unlock()
	if s == nil {
		return
	}
	// A session must exist before its first event is read, so attachments are
	// followed here and not by a subscriber.
	switch string(msg.Method) {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(msg.Params, &e) == nil && e.TargetInfo != nil {
			child := NewSession(c, e.SessionID, e.TargetInfo.TargetID, s)
			child.Address = e.TargetInfo.URL
			c.mu.Lock()
			c.sessions[e.SessionID] = child
			c.mu.Unlock()
		}
		s.Publish(string(msg.Method), msg.Params)
	case target.DetachedFromTarget.Method:
		s.Publish(string(msg.Method), msg.Params)
		var e target.EventDetachedFromTarget
		if jsonv2.Unmarshal(msg.Params, &e) == nil {
			if child := c.Session(e.SessionID); child != nil {
				c.end(child, ErrSessionEnded)
			}
		}
	default:
		s.Publish(string(msg.Method), msg.Params)
	}
}

// Session returns a living session, or nil.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// end forgets a session: its calls fail at once, its subscriptions close, and
// so do the sessions that were attached through it.
func (c *Conn) end(s *Session, reason error) {
	c.mu.Lock()
	if c.sessions[s.ID] == s {
		delete(c.sessions, s.ID)
	}
	var waiting []*Pending
	for id, p := range c.calls {
		if p.session == s {
			waiting = append(waiting, p)
			delete(c.calls, id)
		}
	}
	var children []*Session
	for _, other := range c.sessions {
		if other.Parent == s {
			children = append(children, other)
		}
	}
	c.mu.Unlock()
	s.close(reason)
	for _, p := range waiting {
		p.Reply <- Reply{err: reason}
	}
	for _, child := range children {
		c.end(child, reason)
	}
}

// Send writes a command and returns where its answer will arrive. It fails at
// once when the session or the pipe has ended.
func (c *Conn) Send(ctx context.Context, s *Session, method string, params any) (int64, *Pending, error) {
	var raw jsonv2.Value
	if params != nil {
		b, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
		if err != nil {
			return 0, nil, fmt.Errorf("encoding %s: %w", method, err)
		}
		raw = b
	}
	p := &Pending{session: s, Reply: make(chan Reply, 1)}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return 0, nil, c.err
	}
	if c.sessions[s.ID] != s {
		c.mu.Unlock()
		return 0, nil, ErrSessionEnded
	}
	c.next++
	id := c.next
	c.calls[id] = p
	c.mu.Unlock()

	msg := &cdproto.Message{ID: id, SessionID: s.ID, Method: cdproto.MethodType(method), Params: raw}
	if err := c.t.Write(ctx, msg); err != nil {
		c.Forget(id)
		return 0, nil, fmt.Errorf("%w: %w", ErrPipeEnded, err)
	}
	if c.sent != nil {
		c.sent(ctx, s, params)
	}
	return id, p, nil
}

// Forget drops a command that nobody waits for any more.
func (c *Conn) Forget(id int64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

// Event is one event of a session; Decode reads its parameters.
type Event struct {
	Method string
	Params jsonv2.Value
}

// Subscription is a bounded, ordered queue of events, C. When its reader falls
// protocol.BrowserEventQueue events behind it is closed, and Overflowed says so:
// a gap is never silent.
type Subscription struct {
	C    chan Event
	s    *Session
	want map[string]bool // nil: every method

	mu     sync.Mutex
	closed bool
	lost   bool
}

func (b *Subscription) put(e Event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	select {
	case b.C <- e:
	default:
		b.lost, b.closed = true, true
		close(b.C)
	}
}

func (b *Subscription) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.C)
	}
}

// Overflowed says whether the queue was closed because its reader was too slow.
func (b *Subscription) Overflowed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

// Cancel ends the subscription.
func (b *Subscription) Cancel() {
	b.s.remove(b)
	b.end()
}

// Release ends a subscription that nobody reads any more. Its queue is used again.
func (b *Subscription) Release() {
	b.s.remove(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true // put and end leave the queue alone from here on
	for len(b.C) > 0 {
		<-b.C
	}
	b.s.Conn.queues.Put(b.C)
}

// newSubscription has room for the events of the worst burst that was seen
// (100 tabs opened at once), several times over.
func newSubscription(s *Session, methods []string) *Subscription {
	queue, free := s.Conn.queues.Get().(chan Event)
	if !free {
		queue = make(chan Event, protocol.BrowserEventQueue)
	}
	b := &Subscription{C: queue, s: s}
	if len(methods) > 0 {
		b.want = make(map[string]bool, len(methods))
		for _, m := range methods {
			b.want[m] = true
		}
	}
	return b
}
