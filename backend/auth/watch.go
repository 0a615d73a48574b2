package auth

import (
	"sync"
	"time"
)

// Status is the current state of a watched grant.
type Status struct {
	// Ended is set when the grant was revoked or has expired.
	Ended bool
	// Generation is the generation of the current token.
	Generation int
	// Grace is how long, from the moment of the call, the previous token stays
	// valid; 0 when it is not valid, or when there was none.
	Grace time.Duration
}

// Watch notifies the owner of an open socket when the grant of the socket is
// rotated or ends. Notifying never blocks.
type Watch struct {
	authority *Authority
	id        string
	wake      chan struct{}
	end       chan struct{}
	connected bool // it is of a request or a socket

	mu     sync.Mutex
	closed bool
	onEnd  func()
	status Status
	until  time.Duration // end of the grace, on the authority's clock
	expiry *time.Timer
}

// Watch starts to watch a grant. The grant may have been rotated or ended
// already, so check Status first. Close the Watch when the socket is closed.
func (a *Authority) Watch(id string) *Watch { return a.watch(id, true) }

// OnEnd calls end once when a grant ends, or now if it has ended. end must not block, and
// not call the Authority. It does not count as a connection.
func (a *Authority) OnEnd(id string, end func()) { a.watch(id, false).OnEnd(end) }

func (a *Authority) watch(id string, connected bool) *Watch {
	w := &Watch{authority: a, id: id, wake: make(chan struct{}, 1), end: make(chan struct{}), connected: connected}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	a.sweep(now)
	r := a.records[id]
	if r == nil {
		w.ended()
		return w
	}
	r.watches[w] = struct{}{}
	w.changed(r, now)
	return w
}

// Changed returns a channel that receives after every change; several changes
// may come as one. It also receives once at the start.
func (w *Watch) Changed() <-chan struct{} { return w.wake }

// Status returns the current state.
func (w *Watch) Status() Status {
	w.authority.mu.Lock()
	now := w.authority.elapsed()
	w.authority.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	status := w.status
	status.Grace = max(0, w.until-now)
	return status
}

// Close ends the watch.
func (w *Watch) Close() {
	w.authority.mu.Lock()
	if r := w.authority.records[w.id]; r != nil {
		delete(r.watches, w)
	}
	w.authority.mu.Unlock()
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.expiry != nil {
		w.expiry.Stop()
	}
}

// changed copies the record's current values. The caller holds the authority's
// lock.
func (w *Watch) changed(r *record, now time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status.Generation = r.grant.Generation
	w.until = r.previousUntil
	if w.expiry != nil {
		w.expiry.Stop()
		w.expiry = nil
	}
	if r.expires != 0 && !w.closed {
		w.expiry = time.AfterFunc(r.expires-now, w.sweep)
	}
	w.notify()
}

// sweep runs when the grant should have expired. The timer's clock and the
// authority's clock may differ a little, or much in a test; if the grant has
// not expired yet, sweep sets the timer again.
func (w *Watch) sweep() {
	a := w.authority
	a.mu.Lock()
	defer a.mu.Unlock()
	now := a.elapsed()
	a.sweep(now)
	r := a.records[w.id]
	if r == nil {
		return
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if r.expires != 0 && !w.closed {
		w.expiry = time.AfterFunc(r.expires-now, w.sweep)
	}
}

// ended notifies the owner that the grant has ended.
func (w *Watch) ended() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status.Ended {
		return
	}
	w.status.Ended = true
	close(w.end)
	if w.onEnd != nil {
		w.onEnd()
	}
	if w.expiry != nil {
		w.expiry.Stop()
	}
	w.notify()
}

func (w *Watch) notify() {
	select {
	case w.wake <- struct{}{}:
	default:
	}
}

// Ended returns a channel that is closed when the grant has ended.
func (w *Watch) Ended() <-chan struct{} { return w.end }

// OnEnd calls end once when the grant ends, or now if it has ended, until stop is called.
// end must not block, and not call the Authority.
func (w *Watch) OnEnd(end func()) (stop func()) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.status.Ended {
		end()
		return func() {}
	}
	w.onEnd = end
	return func() {
		w.mu.Lock()
		defer w.mu.Unlock()
		w.onEnd = nil
	}
}
