package auth

import (
	"context"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// failures slows down guessing of tokens. AuthFailuresPerSecond wrong tokens get
// their error at once; further ones wait for it. When AuthFailureWaiters requests
// wait, the next is rejected. A valid token never waits.
type failures struct {
	mu      sync.Mutex
	next    time.Time // when the bucket would be full again
	waiting int
}

// Failed is called after a wrong token, before the response. It returns nil
// when the response may be sent, CodeBusy when too many requests wait already,
// and the cause when ctx ends.
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
