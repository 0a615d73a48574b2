package session

import (
	"context"
	"sync"
)

// latch is something that happens once and that many may wait for.
type latch struct {
	c    chan struct{}
	once *sync.Once
}

func newLatch() latch { return latch{c: make(chan struct{}), once: new(sync.Once)} }

// open says that it has happened.
func (l latch) open() { l.once.Do(func() { close(l.c) }) }

// wait returns true when it has happened, false when ctx ended before.
func (l latch) wait(ctx context.Context) bool {
	select {
	case <-l.c:
		return true
	case <-ctx.Done():
		return false
	}
}
