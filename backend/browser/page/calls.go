package page

import (
	"context"

	"pilotfish/backend/browser/devtools"
)

// Calls are commands on one session that were sent without waiting, in the order
// in which they were sent.
type Calls struct {
	s       *devtools.Session
	method  []string
	params  []any
	id      []int64
	pending []*devtools.Pending
}

// Send sends another command and does not wait for its answer.
func (a *Calls) Send(ctx context.Context, method string, params any) error {
	id, p, err := a.s.Conn.Send(ctx, a.s, method, params)
	if err != nil {
		return err
	}
	a.method, a.params, a.id, a.pending = append(a.method, method), append(a.params, params), append(a.id, id), append(a.pending, p)
	return nil
}

// Answered reports whether the answer to command i has arrived.
func (a *Calls) Answered(i int) bool { return len(a.pending[i].Reply) > 0 }

// Await waits for the answer to command i; into may be nil.
func (a *Calls) Await(ctx context.Context, i int, into any) error {
	return a.s.Await(ctx, a.method[i], a.id[i], a.pending[i], into)
}

// Again sends command i once more, and does not wait for its answer.
func (a *Calls) Again(ctx context.Context, i int) error {
	return a.s.Post(ctx, a.method[i], a.params[i])
}

// Len returns how many commands were sent.
func (a *Calls) Len() int { return len(a.id) }

// Reply returns the channel on which the answer to command i arrives; see Read.
func (a *Calls) Reply(i int) <-chan devtools.Reply { return a.pending[i].Reply }

// Forget stops waiting for command i.
func (a *Calls) Forget(i int) { a.s.Conn.Forget(a.id[i]) }

// Read decodes the answer to command i; into may be nil.
func (a *Calls) Read(i int, r devtools.Reply, into any) error { return r.Read(a.method[i], into) }

// NewCalls returns an empty list of commands on a session.
func NewCalls(s *devtools.Session) *Calls { return &Calls{s: s} }
