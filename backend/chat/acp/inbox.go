//go:build unix

package acp

import (
	"sync"
)

// item is something to do for a session, in its turn.
type item struct {
	size int // bytes of the message behind it
	do   func()
}

// inbox is what waits for a session. It is bounded in bytes: whoever puts waits,
// and so the agent does.
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

// put puts something behind what waits. One item always has room, whatever its
// size. A closed inbox takes nothing and makes nobody wait.
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

// run does what is put until the inbox is closed and empty.
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

// close takes nothing more; what waits is still done.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.change.Broadcast()
}
