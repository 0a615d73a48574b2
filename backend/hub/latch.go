package hub

import (
	"context"
	"sync"
)

// Latch is an event that happens once and that many goroutines may wait for.
type Latch struct {
	c    chan struct{}
	once *sync.Once
}

// NewLatch returns the latch of an event that has not happened.
func NewLatch() Latch { return Latch{c: make(chan struct{}), once: new(sync.Once)} }

// Open marks the event as happened.
func (l Latch) Open() { l.once.Do(func() { close(l.c) }) }

// Wait returns true when the event has happened, false when ctx ended before.
func (l Latch) Wait(ctx context.Context) bool {
	select {
	case <-l.c:
		return true
	case <-ctx.Done():
		return false
	}
}

// Opened returns a channel that is closed when the event has happened.
func (l Latch) Opened() <-chan struct{} { return l.c }
