package auth

import (
	"context"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// failures slows down guessing: AuthFailuresPerSecond wrong tokens are answered
// at once, further ones wait for their turn, and when AuthFailureWaiters wait,
// the next is sent away. A right token never waits.
type failures struct {
	mu      sync.Mutex
	next    time.Time // when the bucket would be full again
	waiting int
}

// Failed is called after a token was found wrong, before the answer. It returns
// nil when the answer may be given, CodeBusy when too many wait already, and
// the context's error.
func (a *Authority) Failed(ctx context.Context) error {
	const interval = time.Second / protocol.AuthFailuresPerSecond
	f := &a.failures
	f.mu.Lock()
	now := a.now()
	if f.next.Before(now) {
		f.next = now
	}
	wait := f.next.Add(interval).Sub(now) - time.Second
	if wait <= 0 {
		f.next = f.next.Add(interval)
		f.mu.Unlock()
		return nil
	}
	if f.waiting >= protocol.AuthFailureWaiters {
		f.mu.Unlock()
		return protocol.NewError(protocol.CodeBusy, "too many wrong tokens", "wait a second")
	}
	f.next = f.next.Add(interval)
	f.waiting++
	f.mu.Unlock()
	defer func() {
		f.mu.Lock()
		f.waiting--
		f.mu.Unlock()
	}()
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
