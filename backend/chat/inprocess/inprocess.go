// Package inprocess is what drivers have in common whose agents run in this process: no
// program is started, an agent is a context, and a session is nothing but its turn.
package inprocess

import (
	"context"
	"crypto/rand"
	"errors"
	"sync"
)

// Agent is the life of an agent, for a driver's own to embed.
type Agent struct {
	ctx    context.Context
	cancel context.CancelFunc

	mu    sync.Mutex // held while a turn begins, so that Close waits for it
	turns sync.WaitGroup
}

// NewAgent returns an agent that lives until it is closed or life ends.
func NewAgent(life context.Context) *Agent {
	a := &Agent{}
	a.ctx, a.cancel = context.WithCancel(life)
	return a
}

// Shared says yes: an agent is no process, and serves every conversation.
func (a *Agent) Shared() bool { return true }

// SignIn has nothing to do.
func (a *Agent) SignIn(context.Context, string) error { return nil }

// Done is closed when the agent was closed or its life has ended.
func (a *Agent) Done() <-chan struct{} { return a.ctx.Done() }

// Over says whether the agent was closed.
func (a *Agent) Over() bool { return a.ctx.Err() != nil }

// Err is nil: an agent never ends by itself.
func (a *Agent) Err() error { return nil }

// Close ends what is under way and returns when it has ended.
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

// Session is one session of an agent, for a driver's own to embed. It keeps nothing from
// turn to turn, so that one of before is whole at once.
type Session struct {
	agent *Agent
	id    string

	mu     sync.Mutex
	cancel context.CancelCauseFunc // of the turn that runs
}

// NewSession returns the session of before that resume names, or a new one, whose id
// begins with prefix.
func (a *Agent) NewSession(resume, prefix string) *Session {
	if resume == "" {
		resume = prefix + rand.Text()
	}
	return &Session{agent: a, id: resume}
}

// ID is ours.
func (s *Session) ID() string { return s.id }

// ErrStopped is the cause of a turn's context that Cancel ended.
var ErrStopped = errors.New("the user stopped the turn")

// Begin returns the context of a turn, which ends with ctx, with Cancel and with the
// agent. end is called when the turn is over.
func (s *Session) Begin(ctx context.Context) (turn context.Context, end func()) {
	ctx, cancel := context.WithCancelCause(ctx)
	unbind := context.AfterFunc(s.agent.ctx, func() { cancel(context.Canceled) })
	s.agent.mu.Lock()
	counts := !s.agent.Over()
	if counts {
		s.agent.turns.Add(1)
	} else {
		cancel(context.Canceled) // at once: Close waits for no turn any more
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

// Cancel ends the turn that runs: what it waits for ends at once.
func (s *Session) Cancel(context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cancel != nil {
		s.cancel(ErrStopped)
	}
	return nil
}

// Close lets the session go.
func (s *Session) Close(ctx context.Context) error { return s.Cancel(ctx) }
