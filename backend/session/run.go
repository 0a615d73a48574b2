package session

import (
	"context"
	"errors"
	"net"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"

	"pilotfish/backend/attention"
	"pilotfish/backend/endpoint"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Run serves until ctx ends, then stops every session and returns when all
// their parts have ended. The caller holds the instance lock, and removes the
// endpoint file before it releases the lock: until then the file says that this
// app is ending.
func (m *Manager) Run(ctx context.Context) error {
	defer m.begun.Open()
	defer m.first.Open()
	if err := proc.Reap(ctx, m.cfg.Dirs.ProcessDir()); err != nil {
		m.log.Warn("processes of a run before could not be ended", "error", err)
	}
	// What browsers of a run before left is of no use: they have ended.
	if err := m.cfg.Dirs.EmptyTemporary(); err != nil {
		m.log.Warn("temporary files of a run before could not be removed", "error", err)
	}
	guard := m.startGuard(context.WithoutCancel(ctx))
	// Sessions stop in order when ctx ends, so they have a context of their own.
	own, cancel := context.WithCancel(context.WithoutCancel(ctx))
	defer cancel()
	m.mu.Lock()
	m.ctx, m.guard = own, guard
	m.mu.Unlock()

	listener, err := m.endpoint.Listen(ctx)
	if err != nil {
		m.setProblem(err)
		return err
	}
	group, groupCtx := errgroup.WithContext(own)
	group.Go(func() error {
		err := m.endpoint.Run(groupCtx, listener)
		if err != nil && groupCtx.Err() == nil {
			m.setProblem(err)
		}
		return err
	})
	group.Go(func() error { return m.rotate(groupCtx) })
	group.Go(func() error {
		m.confine.Run(groupCtx, m.cfg.Program)
		return nil
	})
	timely, stop := context.WithCancel(groupCtx)
	defer context.AfterFunc(ctx, stop)() // before the sessions stop, so that none is started again
	group.Go(func() error {
		defer stop()
		m.first.Wait(timely) // what is due may need that session
		return m.schedules.Run(timely)
	})
	group.Go(func() error {
		m.notify(timely)
		return nil
	})
	group.Go(func() error {
		m.control.Run(groupCtx)
		return nil
	})
	group.Go(func() error {
		if err := watchFile(groupCtx, m.cfg.Settings.Path(), m.cfg.Settings.Reload); err != nil {
			m.log.Warn("changes of the settings file show at the next start", "error", err)
		}
		return nil
	})
	warm := m.agents.Warm(groupCtx)
	group.Go(func() error { warm(); return nil })
	group.Go(func() error {
		m.startFirst(groupCtx)
		m.begun.Open()
		m.agents.Watch(groupCtx, func(ctx context.Context) { m.ProbeAgents(ctx) })
		return nil
	})

	select {
	case <-ctx.Done():
	case <-groupCtx.Done():
	}
	m.endpoint.End()
	m.eachSession(func(s *Session) { s.beginStop() })
	m.eachSession(func(s *Session) { <-s.ended() })
	cancel()
	err = group.Wait()
	m.eachSession(func(s *Session) {
		s.tasks.Close()
		s.recorder.Close()
	})
	m.running.Wait()
	guard().Close()
	if errors.Is(err, context.Canceled) {
		err = nil
	}
	return err
}

// notify posts what needs the user to the user's webhook until ctx ends.
func (m *Manager) notify(ctx context.Context) {
	changes := m.Changes()
	defer changes.Close()
	var posting sync.WaitGroup
	defer posting.Wait()
	posting.Go(func() { m.webhook.Run(ctx) })
	for {
		// Who gets a message can open a control page.
		attended := m.webhook.On() || !m.unattended()
		m.eachSession(func(s *Session) { s.tasks.SetAttended(attended) })
		if m.webhook.On() { // the state costs something
			m.webhook.Update(attention.Needs(m.Window()))
		}
		select {
		case <-ctx.Done():
			return
		case <-changes.C():
		}
	}
}

// startGuard starts the guard of the children. The returned function waits
// until the guard is ready. It is called before the first child starts, and not
// earlier: the guard's start takes as long as the other parts of a start, and
// they run meanwhile.
func (m *Manager) startGuard(ctx context.Context) func() *proc.Guard {
	ready := make(chan struct{})
	var guard *proc.Guard
	go func() {
		defer close(ready)
		var err error
		guard, err = proc.StartGuard(ctx, proc.GuardConfig{
			Exe: m.cfg.Program, Args: []string{"guard"}, Dir: m.cfg.Dirs.ProcessDir(), Logger: m.cfg.Logger,
		})
		if err != nil {
			// Without the guard, children survive a SIGKILL of the app until the next
			// start reaps them. That is worth a warning, but no reason not to start.
			m.log.Warn("guard could not be started", "error", err)
		}
	}()
	return func() *proc.Guard {
		<-ready
		return guard
	}
}

// startFirst starts the default session, if it starts with the app, and returns
// when its panel shows a terminal. The app's window and the probe of the agents
// come later: the probe runs a dozen programs to get their versions, which
// would delay the prompt.
func (m *Manager) startFirst(ctx context.Context) {
	defer m.first.Open() // also when no session starts
	if !m.cfg.Headless && !m.cfg.Settings.Get().StartSession {
		return
	}
	if err := m.Start(ctx, protocol.DefaultSession); err != nil {
		// The session's state holds the error, for window and tray.
		m.log.Warn("session could not be started", "session", protocol.DefaultSession, "error", err)
		return
	}
	if m.cfg.Headless {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if m.firstPanel.Wait(ctx) {
		// A panel beside a tab without a terminal never shows a screen.
		ctx, cancel := context.WithTimeout(ctx, firstScreenTimeout)
		defer cancel()
		m.firstScreen.Wait(ctx)
	}
}

// newEndpoint returns the endpoint, which keeps the server running.
func newEndpoint(m *Manager) *endpoint.Endpoint {
	return endpoint.New(endpoint.Config{
		File: m.cfg.Dirs.EndpointFile(), Version: m.cfg.Version, Headless: m.cfg.Headless, Auth: m.auth, Logger: m.cfg.Logger,
		Make: func(listener net.Listener, key []byte) (endpoint.Server, error) {
			return gateway{m}.newServer(listener, key)
		},
	})
}

// rotate replaces the long-lived tokens on schedule. The new ones are delivered
// like the first ones: through the pipe, and in the file with mode 0600.
func (m *Manager) rotate(ctx context.Context) error {
	panel := time.NewTicker(protocol.PanelTokenLife)
	defer panel.Stop()
	cli := time.NewTicker(protocol.CLITokenLife)
	defer cli.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-panel.C:
			m.RotateTokens()
		case <-cli.C:
			m.endpoint.RotateToken()
		}
	}
}

// RotateTokens gives every panel a new token now. The old ones stay valid for
// protocol.RotatedTokenGrace.
func (m *Manager) RotateTokens() {
	m.eachSession(func(s *Session) { s.rotatePanelToken() })
}
