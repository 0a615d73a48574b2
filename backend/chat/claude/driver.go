package claude

import (
	"context"
	"errors"
	"log/slog"
	"sync"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/stdio"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Config is what the driver needs.
type Config struct {
	// Guard ends the agents when this program dies; it may be nil.
	Guard  *proc.Guard
	Logger *slog.Logger
}

// Driver starts claude.
type Driver struct{ cfg Config }

var _ driver.Driver = (*Driver)(nil)

// New returns a Driver. It starts nothing.
func New(cfg Config) *Driver {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Logger = cfg.Logger.With("component", "claude")
	return &Driver{cfg}
}

// Start returns an agent whose process starts with its one session.
func (d *Driver) Start(life context.Context, launch driver.Launch) (driver.Agent, error) {
	return &agent{cfg: d.cfg, life: life, launch: launch, done: make(chan struct{})}, nil
}

// agent is a process that starts with its session.
type agent struct {
	cfg    Config
	life   context.Context //nolint:containedctx // the process starts later than the agent
	launch driver.Launch
	done   chan struct{}

	mu      sync.Mutex
	opened  bool
	closed  bool
	process *stdio.Process
}

// Shared returns false: a process serves one session.
func (a *agent) Shared() bool { return false }

// Past returns nothing: the sessions of claude are known from its files.
func (a *agent) Past(context.Context) ([]protocol.PastSession, error) { return nil, nil }

// SignIn returns an error: claude signs in only on its own screen.
func (a *agent) SignIn(context.Context, string) error {
	return protocol.NewError(protocol.CodeBadArgument, a.launch.Name+" is signed in to in a terminal", "start claude in a terminal and type /login")
}

// Open starts the process with a new session, or with the session cfg.Resume.
func (a *agent) Open(ctx context.Context, cfg driver.SessionConfig, sink driver.Sink) (driver.Session, error) {
	a.mu.Lock()
	was := a.opened || a.closed
	a.opened = true
	a.mu.Unlock()
	if was {
		return nil, protocol.NewError(protocol.CodeBusy, a.launch.Name+" has its session already", "start another process")
	}
	s, err := a.start(cfg, sink)
	if err != nil {
		close(a.done)
		return nil, err
	}
	go a.watch(s)
	if err := s.initialize(ctx); err != nil {
		// The reason why the process ended is more useful than the timeout.
		if closeErr := a.process.Close(context.WithoutCancel(ctx)); closeErr != nil {
			return nil, errors.Join(err, closeErr)
		}
		return nil, s.explained(err)
	}
	return s, nil
}

func (a *agent) start(cfg driver.SessionConfig, sink driver.Sink) (*session, error) {
	s := newSession(a, cfg, sink)
	cfg.Tools, s.lacks = driver.Usable(a.launch.Name, cfg.Tools, true)
	for _, tool := range cfg.Tools {
		s.servers[tool.Name] = true
	}
	launch := a.launch
	launch.Dir = cfg.Dir
	launch.Args = s.args(cfg)
	launch.Env = environment(launch.Env, cfg.Tools)
	launch.Stderr = func(line string) {
		s.heard(line)
		if a.launch.Stderr != nil {
			a.launch.Stderr(line)
		}
	}
	_, err := stdio.Start(a.life, stdio.Config{
		Launch: launch, Guard: a.cfg.Guard, Logger: a.cfg.Logger,
		Connect: func(process *stdio.Process) func([]byte) error {
			s.process = process
			a.mu.Lock()
			a.process = process
			a.mu.Unlock()
			return s.line
		},
	})
	if err != nil {
		return nil, err
	}
	return s, nil
}

// watch ends everything when the process has ended.
func (a *agent) watch(s *session) {
	<-a.process.Done()
	s.ended(a.process.Err())
	close(a.done)
}

// Done is closed when the process has ended and its last message was handled.
func (a *agent) Done() <-chan struct{} { return a.done }

// Err returns why the process ended.
func (a *agent) Err() error {
	a.mu.Lock()
	process := a.process
	a.mu.Unlock()
	if process == nil {
		return nil
	}
	return process.Err()
}

// Close ends the process. It must not be called from a Sink.
func (a *agent) Close(ctx context.Context) error {
	a.mu.Lock()
	process, never := a.process, !a.opened && !a.closed
	a.closed = true
	a.mu.Unlock()
	if never {
		close(a.done)
	}
	if process != nil {
		if err := process.Close(ctx); err != nil {
			return err
		}
	}
	return stdio.Await(ctx, a.done, a.launch.Name)
}
