package browser

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
)

// queues lets the commands of one tab run one after the other, in the order in
// which they came, and those of different tabs side by side.
type queues struct {
	mu  sync.Mutex
	tab map[protocol.TabID]*tabQueue
}

// tabQueue is a ticket for one; whoever waits on the channel is served in
// order. users counts holders and waiters, so that it can be forgotten.
type tabQueue struct {
	ticket chan struct{}
	users  int
}

func newQueues() *queues { return &queues{tab: make(map[protocol.TabID]*tabQueue)} }

// enter waits for the tab's turn; release ends it.
func (q *queues) enter(ctx context.Context, id protocol.TabID) (release func(), err error) {
	q.mu.Lock()
	t := q.tab[id]
	if t == nil {
		t = &tabQueue{ticket: make(chan struct{}, 1)}
		q.tab[id] = t
	}
	t.users++
	q.mu.Unlock()
	leave := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if t.users--; t.users == 0 {
			delete(q.tab, id)
		}
	}
	select {
	case t.ticket <- struct{}{}:
		return func() { <-t.ticket; leave() }, nil
	case <-ctx.Done():
		leave()
		return nil, ctx.Err()
	}
}
