// Package agentpool starts the processes of agents, shares a process among the
// conversations that it can serve, notifies them when it has ended, and ends a
// process that serves no conversation any more.
package agentpool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"sync"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// User is a conversation, as far as the pool knows it.
type User interface {
	// AgentGone is called once for each share of a process that has ended, by
	// itself or by End. Process.Reason returns why.
	AgentGone(s *Share)
}

// key is what users must have in common to share a process.
type key struct {
	kind    protocol.AgentKind
	command string
	dir     string
}

// Pool manages the running agents of a session. Its methods are safe for
// concurrent use.
type Pool struct {
	// life is the context of the processes; Wait cancels it.
	life    context.Context //nolint:containedctx // they start later than the pool
	endLife context.CancelFunc
	log     *slog.Logger

	mu      sync.Mutex
	shared  map[key]*Process // the processes that accept further users, and those that are starting
	all     map[*Process]struct{}
	closing bool
	waited  bool           // no further call of an agent's Close begins
	running sync.WaitGroup // the processes
	ends    sync.WaitGroup // the calls of Close of their agents
}

// New returns a pool that has no process.
func New(log *slog.Logger) *Pool {
	p := &Pool{log: log, shared: map[key]*Process{}, all: map[*Process]struct{}{}}
	p.life, p.endLife = context.WithCancel(context.Background())
	return p
}

// Share is a user's right to use a process, from Get until Release. A user may
// have several shares of one process; the process runs while one of them is
// left.
type Share struct {
	*Process
	user User
}

// Process is one running agent and the shares of it.
type Process struct {
	pool  *Pool
	key   key
	agent driver.Agent
	name  string
	// grant is set before begun is closed; zero for a process that has none.
	grant driver.Grant
	// begun is closed once agent or err is set.
	begun chan struct{}
	err   error

	// Guarded by the pool's mu.
	why   string // why we ended it; empty when it ended by itself
	users map[*Share]struct{}
}

// errClosed is returned by Get after Close.
var errClosed = protocol.NewError(protocol.CodeNotRunning, "the conversation is closed", "")

// Get returns a share of a process for a user: of a running one that may be
// shared, or of a new one. If another user is just starting the process, Get
// waits for that, until ctx ends.
func (p *Pool) Get(ctx context.Context, user User, s driver.Starter, command string) (*Share, error) {
	of := key{s.Launch.Kind, command, s.Launch.Dir}
	for {
		p.mu.Lock()
		if p.closing {
			p.mu.Unlock()
			return nil, errClosed
		}
		one := p.shared[of]
		if one == nil {
			one = &Process{pool: p, key: of, name: s.Launch.Name, users: map[*Share]struct{}{}, begun: make(chan struct{})}
			share := one.addLocked(user)
			p.shared[of], p.all[one] = one, struct{}{}
			p.running.Add(1)
			p.mu.Unlock()
			if one.start(s); one.err != nil {
				return nil, one.err
			}
			return share, nil
		}
		p.mu.Unlock()
		// Only a started process says whether it can be shared.
		select {
		case <-one.begun:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		p.mu.Lock()
		if p.shared[of] == one && one.err == nil {
			share := one.addLocked(user)
			p.mu.Unlock()
			return share, nil
		}
		p.mu.Unlock()
	}
}

func (p *Process) addLocked(user User) *Share {
	s := &Share{p, user}
	p.users[s] = struct{}{}
	return s
}

// start starts the process and watches it.
func (p *Process) start(s driver.Starter) {
	pool := p.pool
	launch, end := s.Launch, func() {}
	if launch.Grant != nil {
		p.grant = launch.Grant()
		launch.Env, end = slices.Concat(launch.Env, p.grant.Env), p.grant.End
	}
	agent, err := s.Driver.Start(pool.life, launch)
	pool.mu.Lock()
	p.agent, p.err = agent, err
	if err != nil || !agent.Shared() {
		delete(pool.shared, p.key)
	}
	if err != nil {
		delete(pool.all, p)
	}
	pool.mu.Unlock()
	close(p.begun)
	if err != nil {
		end()
		pool.running.Done()
		return
	}
	go func() {
		defer pool.running.Done()
		<-agent.Done()
		end()
		p.gone()
	}()
}

// gone notifies all users of the process that it has ended.
func (p *Process) gone() {
	p.pool.mu.Lock()
	delete(p.pool.all, p)
	p.retireLocked()
	users := slices.Collect(maps.Keys(p.users))
	p.pool.mu.Unlock()
	for _, s := range users {
		s.user.AgentGone(s)
	}
}

// Agent returns the agent of the process.
func (p *Process) Agent() driver.Agent { return p.agent }

// Grant returns the id of what the process may do by itself; empty for nothing.
func (p *Process) Grant() string { return p.grant.ID }

// Over reports whether the process has ended.
func (p *Process) Over() bool {
	select {
	case <-p.agent.Done():
		return true
	default:
		return false
	}
}

// Reason returns why the process has ended, for the user.
func (p *Process) Reason() *protocol.Error {
	p.pool.mu.Lock()
	why := p.why
	p.pool.mu.Unlock()
	if err := p.agent.Err(); why == "" && err != nil {
		if e, ok := errors.AsType[*protocol.Error](err); ok {
			return e
		}
		why = err.Error()
	}
	return protocol.NewError(protocol.CodeCrashed, fmt.Sprintf("%s stopped: %s", p.name, cmp.Or(why, "it gave no reason")), "restart it to continue; nothing is lost")
}

// Retire keeps new users away from a process that is about to end.
func (p *Process) Retire() {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	p.retireLocked()
}

func (p *Process) retireLocked() {
	if p.pool.shared[p.key] == p {
		delete(p.pool.shared, p.key)
	}
}

// Release gives up the share. A process without shares is ended. Release
// returns at once. Only the first call has an effect.
func (s *Share) Release() {
	p := s.Process
	p.pool.mu.Lock()
	_, first := p.users[s]
	delete(p.users, s)
	unused := first && len(p.users) == 0
	if unused {
		p.retireLocked()
	}
	p.pool.mu.Unlock()
	if unused {
		p.End("it was no longer used")
	}
}

// End ends the process; its users are notified of the reason. It returns at
// once.
func (p *Process) End(why string) {
	p.pool.mu.Lock()
	defer p.pool.mu.Unlock()
	if p.why == "" {
		p.why = why
	}
	p.retireLocked()
	if p.agent == nil || p.pool.waited {
		return
	}
	p.pool.ends.Go(func() {
		// The stop ladder has its own deadlines.
		if err := p.agent.Close(context.WithoutCancel(p.pool.life)); err != nil {
			p.pool.log.Warn("an agent could not be ended", "agent", p.name, "error", err)
		}
	})
}

// Close ends every process and returns when all have ended. From then on Get
// returns an error.
func (p *Pool) Close() {
	p.mu.Lock()
	p.closing = true
	all := make([]*Process, 0, len(p.all))
	for one := range p.all {
		all = append(all, one)
	}
	p.mu.Unlock()
	for _, one := range all {
		<-one.begun
		if one.err == nil {
			one.End("Pilotfish stopped it")
		}
	}
	p.running.Wait()
}

// Wait returns when nothing of the pool runs any more. It must be called after
// Close. A turn may release its share during Close or later; after Wait that
// starts nothing.
func (p *Pool) Wait() {
	p.endLife()
	p.mu.Lock()
	p.waited = true
	p.mu.Unlock()
	p.ends.Wait()
}
