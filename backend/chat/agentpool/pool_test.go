package agentpool_test

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"go.uber.org/goleak"

	"pilotfish/backend/chat/agentpool"
	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fake is a driver of agents that do nothing.
type fake struct {
	shared bool
	err    error
	// starting, if set, blocks a start: the start first sends to it, and then
	// receives from it.
	starting chan struct{}

	mu     sync.Mutex
	agents []*agent
}

type agent struct {
	shared bool
	done   chan struct{}
	once   sync.Once
	closes atomic.Int32 // the number of calls of Close
	err    error
}

func (f *fake) Start(context.Context, driver.Launch) (driver.Agent, error) {
	if f.starting != nil {
		f.starting <- struct{}{}
		<-f.starting
	}
	if f.err != nil {
		return nil, f.err
	}
	a := &agent{shared: f.shared, done: make(chan struct{})}
	f.mu.Lock()
	f.agents = append(f.agents, a)
	f.mu.Unlock()
	return a, nil
}

func (f *fake) starter(name string) driver.Starter {
	return driver.Starter{Driver: f, Launch: driver.Launch{Kind: protocol.AgentKind(name), Name: name}}
}

// die ends the agent as if by itself.
func (a *agent) die(err error) { a.once.Do(func() { a.err = err; close(a.done) }) }

func (a *agent) Shared() bool                                       { return a.shared }
func (a *agent) SignIn(context.Context, string) error               { return nil }
func (*agent) Past(context.Context) ([]protocol.PastSession, error) { return nil, nil }
func (a *agent) Done() <-chan struct{}                              { return a.done }
func (a *agent) Err() error                                         { return a.err }
func (a *agent) Close(context.Context) error                        { a.closes.Add(1); a.die(nil); return nil }

func (a *agent) Open(context.Context, driver.SessionConfig, driver.Sink) (driver.Session, error) {
	return nil, errors.New("no session is needed here")
}

// user records the shares whose process has ended.
type user struct{ gone chan *agentpool.Share }

func newUser() *user { return &user{make(chan *agentpool.Share, 2)} }

func (u *user) AgentGone(l *agentpool.Share) { u.gone <- l }

func newPool(t *testing.T) *agentpool.Pool {
	t.Helper()
	pool := agentpool.New(slog.New(slog.DiscardHandler))
	t.Cleanup(func() { pool.Close(); pool.Wait() })
	return pool
}

func get(t *testing.T, pool *agentpool.Pool, u *user, s driver.Starter) *agentpool.Share {
	t.Helper()
	l, err := pool.Get(t.Context(), u, s, "")
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestOneProcessServesMany(t *testing.T) {
	pool, one, two, three := newPool(t), newUser(), newUser(), newUser()
	f := &fake{shared: true}
	first, second := get(t, pool, one, f.starter("a")), get(t, pool, two, f.starter("a"))
	if first.Process != second.Process {
		t.Error("two processes were started for what one can serve")
	}
	if get(t, pool, three, f.starter("b")).Process == first.Process {
		t.Error("another agent is the same process")
	}
	first.Release()
	first.Release() // only the first call has an effect
	if first.Over() {
		t.Error("it ended while it was used")
	}
	second.Release()
	<-first.Agent().Done()
	if get(t, pool, one, f.starter("a")).Process == first.Process {
		t.Error("a process that ended was shared")
	}
}

// A user who gets a process again while releasing it keeps it.
func TestAUserWithTwoShares(t *testing.T) {
	pool, one := newPool(t), newUser()
	f := &fake{shared: true}
	first, second := get(t, pool, one, f.starter("a")), get(t, pool, one, f.starter("a"))
	first.Release()
	if first.Process != second.Process || second.Over() || get(t, pool, one, f.starter("a")).Process != second.Process {
		t.Error("it ended while it was used")
	}
}

// A share that is released after the end starts nothing.
func TestAShareIsReleasedAfterTheEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		pool, one := newPool(t), newUser()
		f := &fake{}
		l := get(t, pool, one, f.starter("a"))
		pool.Close()
		pool.Wait()
		before := f.agents[0].closes.Load()
		l.Release()
		synctest.Wait()
		if after := f.agents[0].closes.Load(); after != before {
			t.Errorf("its agent was closed %d times, before %d", after, before)
		}
	})
}

func TestAProcessOfOneSession(t *testing.T) {
	pool, one, two := newPool(t), newUser(), newUser()
	f := &fake{}
	if get(t, pool, one, f.starter("a")).Process == get(t, pool, two, f.starter("a")).Process {
		t.Error("a process that serves one session was shared")
	}
}

