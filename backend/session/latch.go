package session

import (
	"context"
	"sync"
)

// latch is an event that happens once and that many goroutines may wait for.
type latch struct {
	c    chan struct{}
	once *sync.Once
}

func newLatch() latch { return latch{c: make(chan struct{}), once: new(sync.Once)} }

// open marks the event as happened.
func (l latch) open() { l.once.Do(func() { close(l.c) }) }

// wait returns true when the event has happened, false when ctx ended before.
func (l latch) wait(ctx context.Context) bool {
	select {
	case <-l.c:
		return true
	case <-ctx.Done():
		return false
	}
}
