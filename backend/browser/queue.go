package browser

import (
	"context"
	"sync"
	"time"

	"pilotfish/backend/protocol"
)

// queues run the commands of one tab one after the other, in the order in which
// they arrived, and the commands of different tabs concurrently.
type queues struct {
	mu   sync.Mutex
	tab  map[protocol.TabID]*tabQueue
	left time.Time // when the last command ended
}

// tabQueue is the queue of one tab. Its channels are locks with one slot, on
// which waiters are served in order. users counts holders and waiters, so that an
// unused queue can be removed.
type tabQueue struct {
	ticket chan struct{}
	// drawn is held by commands that change the page, and by a screenshot while
	// snapshots run: a snapshot changes nothing that a screenshot shows.
	drawn chan struct{}
	// lines keep the commands of each caller in order. A command holds its
	// caller's line as long as the ticket; a Wait holds it longer.
	lines map[string]*line
	users int
}

// line is a lock of one caller; it is removed with its last user.
type line struct {
	place chan struct{}
	users int
}

// turnKind says how a command uses a tab.
type turnKind int

const (
	// turnAlone is the kind of most commands: no other command runs on the tab
	// meanwhile.
	turnAlone turnKind = iota
	// turnRead is for a command that changes nothing, such as a snapshot. It may run
	// while a screenshot is taken.
	turnRead
	// turnScreenshot is for a screenshot that no caller waits for. It is taken when
	// every earlier command is done; only Reads may overtake it.
	turnScreenshot
	// turnWait is for a command that only waits for the page. It begins in its turn,
	// and then lets the commands of other callers run: see turn.Pass.
	turnWait
)

// newQueues returns the queues of a browser's tabs; all are empty.
func newQueues() *queues { return &queues{tab: make(map[protocol.TabID]*tabQueue)} }

// turn is the turn of a command that may run now.
type turn struct {
	// Release ends the turn. Further calls do nothing.
	Release func()
	// Pass lets the commands of other callers run before the turn ends, because a
	// turnWait only waits from then on. Commands of the same caller still wait for
	// it. It does nothing for the other kinds.
	Pass func()
}

// Len returns the number of tabs in which a command runs or waits.
func (q *queues) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tab)
}

// Ran reports whether a command runs or waits in a tab, or did a short time ago.
func (q *queues) Ran(within time.Duration) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tab) > 0 || time.Since(q.left) < within
}

// Busy reports whether a command runs or waits in a tab.
func (q *queues) Busy(id protocol.TabID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tab[id] != nil
}

// Enter waits for the turn of a caller's command on a tab. It returns ctx.Err()
// when ctx ends first.
func (q *queues) Enter(ctx context.Context, by protocol.Caller, id protocol.TabID, kind turnKind) (turn, error) {
	q.mu.Lock()
	t := q.tab[id]
	if t == nil {
		t = &tabQueue{ticket: make(chan struct{}, 1), drawn: make(chan struct{}, 1), lines: make(map[string]*line)}
		q.tab[id] = t
	}
	t.users++
	q.mu.Unlock()
	leave := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		q.left = time.Now()
		if t.users--; t.users == 0 {
			delete(q.tab, id)
		}
	}
	unline, err := q.enterLine(ctx, by, t)
	if err != nil {
		leave()
		return turn{}, err
	}
	if !takeSlot(ctx, t.ticket) {
		unline()
		leave()
		return turn{}, ctx.Err()
	}
	if kind != turnRead && !takeSlot(ctx, t.drawn) {
		<-t.ticket
		unline()
		leave()
		return turn{}, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-t.ticket })
	switch kind {
	case turnRead:
		return turn{Release: sync.OnceFunc(func() { free(); unline(); leave() }), Pass: func() {}}, nil
	case turnScreenshot:
		free()
		unline() // Reads may overtake it, even those of the same caller
		return turn{Release: sync.OnceFunc(func() { <-t.drawn; leave() }), Pass: func() {}}, nil
	}
	undrawn := sync.OnceFunc(func() { <-t.drawn })
	pass := func() {}
	if kind == turnWait {
		pass = func() { undrawn(); free() }
	}
	return turn{Release: sync.OnceFunc(func() { undrawn(); free(); unline(); leave() }), Pass: pass}, nil
}

// enterLine waits until the earlier commands of the same caller are done. A
// caller without InOrder has no line.
func (q *queues) enterLine(ctx context.Context, by protocol.Caller, t *tabQueue) (leave func(), err error) {
	if !by.InOrder {
		return func() {}, nil
	}
	q.mu.Lock()
	l := t.lines[by.Name]
	if l == nil {
		l = &line{place: make(chan struct{}, 1)}
		t.lines[by.Name] = l
	}
	l.users++
	q.mu.Unlock()
	gone := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(t.lines, by.Name)
		}
	}
	if !takeSlot(ctx, l.place) {
		gone()
		return nil, ctx.Err()
	}
	return func() { <-l.place; gone() }, nil
}

func takeSlot(ctx context.Context, ticket chan struct{}) bool {
	select {
	case ticket <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
