// Package inprocess has the common part of drivers whose agents run in this
// process. No program is started; an agent is a context, and a session has no
// state but its running turn.
package inprocess

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"

	"pilotfish/backend/protocol"
)

// Agent is the lifetime of an agent; a driver's own agent embeds it.
type Agent struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex // held while a turn begins, so that Close waits for it
	turns sync.WaitGroup
}

// NewAgent returns an agent that runs until it is closed or life ends.
func NewAgent(life context.Context) *Agent {
	a := &Agent{}
	a.ctx, a.cancel = context.WithCancel(life)
	return a
}

// Shared returns true: an agent is no process of its own, and serves every
// conversation.
func (a *Agent) Shared() bool { return true }

// SignIn does nothing.
func (a *Agent) SignIn(context.Context, string) error { return nil }

// Past returns nothing: the conversation has the journal.
func (*Agent) Past(context.Context) ([]protocol.PastSession, error) { return nil, nil }

// Done is closed when the agent was closed or its context has ended.
func (a *Agent) Done() <-chan struct{} { return a.ctx.Done() }

// Over reports whether the agent was closed.
func (a *Agent) Over() bool { return a.ctx.Err() != nil }

// Err returns nil: an agent never ends by itself.
func (a *Agent) Err() error { return nil }

// Close cancels the running turns and returns when they have ended, or ctx has.
func (a *Agent) Close(ctx context.Context) error {
	a.mu.Lock()
	a.cancel()
	a.mu.Unlock()
	ended := make(chan struct{})
	go func() { a.turns.Wait(); close(ended) }()
	select {
	case <-ended:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Session is one session of an agent; a driver's own session embeds it. It
// keeps nothing between turns, so resuming an earlier session needs no work.
type Session struct {
	agent *Agent
	id    string

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the running turn
}

// NewSession returns the earlier session with the id resume. If resume is empty
// it returns a new session, whose id begins with prefix.
func (a *Agent) NewSession(resume, prefix string) *Session {
	if resume == "" {
		resume = prefix + rand.Text()
	}
	return &Session{agent: a, id: resume}
}

// ID returns the id of the session, which is made here.
func (s *Session) ID() string { return s.id }

// ErrStopped is the cause of a turn's context that Cancel cancelled.
var ErrStopped = errors.New("the user stopped the turn")

// Begin returns the context of a turn. It ends with ctx, by Cancel, and with
// the agent. The caller calls end when the turn has ended.
func (s *Session) Begin(ctx context.Context) (turn context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(s.agent.ctx, func() { cancel(context.Canceled) })
	s.agent.mu.Lock()
	counts := !s.agent.Over()
	if counts {
		s.agent.turns.Add(1)
	} else {
		cancel(context.Canceled) // at once: Close no longer waits for turns
	}
	s.agent.mu.Unlock()
	s.mu.Lock()
	s.cancel = cancel
	s.mu.Unlock()
	return ctx, func() {
		s.mu.Lock()
		s.cancel = nil
		s.mu.Unlock()
		unbind()
		cancel(nil)
		if counts {
			s.agent.turns.Done()
		}
	}
}

// Cancel cancels the context of the running turn.
func (s *Session) Cancel(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(ErrStopped)
	}
	return nil
}

// Close cancels the running turn.
func (s *Session) Close(ctx context.Context) error { return s.Cancel(ctx) }
