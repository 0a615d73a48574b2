package server

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"net/http"
	"sync"
)

// connLimit limits the number of open connections. At the limit, a new
// connection replaces the oldest one without an authorised request. So a flood
// of silent or slow sockets cannot lock out the next caller.
type connLimit struct {
	net.Listener
	limit int
	log   *slog.Logger

	mu     sync.Mutex
	seq    uint64
	conns  map[*conn]struct{}
	closed bool
}

// conn is one connection of a connLimit.
type conn struct {
	net.Conn
	owner *connLimit
	seq   uint64
	held  int  // authorised requests in progress; guarded by owner.mu
	owed  bool // the response to an authorised request is not sent yet; guarded by owner.mu
}

// spare reports whether the connection can be closed: it has no authorised
// request and owes no response. The caller holds owner.mu.
func (c *conn) spare() bool { return c.held == 0 && !c.owed }

func newConnLimit(ln net.Listener, limit int, log *slog.Logger) *connLimit {
	return &connLimit{Listener: ln, limit: limit, log: log, conns: map[*conn]struct{}{}}
}

// Accept waits for the next connection that fits the limit.
func (l *connLimit) Accept() (net.Conn, error) {
	for {
		nc, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.admit(nc); c != nil {
			return c, nil
		}
	}
}

func (l *connLimit) admit(nc net.Conn) *conn {
	l.mu.Lock()
	var victim *conn
	if len(l.conns) >= l.limit {
		for c := range l.conns {
			if c.spare() && (victim == nil || c.seq < victim.seq) {
				victim = c
			}
		}
	}
	full := l.closed || len(l.conns) >= l.limit && victim == nil
	var c *conn
	if !full {
		delete(l.conns, victim)
		l.seq++
		c = &conn{Conn: nc, owner: l, seq: l.seq}
		l.conns[c] = struct{}{}
	}
	l.mu.Unlock()
	switch {
	case full:
		l.log.Warn("refused a connection: all places are taken", "limit", l.limit)
		_ = nc.Close() // no request has been read that could get an error
	case victim != nil:
		_ = victim.Conn.Close()
	}
	return c
}

// dropIdle closes every connection that has no authorised request and owes no
// response to one.
func (l *connLimit) dropIdle() { l.closeWhere((*conn).spare) }

// answered is the server's ConnState callback. net/http reports StateIdle when
// a response has been written: after its handler has returned, and after the
// request's context has ended.
func (l *connLimit) answered(nc net.Conn, state http.ConnState) {
	if c, ok := nc.(*conn); ok && state == http.StateIdle {
		l.mu.Lock()
		c.owed = false
		l.mu.Unlock()
	}
}

// closeAll closes every connection and refuses new ones.
func (l *connLimit) closeAll() {
	l.mu.Lock()
	l.closed = true
	l.mu.Unlock()
	l.closeWhere(func(*conn) bool { return true })
}

func (l *connLimit) closeWhere(match func(*conn) bool) {
	l.mu.Lock()
	var list []*conn
	for c := range l.conns {
		if match(c) {
			list = append(list, c)
		}
	}
	l.mu.Unlock()
	for _, c := range list {
		_ = c.Close()
	}
}

// Close closes the connection and removes it from the count.
func (c *conn) Close() error {
	c.owner.mu.Lock()
	delete(c.owner.conns, c)
	c.owner.mu.Unlock()
	if err := c.Conn.Close(); err != nil && !errors.Is(err, net.ErrClosed) {
		return err
	}
	return nil
}

// CloseWrite closes the sending side only. net/http calls it before it closes a
// connection whose request it did not read to the end; without it, a TCP reset
// would discard the response.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}

// hold protects the connection from being replaced by a new one, until release.
func (c *conn) hold() (release func()) {
	c.owner.mu.Lock()
	defer c.owner.mu.Unlock()
	c.held++
	c.owed = true
	return func() {
		c.owner.mu.Lock()
		defer c.owner.mu.Unlock()
		c.held--
	}
}

// connKey is the context key of a request's connection.
type connKey struct{}

func withConn(ctx context.Context, nc net.Conn) context.Context {
	return context.WithValue(ctx, connKey{}, nc)
}

// holdConn calls hold for the connection of a request.
func holdConn(ctx context.Context) (release func()) {
	if c, ok := ctx.Value(connKey{}).(*conn); ok {
		return c.hold()
	}
	return func() {}
}
