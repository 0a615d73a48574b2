package page

import (
	"context"

	"pilotfish/backend/browser/devtools"
)

// Calls are calls of a session on their way, in the order in which they were sent.
type Calls struct {
	s       *devtools.Session
	method  []string
	id      []int64
	pending []*devtools.Pending
}

// Send sends one more and does not wait.
func (a *Calls) Send(ctx context.Context, method string, params any) error {
	id, p, err := a.s.Conn.Send(ctx, a.s, method, params)
	if err != nil {
		return err
	}
	a.method, a.id, a.pending = append(a.method, method), append(a.id, id), append(a.pending, p)
	return nil
}

// Answered says whether an answer is there already.
func (a *Calls) Answered(i int) bool { return len(a.pending[i].Reply) > 0 }

func (a *Calls) await(ctx context.Context, i int, into any) error {
	return a.s.Await(ctx, a.method[i], a.id[i], a.pending[i], into)
}

// Len is how many were sent.
func (a *Calls) Len() int { return len(a.id) }

// Reply is where the answer to one of them arrives; see read.
func (a *Calls) Reply(i int) <-chan devtools.Reply { return a.pending[i].Reply }

// Forget gives up waiting for one.
func (a *Calls) Forget(i int) { a.s.Conn.Forget(a.id[i]) }

// Read reads the answer to one; into may be nil.
func (a *Calls) Read(i int, r devtools.Reply, into any) error { return r.Read(a.method[i], into) }

// NewCalls returns calls of a session.
func NewCalls(s *devtools.Session) *Calls { return &Calls{s: s} }
