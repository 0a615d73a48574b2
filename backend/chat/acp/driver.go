package acp

import (
	"context"
	"log/slog"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/chat/stdio"
	"pilotfish/backend/proc"
)

// Config is what the driver needs.
type Config struct {
	// Version is Pilotfish's version, which is sent to the agent.
	Version string
	// Guard ends the agents when this program dies; it may be nil.
	Guard  *proc.Guard
	Logger *slog.Logger
}

// Driver starts agents that speak ACP.
type Driver struct{ cfg Config }

var _ driver.Driver = (*Driver)(nil)

// New returns a Driver. It starts nothing.
func New(cfg Config) *Driver {
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	cfg.Logger = cfg.Logger.With("component", "acp")
	return &Driver{cfg}
}

// Start starts the agent's process. The first session waits until the agent has
// reported its capabilities.
func (d *Driver) Start(life context.Context, launch driver.Launch) (driver.Agent, error) {
	a := &agent{
		cfg: d.cfg, launch: launch, log: d.cfg.Logger.With("agent", launch.Kind),
		sessions: map[string]*session{}, held: map[string][]*message{},
		initialized: make(chan struct{}), done: make(chan struct{}),
	}
	a.life, a.endLife = context.WithCancelCause(life)
	_, err := stdio.Start(life, stdio.Config{
		Launch: launch, Guard: d.cfg.Guard, Logger: d.cfg.Logger,
		Connect: func(process *stdio.Process) func([]byte) error {
			a.process, a.conn = process, newConn(process.Send, a.incoming, a.log)
			return a.conn.line
		},
	})
	if err != nil {
		a.endLife(err)
		return nil, err
	}
	go a.initialize()
	go a.watch()
	return a, nil
}