// A user who comes while a process starts waits for it, and shares it if
// possible.
func TestAStartIsWaitedFor(t *testing.T) {
	for _, shared := range []bool{true, false} {
		pool, one, two := newPool(t), newUser(), newUser()
		f := &fake{shared: shared, starting: make(chan struct{})}
		first := make(chan *agentpool.Share, 1)
		go func() {
			l, err := pool.Get(t.Context(), one, f.starter("a"), "")
			if err != nil {
				t.Error(err)
			}
			first <- l
		}()
		<-f.starting
		ended, cancel := context.WithCancelCause(t.Context())
		impatient := errors.New("impatient")
		cancel(impatient)
		if _, err := pool.Get(ended, two, f.starter("a"), ""); !errors.Is(err, impatient) {
			t.Errorf("waiting ended with %v", err)
		}
		second := make(chan *agentpool.Share, 1)
		go func() {
			l, err := pool.Get(t.Context(), two, f.starter("a"), "")
			if err != nil {
				t.Error(err)
			}
			second <- l
		}()
		f.starting <- struct{}{}
		if !shared {
			<-f.starting
			f.starting <- struct{}{}
		}
		if same := (<-first).Process == (<-second).Process; same != shared {
			t.Errorf("the process is shared: %v, want %v", same, shared)
		}
	}
}

func TestAStartThatFails(t *testing.T) {
	pool, one := newPool(t), newUser()
	f := &fake{shared: true, err: errors.New("there is no such program")}
	if _, err := pool.Get(t.Context(), one, f.starter("a"), ""); !errors.Is(err, f.err) {
		t.Errorf("it started with %v", err)
	}
	f.err = nil
	if p := get(t, pool, one, f.starter("a")); p.Over() {
		t.Error("it does not run")
	}
}

// All users of a process are notified of its end, with the reason.
func TestTheEndIsTold(t *testing.T) {
	ended := protocol.NewError(protocol.CodeCrashed, "a stopped with exit code 3", "restart it")
	for name, test := range map[string]struct {
		end  func(*agentpool.Share, *agent)
		want string
	}{
		"by itself":              {func(_ *agentpool.Share, a *agent) { a.die(nil) }, "a stopped: it gave no reason"},
		"with an error":          {func(_ *agentpool.Share, a *agent) { a.die(errors.New("a pipe broke")) }, "a stopped: a pipe broke"},
		"with a driver's reason": {func(_ *agentpool.Share, a *agent) { a.die(ended) }, ended.Message},
		"by us":                  {func(p *agentpool.Share, _ *agent) { p.End("it hangs"); p.End("later") }, "a stopped: it hangs"},
	} {
		pool, one, two := newPool(t), newUser(), newUser()
		f := &fake{shared: true}
		p, other := get(t, pool, one, f.starter("a")), get(t, pool, two, f.starter("a"))
		test.end(p, f.agents[0])
		if <-one.gone != p || <-two.gone != other {
			t.Errorf("%s: another share is over", name)
		}
		if why := p.Reason(); why.Message != test.want || why.Code != protocol.CodeCrashed {
			t.Errorf("%s: it ended because %+v, want %q", name, why, test.want)
		}
	}
}

func TestARetiredProcessTakesNobody(t *testing.T) {
	pool, one, two := newPool(t), newUser(), newUser()
	f := &fake{shared: true}
	p := get(t, pool, one, f.starter("a"))
	p.Retire()
	if get(t, pool, two, f.starter("a")).Process == p.Process {
		t.Error("a process that is dying was given to somebody")
	}
	if p.Over() {
		t.Error("it was ended while it is used")
	}
}

func TestCloseEndsEverything(t *testing.T) {
	pool, one, two := newPool(t), newUser(), newUser()
	f := &fake{}
	all := []*agentpool.Share{get(t, pool, one, f.starter("a")), get(t, pool, two, f.starter("b"))}
	pool.Close()
	if slices.ContainsFunc(all, func(p *agentpool.Share) bool { return !p.Over() }) {
		t.Error("a process runs on")
	}
	if p := <-one.gone; !strings.Contains(p.Reason().Message, "Pilotfish stopped it") {
		t.Errorf("it ended because %+v", p.Reason())
	}
	<-two.gone
	if _, err := pool.Get(t.Context(), one, f.starter("a"), ""); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("a closed pool says %v", err)
	}
}
