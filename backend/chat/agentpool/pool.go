// Package agentpool starts the processes of agents, shares one among the
// conversations that it can serve, tells them when it is over, and ends one that
// serves none any more.
package agentpool

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

// User is a conversation, as the pool knows it. Users are compared.
type User interface {
	// AgentGone is called once when a process that serves the user is over, by
	// itself or by End. Process.Reason says why.
	AgentGone(p *Process)
}

// key says which users can share a process.
type key struct {
	kind    protocol.AgentKind
	command string
	dir     string
}

// Pool has the running agents of a session. Its methods are safe for concurrent
// use.
type Pool struct {
	// life is that of the processes; it ends with Wait.
	life    context.Context //nolint:containedctx // they start later than the pool
	endLife context.CancelFunc
	log     *slog.Logger

	mu      sync.Mutex
	shared  map[key]*Process // those that take one more user, and those that start
	all     map[*Process]struct{}
	closing bool
	running sync.WaitGroup // the processes
	ends    sync.WaitGroup // the calls of Close of their agents
}

// New returns a pool that has no process.
func New(log *slog.Logger) *Pool {
	p := &Pool{log: log, shared: map[key]*Process{}, all: map[*Process]struct{}{}}
	p.life, p.endLife = context.WithCancel(context.Background())
	return p
}

// Process is one running agent and the users that it serves.
type Process struct {
	pool  *Pool
	key   key
	agent driver.Agent
	name  string
	// begun is closed when agent or err is set.
	begun chan struct{}
	err   error

	// Guarded by the pool's mu.
	why    string // why we ended it; empty when it ended by itself
	serves map[User]struct{}
}

// errClosed is returned by Get after Close.
var errClosed = protocol.NewError(protocol.CodeNotRunning, "the conversation is closed", "")

// Get returns a process for a user: one that runs and may be shared, or a new one.
// The user has it until Leave. Get waits for a process that another user starts,
// until ctx ends.
func (p *Pool) Get(ctx context.Context, user User, s driver.Starter, command string) (*Process, error) {
	of := key{s.Launch.Kind, command, s.Launch.Dir}
	for {
		p.mu.Lock()
		if p.closing {
			p.mu.Unlock()
			return nil, errClosed
		}
		one := p.shared[of]
		if one == nil {
			one = &Process{pool: p, key: of, name: s.Launch.Name, serves: map[User]struct{}{user: {}}, begun: make(chan struct{})}
			p.shared[of], p.all[one] = one, struct{}{}
			p.running.Add(1)
			p.mu.Unlock()
			one.start(s)
			return one, one.err
		}
		p.mu.Unlock()
		// Whether it can be shared is known when it has started.
		select {
		case <-one.begun:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
		p.mu.Lock()
		if p.shared[of] == one && one.err == nil {
			one.serves[user] = struct{}{}
			p.mu.Unlock()
			return one, nil
		}
		p.mu.Unlock()
	}
}

// start starts the process and watches it.
func (p *Process) start(s driver.Starter) {
	pool := p.pool
	agent, err := s.Driver.Start(pool.life, s.Launch)
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
		pool.running.Done()
		return
	}
	go func() {
		defer pool.running.Done()
		<-agent.Done()
		p.gone()
	}()
}

// gone tells every user of the process that it is over.
func (p *Process) gone() {
	p.pool.mu.Lock()
	delete(p.pool.all, p)
	p.retireLocked()
	users := make([]User, 0, len(p.serves))
	for user := range p.serves {
		users = append(users, user)
	}
	p.pool.mu.Unlock()
	for _, user := range users {
		user.AgentGone(p)
	}
}

// Agent is the agent of the process.
func (p *Process) Agent() driver.Agent { return p.agent }

// Over says whether the process is over.
func (p *Process) Over() bool {
	select {
	case <-p.agent.Done():
		return true
	default:
		return false
	}
}

// Reason is why the process is over, for the user.
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

// Retire keeps new users from a process that is dying.
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

// Leave takes a user off; a process that serves none any more ends. It returns at
// once.
func (p *Process) Leave(user User) {
	p.pool.mu.Lock()
	delete(p.serves, user)
	unused := len(p.serves) == 0
	if unused {
		p.retireLocked()
	}
	p.pool.mu.Unlock()
	if unused {
		p.End("it was no longer used")
	}
}

// End ends the process, and says why to those whom it serves. It returns at once.
func (p *Process) End(why string) {
	p.pool.mu.Lock()
	if p.why == "" {
		p.why = why
	}
	p.retireLocked()
	started := p.agent != nil
	p.pool.mu.Unlock()
	if !started {
		return
	}
	p.pool.ends.Go(func() {
		// The stop ladder has its own end.
		if err := p.agent.Close(context.WithoutCancel(p.pool.life)); err != nil {
			p.pool.log.Warn("an agent could not be ended", "agent", p.name, "error", err)
		}
	})
}

// Close ends every process and returns when all are gone. Get returns an error from
// then on.
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

// Wait returns when nothing of the pool runs any more. It is called after Close, when
// no user calls Leave or End any more: a turn may let its agent go while Close runs.
func (p *Pool) Wait() {
	p.endLife()
	p.ends.Wait()
}
