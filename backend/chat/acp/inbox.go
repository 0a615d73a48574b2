package acp

import (
	"sync"
)

// item is one piece of work of a session.
type item struct {
	size int // size of the message that it handles, in bytes
	do   func()
}

// inbox is the queue of work of a session. Its size is bounded in bytes: when
// it is full, put waits, and so the agent has to wait.
type inbox struct {
	mu     sync.Mutex
	change *sync.Cond
	items  []item
	size   int
	closed bool
}

func newInbox() *inbox {
	b := &inbox{}
	b.change = sync.NewCond(&b.mu)
	return b
}

// put appends an item. An empty inbox accepts an item of any size. A closed
// inbox drops it and does not wait.
func (b *inbox) put(size int, do func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for !b.closed && b.size > 0 && b.size+size > agentInbox {
		b.change.Wait()
	}
	if b.closed {
		return
	}
	b.items = append(b.items, item{size, do})
	b.size += size
	b.change.Broadcast()
}

// run runs the items in order until the inbox is closed and empty.
func (b *inbox) run() {
	for {
		b.mu.Lock()
		for len(b.items) == 0 && !b.closed {
			b.change.Wait()
		}
		if len(b.items) == 0 {
			b.mu.Unlock()
			return
		}
		next := b.items[0]
		b.items[0] = item{}
		b.items = b.items[1:]
		b.size -= next.size
		b.change.Broadcast()
		b.mu.Unlock()
		next.do()
	}
}

// close rejects further items; the queued ones are still run.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.change.Broadcast()
}
