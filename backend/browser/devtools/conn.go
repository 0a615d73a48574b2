// Package devtools speaks the DevTools protocol over a browser's private pipe:
// one connection, its flat sessions, and their events in ordered queues of
// limited length. It knows nothing about pages or tabs. It is not named cdp
// because cdproto has a package of that name, whose typed commands run on its
// sessions.
package devtools

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"github.com/chromedp/cdproto"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"pilotfish/backend/protocol"
)

// ErrPipeEnded is returned by every call once the browser has closed its pipe
// or died.
var ErrPipeEnded = errors.New("the browser's pipe ended")

// ErrSessionEnded is returned by every call on a session whose target closed,
// crashed for good or was replaced.
var ErrSessionEnded = errors.New("the target's session ended")

// MethodError is the browser's error response to a command: the command, the
// protocol's error code, and the browser's message.
type MethodError struct {
	Method  string
	Code    int64
	Message string
}

// Error returns the command's method and the browser's message.
func (e *MethodError) Error() string { return e.Method + ": " + e.Message }

// Transport carries messages to a browser and back, as chromedp's pipe does. Read
// returns an error once there is nothing more to read; several goroutines may
// call Write at once.
type Transport interface {
	Read(ctx context.Context, msg *cdproto.Message) error
	Write(ctx context.Context, msg *cdproto.Message) error
	Close() error
}

// Conn multiplexes the sessions of one browser over its pipe. One goroutine
// (Serve) reads, and it never blocks on a receiver: answers go to a buffered
// channel and events to bounded queues.
type Conn struct {
	t   Transport
	log *slog.Logger
	// Root is the session of the browser itself.
	Root *Session
	// Done is closed when the pipe has ended.
	Done chan struct{}

	mu    sync.Mutex
	next  int64
	calls map[int64]*Pending
	// unread are commands that nobody waits for any more and that have no answer yet.
	unread map[int64]bool
	// judged is the first command whose answers are judged; see alarm.
	judged   int64
	alarmed  bool
	sessions map[target.SessionID]*Session
	// starting are the workers that wait for all of their sessions; see Resume.
	starting map[target.ID]*start
	// contexts are lent to other connections; nil for those that have ended.
	contexts map[cdp.BrowserContextID]*Context
	err      error
	// queues holds the queues of released subscriptions for reuse: a queue is
	// large, and each action needs three.
	queues sync.Pool
	sent   func(ctx context.Context, s *Session, params any)
}

// Pending is a command that waits for its answer.
type Pending struct {
	session *Session
	method  string
	// Reply has room for the one answer that it can receive.
	Reply chan Reply
	// relayed receives the answer in place of Reply; see Session.Relay.
	relayed func(Reply)
}

func (p *Pending) answer(r Reply) {
	if p.relayed != nil {
		p.relayed(r)
		return
	}
	p.Reply <- r
}

// Reply is the answer to a command; its Read decodes it.
type Reply struct {
	result jsonv2.Value
	err    error
}

// maxUnread bounds Conn.unread: the browser owes no answer to a command of a target
// that closed.
const maxUnread = 10_000

// New makes the connection over a pipe. log gets an alarm when somebody else seems to
// use the pipe. sent is called with each command right
// after it was written, and with the session that it went to; it may send further
// ones. nil hears of none.
func New(t Transport, log *slog.Logger, sent func(ctx context.Context, s *Session, params any)) *Conn {
	c := &Conn{
		t:        t,
		log:      log,
		sent:     sent,
		calls:    make(map[int64]*Pending),
		unread:   make(map[int64]bool),
		sessions: make(map[target.SessionID]*Session),
		starting: make(map[target.ID]*start),
		Done:     make(chan struct{}),
	}
	c.Root = NewSession(c, "", "", nil)
	c.sessions[""] = c.Root
	return c
}

// Serve reads until the pipe ends, and then fails all pending calls. It always
// returns an error.
func (c *Conn) Serve(ctx context.Context) error {
	var err error
	for {
		var msg cdproto.Message
		if err = c.t.Read(ctx, &msg); err != nil {
			break
		}
		c.dispatch(&msg) //nolint:contextcheck // what it sends for a target of others ends with the pipe
	}
	c.Fail(fmt.Errorf("%w: %w", ErrPipeEnded, err))
	return c.err
}

// Fail ends every session and every call with err. Only the first call of Fail
// has an effect.
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

// Ended reports whether the browser's pipe has ended. It is true before any session ends
// for that reason.
func (c *Conn) Ended() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err != nil
}

