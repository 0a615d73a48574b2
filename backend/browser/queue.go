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
	// drawn is held by what changes the page and by a picture beside looks: a look
	// changes nothing that a picture shows.
	drawn chan struct{}
	users int
}

// turn is what a command needs a tab for; most need it alone.
type turn int

const (
	_ turn = iota
	// turnLook is that of a look, which may run while a picture is taken.
	turnLook
	// turnPicture is that of such a picture: it is taken when everything before it
	// is done, and only looks overtake it.
	turnPicture
)

// turnKey is the context key of a turn.
type turnKey struct{}

// BesideLooks makes a picture that is asked for with the context let looks at its
// tab pass. Nobody waits for such a picture, so nobody should for its sake.
func BesideLooks(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, turnPicture)
}

// looking is the context of what only looks.
func looking(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, turnLook)
}

func turnOf(ctx context.Context) turn {
	t, _ := ctx.Value(turnKey{}).(turn)
	return t
}

func newQueues() *queues { return &queues{tab: make(map[protocol.TabID]*tabQueue)} }

// enter waits for the tab's turn; release ends it.
func (q *queues) enter(ctx context.Context, id protocol.TabID) (release func(), err error) {
	q.mu.Lock()
	t := q.tab[id]
	if t == nil {
		t = &tabQueue{ticket: make(chan struct{}, 1), drawn: make(chan struct{}, 1)}
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
	if !take(ctx, t.ticket) {
		leave()
		return nil, ctx.Err()
	}
	kind := turnOf(ctx)
	if kind == turnLook {
		return func() { <-t.ticket; leave() }, nil
	}
	if !take(ctx, t.drawn) {
		<-t.ticket
		leave()
		return nil, ctx.Err()
	}
	if kind == turnPicture {
		<-t.ticket
		return func() { <-t.drawn; leave() }, nil
	}
	return func() { <-t.drawn; <-t.ticket; leave() }, nil
}

func take(ctx context.Context, ticket chan struct{}) bool {
	select {
	case ticket <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}
