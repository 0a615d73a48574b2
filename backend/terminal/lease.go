package terminal

import (
	"sync"
	"time"
)

// lease measures how long a terminal has had no viewer, and calls expire when that
// exceeds the grace.
type lease struct {
	expire func()

	mu    sync.Mutex
	held  bool
	ended bool
	since time.Time // when it was released
	timer *time.Timer
}

func newLease(expire func()) *lease { return &lease{expire: expire, held: true} }

// hold stops the timer: a viewer is attached.
func (l *lease) hold() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = true
	l.stop()
}

// release starts the timer. A grace of 0 means without limit.
func (l *lease) release(grace time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held = false
	l.since = time.Now()
	l.arm(grace)
}

// renew changes the grace of a lease that is not held. The time that has already
// passed counts.
func (l *lease) renew(grace time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if !l.held {
		l.arm(grace)
	}
}

// end stops the lease for good without calling expire.
func (l *lease) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ended = true
	l.stop()
}

func (l *lease) arm(grace time.Duration) {
	l.stop()
	if l.ended || grace <= 0 {
		return
	}
	var timer *time.Timer
	timer = time.AfterFunc(time.Until(l.since.Add(grace)), func() {
		l.mu.Lock()
		// A viewer may have attached while the timer fired; then the lease has not
		// expired.
		expired := l.timer == timer && !l.held && !l.ended
		l.mu.Unlock()
		if expired {
			l.expire()
		}
	})
	l.timer = timer
}

func (l *lease) stop() {
	if l.timer != nil {
		l.timer.Stop()
		l.timer = nil
	}
}
