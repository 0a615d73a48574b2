package browser

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

// errPipeEnded is returned by every call once the browser has closed its pipe
// or died.
var errPipeEnded = errors.New("the browser's pipe ended")

// errSessionEnded is returned by every call on a session whose target closed,
// crashed away or was replaced.
var errSessionEnded = errors.New("the target's session ended")

// methodError is an error that the browser answered a command with.
type methodError struct {
	method  string
	code    int64
	message string
}

// Error names the command and repeats what the browser said.
func (e *methodError) Error() string { return e.method + ": " + e.message }

// transport is what conn needs of chromedp's pipe.
type transport interface {
	Read(ctx context.Context, msg *cdproto.Message) error
	Write(ctx context.Context, msg *cdproto.Message) error
	Close() error
}

// conn multiplexes the sessions of one browser over its pipe. One goroutine
// (serve) reads; it never waits for anybody: answers go to a buffered channel
// and events to bounded queues.
type conn struct {
	t    transport
	root *session

	mu       sync.Mutex
	next     int64
	calls    map[int64]*pending
	sessions map[target.SessionID]*session
	err      error
	done     chan struct{}
	// queues are those of subscriptions that were released. One is large, and each
	// action needs three.
	queues sync.Pool

	keyboard keyboard
}

// pending is a command that waits for its answer.
type pending struct {
	session *session
	reply   chan reply // buffered, written at most once
}

type reply struct {
	result jsonv2.Value
	err    error
}

func newConn(t transport) *conn {
	c := &conn{
		t:        t,
		calls:    make(map[int64]*pending),
		sessions: make(map[target.SessionID]*session),
		done:     make(chan struct{}),
	}
	c.root = newSession(c, "", "", "browser", nil)
	c.sessions[""] = c.root
	return c
}

// serve reads until the pipe ends and then fails everything that waits. It
// always returns an error.
func (c *conn) serve(ctx context.Context) error {
	var err error
	for {
		var msg cdproto.Message
		if err = c.t.Read(ctx, &msg); err != nil {
			break
		}
		c.dispatch(&msg)
	}
	c.fail(fmt.Errorf("%w: %w", errPipeEnded, err))
	return c.err
}

// fail ends every session and every call. Only the first reason counts.
func (c *conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = err
	sessions := make([]*session, 0, len(c.sessions))
	for _, s := range c.sessions {
		sessions = append(sessions, s)
	}
	c.mu.Unlock()
	for _, s := range sessions {
		c.end(s, err)
	}
	close(c.done)
}

func (c *conn) dispatch(msg *cdproto.Message) {
	if msg.ID != 0 {
		c.mu.Lock()
		p := c.calls[msg.ID]
		delete(c.calls, msg.ID)
		c.mu.Unlock()
		if p == nil {
			return // its caller gave up
		}
		r := reply{result: msg.Result}
		if msg.Error != nil {
			r.err = &methodError{code: msg.Error.Code, message: msg.Error.Message}
		}
		p.reply <- r
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
			child := newSession(c, e.SessionID, e.TargetInfo.TargetID, e.TargetInfo.Type, s)
			child.address = e.TargetInfo.URL
			c.mu.Lock()
			c.sessions[e.SessionID] = child
			c.mu.Unlock()
		}
		s.publish(string(msg.Method), msg.Params)
	case target.DetachedFromTarget.Method:
		s.publish(string(msg.Method), msg.Params)
		var e target.EventDetachedFromTarget
		if jsonv2.Unmarshal(msg.Params, &e) == nil {
			if child := c.session(e.SessionID); child != nil {
				c.end(child, errSessionEnded)
			}
		}
	default:
		s.publish(string(msg.Method), msg.Params)
	}
}

// session returns a living session, or nil.
func (c *conn) session(id target.SessionID) *session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// end forgets a session: its calls fail at once, its subscriptions close, and
// so do the sessions that were attached through it.
func (c *conn) end(s *session, reason error) {
	c.mu.Lock()
	if c.sessions[s.id] == s {
		delete(c.sessions, s.id)
	}
	var waiting []*pending
	for id, p := range c.calls {
		if p.session == s {
			waiting = append(waiting, p)
			delete(c.calls, id)
		}
	}
	var children []*session
	for _, other := range c.sessions {
		if other.parent == s {
			children = append(children, other)
		}
	}
	c.mu.Unlock()
	s.close(reason)
	for _, p := range waiting {
		p.reply <- reply{err: reason}
	}
	for _, child := range children {
		c.end(child, reason)
	}
}

// send writes a command and returns where its answer will arrive. It fails at
// once when the session or the pipe has ended.
func (c *conn) send(ctx context.Context, s *session, method string, params any) (int64, *pending, error) {
	var raw jsonv2.Value
	if params != nil {
		b, err := jsonv2.Marshal(params, chromedp.DefaultMarshalOptions)
		if err != nil {
			return 0, nil, fmt.Errorf("encoding %s: %w", method, err)
		}
		raw = b
	}
	p := &pending{session: s, reply: make(chan reply, 1)}
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return 0, nil, c.err
	}
	if c.sessions[s.id] != s {
		c.mu.Unlock()
		return 0, nil, errSessionEnded
	}
	c.next++
	id := c.next
	c.calls[id] = p
	c.mu.Unlock()

	msg := &cdproto.Message{ID: id, SessionID: s.id, Method: cdproto.MethodType(method), Params: raw}
	if err := c.t.Write(ctx, msg); err != nil {
		c.forget(id)
		return 0, nil, fmt.Errorf("%w: %w", errPipeEnded, err)
	}
	if takesFocus(params) {
		if panel := c.keyboard.at(); panel != nil && panel.session != s {
			giveBack(ctx, panel)
		}
	}
	return id, p, nil
}

func (c *conn) forget(id int64) {
	c.mu.Lock()
	delete(c.calls, id)
	c.mu.Unlock()
}

// event is one event of a session.
type event struct {
	method string
	params jsonv2.Value
}

// subscription is a bounded, ordered queue of events. When its reader falls
// protocol.BrowserEventQueue events behind it is closed, and lost says so:
// a gap is never silent.
type subscription struct {
	c    chan event
	s    *session
	want map[string]bool // nil: every method

	mu     sync.Mutex
	closed bool
	lost   bool
}

func (b *subscription) put(e event) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	select {
	case b.c <- e:
	default:
		b.lost, b.closed = true, true
		close(b.c)
	}
}

func (b *subscription) end() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.closed {
		b.closed = true
		close(b.c)
	}
}

// overflowed says whether the queue was closed because its reader was too slow.
func (b *subscription) overflowed() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.lost
}

// cancel ends the subscription.
func (b *subscription) cancel() {
	b.s.remove(b)
	b.end()
}

// release ends a subscription that nobody reads any more. Its queue is used again.
func (b *subscription) release() {
	b.s.remove(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true // put and end leave the queue alone from here on
	for len(b.c) > 0 {
		<-b.c
	}
	b.s.c.queues.Put(b.c)
}

// newSubscription has room for the events of the worst burst that was seen
// (100 tabs opened at once), several times over.
func newSubscription(s *session, methods []string) *subscription {
	queue, free := s.c.queues.Get().(chan event)
	if !free {
		queue = make(chan event, protocol.BrowserEventQueue)
	}
	b := &subscription{c: queue, s: s}
	if len(methods) > 0 {
		b.want = make(map[string]bool, len(methods))
		for _, m := range methods {
			b.want[m] = true
		}
	}
	return b
}