func (c *Conn) dispatch(msg *cdproto.Message) {
	if msg.ID != 0 {
		c.mu.Lock()
		p := c.calls[msg.ID]
		expected := p != nil || c.unread[msg.ID]
		delete(c.calls, msg.ID)
		delete(c.unread, msg.ID)
		c.mu.Unlock()
		if !expected {
			c.alarm(msg.ID)
		}
		if p == nil {
			return // its caller gave up
		}
		r := Reply{result: msg.Result}
		if msg.Error != nil {
			r.err = &MethodError{Code: msg.Error.Code, Message: msg.Error.Message}
		} else if p.method == target.GetTargets.Method && (p.session.of != nil || c.Lends()) {
			r.result = c.onlyOwn(p.session, r.result)
		}
		p.answer(r)
		return
	}
	c.mu.Lock()
	s := c.sessions[msg.SessionID]
	c.mu.Unlock()
	if s == nil || !c.passes(s, msg) {
		return
	}
	// A session must exist before its first event is read, so attachments are
	// handled here and not by a subscriber.
	switch string(msg.Method) {
	case target.AttachedToTarget.Method:
		var e target.EventAttachedToTarget
		if jsonv2.Unmarshal(msg.Params, &e) == nil && e.TargetInfo != nil {
			child := NewSession(c, e.SessionID, e.TargetInfo.TargetID, s)
			child.Address, child.of, child.whole = e.TargetInfo.URL, s.of, e.TargetInfo.Type == "browser"
			c.mu.Lock()
			// A session that was replaced would never end, and neither would its calls.
			if c.sessions[e.SessionID] == nil {
				c.sessions[e.SessionID] = child
				if s.of == nil { // else the context's connection knows who waits
					c.starts(child, &e)
				}
			}
			c.mu.Unlock()
		}
		c.publish(s, msg)
	case target.DetachedFromTarget.Method:
		c.publish(s, msg)
		var e target.EventDetachedFromTarget
		if jsonv2.Unmarshal(msg.Params, &e) == nil {
			if child := c.Session(e.SessionID); child != nil {
				c.end(child, ErrSessionEnded)
			}
		}
	default:
		c.publish(s, msg)
	}
}

// publish passes an event on to the session's subscribers, or to the connection of its context.
func (c *Conn) publish(s *Session, msg *cdproto.Message) {
	if s.of != nil {
		s.of.event(s, msg)
		return
	}
	s.Publish(string(msg.Method), msg.Params)
}

// alarm logs, once for a connection, that an answer came that no command of ours is
// waiting for: then a command of somebody else went through the pipe.
func (c *Conn) alarm(id int64) {
	c.mu.Lock()
	silent := c.alarmed || id > 0 && id < c.judged
	c.alarmed = c.alarmed || !silent
	asked := id > 0 && id <= c.next
	c.mu.Unlock()
	if silent {
		return
	}
	c.log.Error("the browser gave an answer that Pilotfish did not ask for: another program may be using the browser's pipe; quit Pilotfish and look for it",
		"answer", id, "answered_before", asked)
}

// ignore keeps a command whose answer nobody waits for; c.mu is held.
func (c *Conn) ignore(id int64) {
	if len(c.unread) >= maxUnread {
		clear(c.unread)
		c.judged = c.next + 1
	}
	c.unread[id] = true
}

// Session returns a living session, or nil.
func (c *Conn) Session(id target.SessionID) *Session {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.sessions[id]
}

// end removes a session: its calls fail at once, its subscriptions close, and the
// sessions that were attached through it end, too.
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
			c.ignore(id)
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
	c.ready(s)
	for _, p := range waiting {
		p.answer(Reply{err: reason})
	}
	for _, child := range children {
		c.end(child, reason)
	}
}

// Send writes a command and returns the Pending on which its answer will arrive.
// It fails at once when the session or the pipe has ended.
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
	id, err := c.send(ctx, s, method, params, raw, p)
	return id, p, err
}

// send writes a command whose answer p gets.
func (c *Conn) send(ctx context.Context, s *Session, method string, params any, raw jsonv2.Value, p *Pending) (int64, error) {
	if err := c.reaches(s, method, raw); err != nil {
		return 0, err
	}
	p.method = method
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return 0, c.err
	}
	if c.sessions[s.ID] != s {
		c.mu.Unlock()
		return 0, ErrSessionEnded
	}
	c.next++
	id := c.next
	c.calls[id] = p
	c.mu.Unlock()

	msg := &cdproto.Message{ID: id, SessionID: s.ID, Method: cdproto.MethodType(method), Params: raw}
	if err := c.t.Write(ctx, msg); err != nil {
		c.Forget(id)
		return 0, fmt.Errorf("%w: %w", ErrPipeEnded, err)
	}
	if c.sent != nil {
		c.sent(ctx, s, params)
	}
	return id, nil
}

// Forget drops a pending command when nothing waits for its answer any more.
func (c *Conn) Forget(id int64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.calls[id] != nil { // else it was answered meanwhile
		delete(c.calls, id)
		c.ignore(id)
	}
}

// Event is one event of a session; Decode reads its parameters.
type Event struct {
	Method string
	Params jsonv2.Value
}

// Subscription is a bounded, ordered queue of events, C. When its reader is
// protocol.BrowserEventQueue events behind, the queue is closed and Overflowed
// returns true: events are never dropped silently.
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

// Overflowed reports whether the queue was closed because its reader was too
// slow.
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

// Release ends a subscription that nothing reads any more, and keeps its queue
// for reuse.
func (b *Subscription) Release() {
	b.s.remove(b)
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true // put and end do not touch the queue from here on
	for len(b.C) > 0 {
		<-b.C
	}
	b.s.Conn.queues.Put(b.C)
}

// newSubscription returns a subscription whose queue has room for the worst burst
// of events that was observed (100 tabs opened at once), several times over.
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
