package hub

import (
	"context"
	"sync"
	"time"
)

// Use counts what is running and records when the last one began or ended. Its zero
// value is ready, and its methods are safe for concurrent use.
type Use struct {
	mu      sync.Mutex
	running int
	last    time.Time
	changed chan struct{} // closed at the next change; nil when nobody waits
}

// Begin adds one that runs. The returned function removes it.
func (u *Use) Begin() (end func()) {
	u.count(1)
	return func() { u.count(-1) }
}

func (u *Use) count(by int) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.running += by
	u.last = time.Now()
	if u.changed != nil {
		close(u.changed)
		u.changed = nil
	}
}

// left returns how long there must be no activity until idle is reached, and a
// channel that is closed at the next activity. The duration is negative while
// something runs.
func (u *Use) left(idle time.Duration, since time.Time) (time.Duration, <-chan struct{}) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.changed == nil {
		u.changed = make(chan struct{})
	}
	if u.running > 0 {
		return -1, u.changed
	}
	last := u.last
	if last.Before(since) {
		last = since
	}
	return max(0, idle-time.Since(last)), u.changed
}

// WaitIdle returns when nothing has run for idle, or with the error of ctx.
func (u *Use) WaitIdle(ctx context.Context, idle time.Duration) error {
	since := time.Now()
	for {
		left, changed := u.left(idle, since)
		if left == 0 {
			return nil
		}
		// A timer that is not needed any more is left to the garbage collector.
		var over <-chan time.Time
		if left > 0 {
			over = time.After(left)
		}
		select {
		case <-changed:
		case <-over:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
