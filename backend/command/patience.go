package command

import (
	"context"
	"sync"
	"time"
)

// patience is a context with a deadline that does not come nearer while the user
// is asked.
type patience struct {
	context.Context
	done chan struct{}

	mu    sync.Mutex
	err   error
	until time.Time
	timer *time.Timer
	holds int           // questions that wait
	left  time.Duration // until the deadline, while questions wait
}

// newPatience returns a context that ends after a time, without the time between
// hold and release, or when parent ends. Call cancel when it is no longer needed.
func newPatience(parent context.Context, d time.Duration) (p *patience, cancel func()) {
	p = &patience{Context: parent, done: make(chan struct{}), until: time.Now().Add(d)}
	p.timer = time.AfterFunc(d, func() { p.end(context.DeadlineExceeded) })
	stop := context.AfterFunc(parent, func() { p.end(parent.Err()) })
	return p, func() {
		stop()
		p.end(context.Canceled)
	}
}

func (p *patience) end(why error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.err != nil || why == context.DeadlineExceeded && p.holds > 0 { //nolint:errorlint // the context's own
		return
	}
	p.err = why
	p.timer.Stop()
	close(p.done)
}

// hold stops the time until release is called as often.
func (p *patience) hold() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds++; p.holds == 1 {
		p.timer.Stop()
		p.left = time.Until(p.until)
	}
}

func (p *patience) release() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds--; p.holds == 0 && p.err == nil {
		p.until = time.Now().Add(p.left)
		p.timer.Reset(p.left)
	}
}

// Deadline returns the deadline as it is now.
func (p *patience) Deadline() (time.Time, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.holds > 0 {
		return time.Now().Add(p.left), true
	}
	return p.until, true
}

// Done returns a channel that is closed when the context ends.
func (p *patience) Done() <-chan struct{} { return p.done }

// Err returns why the context has ended; nil before that.
func (p *patience) Err() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.err
}
