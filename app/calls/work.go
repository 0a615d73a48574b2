package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// WorkOf returns what was done in a session, which need not run.
type WorkOf interface {
	// Work returns the tasks and routines.
	Work(name protocol.SessionName) (protocol.SessionWork, error)
	// Activity searches the record of what happened.
	Activity(ctx context.Context, name protocol.SessionName, q protocol.ActivityQuery) (protocol.ActivityFound, error)
}

// WorkCalls are the calls about what was done in a session.
type WorkCalls struct {
	ctx context.Context
	of  WorkOf
}

// NewWorkCalls returns the calls.
func NewWorkCalls(ctx context.Context, of WorkOf) *WorkCalls { return &WorkCalls{ctx: ctx, of: of} }

// SessionWork returns the tasks and routines of a session.
func (c *WorkCalls) SessionWork(session protocol.SessionName) (protocol.SessionWork, error) {
	return c.of.Work(session)
}

// SearchActivity searches the record of what happened in a session.
func (c *WorkCalls) SearchActivity(session protocol.SessionName, q protocol.ActivityQuery) (protocol.ActivityFound, error) {
	return c.of.Activity(c.ctx, session, q)
}
