// Package queue lets the commands of a tab run in order.
package queue

import (
	"context"
	"sync"

	"pilotfish/backend/protocol"
)

// Queues let the commands of one tab run one after the other, in the order in
// which they came, and those of different tabs side by side.
type Queues struct {
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
	// lines keep the commands of one caller in order: each holds its line as long
	// as the ticket, and a wait longer than that.
	lines map[string]*line
	users int
}

// line is a place for one; it is forgotten with its last user.
type line struct {
	place chan struct{}
	users int
}

// need is what a command needs a tab for; most need it alone.
type need int

const (
	_ need = iota
	// turnLook is that of a look, which may run while a picture is taken.
	turnLook
	// turnPicture is that of such a picture: it is taken when everything before it
	// is done, and only looks overtake it.
	turnPicture
	// turnWait is that of a command that only waits for the page. It begins in its
	// turn, and then lets the commands of other callers pass.
	turnWait
)

// turnKey is the context key of a turn.
type turnKey struct{}

// BesideLooks makes a picture that is asked for with the context let looks at its
// tab pass. Nobody waits for such a picture, so nobody should for its sake.
func BesideLooks(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, turnPicture)
}

// Looking is the context of what only looks.
func Looking(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, turnLook)
}

// InWait is the context of what only waits.
func InWait(ctx context.Context) context.Context {
	return context.WithValue(ctx, turnKey{}, turnWait)
}

func turnOf(ctx context.Context) need {
	t, _ := ctx.Value(turnKey{}).(need)
	return t
}

// New returns the queues of a browser's tabs: nobody is in them.
func New() *Queues { return &Queues{tab: make(map[protocol.TabID]*tabQueue)} }

// Turn is that of a command whose turn has come.
type Turn struct {
	// Release ends its turn; to call it again does nothing.
	Release func()
	// pass lets the commands of other callers pass before that: it only waits from
	// now on. Those of its own caller go on waiting for it.
	pass func()
}

// Len is in how many tabs a command runs or waits.
func (q *Queues) Len() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.tab)
}

// Busy says whether a command runs or waits in a tab.
func (q *Queues) Busy(id protocol.TabID) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.tab[id] != nil
}

// Enter waits for the tab's turn.
func (q *Queues) Enter(ctx context.Context, id protocol.TabID) (Turn, error) {
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
		if t.users--; t.users == 0 {
			delete(q.tab, id)
		}
	}
	unline, err := q.enterLine(ctx, t)
	if err != nil {
		leave()
		return Turn{}, err
	}
	if !take(ctx, t.ticket) {
		unline()
		leave()
		return Turn{}, ctx.Err()
	}
	kind := turnOf(ctx)
	if kind != turnLook && !take(ctx, t.drawn) {
		<-t.ticket
		unline()
		leave()
		return Turn{}, ctx.Err()
	}
	free := sync.OnceFunc(func() { <-t.ticket })
	switch kind {
	case turnLook:
		return Turn{Release: sync.OnceFunc(func() { free(); unline(); leave() }), pass: func() {}}, nil
	case turnPicture:
		free()
		unline() // only looks overtake it, those of its own caller, too
		return Turn{Release: sync.OnceFunc(func() { <-t.drawn; leave() }), pass: func() {}}, nil
	}
	undrawn := sync.OnceFunc(func() { <-t.drawn })
	pass := func() {}
	if kind == turnWait {
		pass = func() { undrawn(); free() }
	}
	return Turn{Release: sync.OnceFunc(func() { undrawn(); free(); unline(); leave() }), pass: pass}, nil
}

// enterLine waits until the commands of the same caller before this one are
// done. A caller whose commands are in no order has no line.
func (q *Queues) enterLine(ctx context.Context, t *tabQueue) (leave func(), err error) {
	caller := protocol.CallerOf(ctx)
	if !protocol.InOrder(ctx) {
		return func() {}, nil
	}
	q.mu.Lock()
	l := t.lines[caller]
	if l == nil {
		l = &line{place: make(chan struct{}, 1)}
		t.lines[caller] = l
	}
	l.users++
	q.mu.Unlock()
	gone := func() {
		q.mu.Lock()
		defer q.mu.Unlock()
		if l.users--; l.users == 0 {
			delete(t.lines, caller)
		}
	}
	if !take(ctx, l.place) {
		gone()
		return nil, ctx.Err()
	}
	return func() { <-l.place; gone() }, nil
}

func take(ctx context.Context, ticket chan struct{}) bool {
	select {
	case ticket <- struct{}{}:
		return true
	case <-ctx.Done():
		return false
	}
}

// passKey is the context key of what lets other callers pass.
type passKey struct{}

// Within is the context of a command whose turn has come.
func (t Turn) Within(ctx context.Context) context.Context {
	return context.WithValue(ctx, passKey{}, t.pass)
}

// LetPass lets the commands of other callers pass one that only waits from now on.
func LetPass(ctx context.Context) {
	if pass, ok := ctx.Value(passKey{}).(func()); ok {
		pass()
	}
}
