package session

import (
	"context"
	"errors"
	"net"
	"time"

	"golang.org/x/sync/errgroup"

	"pilotfish/backend/endpoint"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Run serves until ctx ends, then stops every session and returns when nothing
// of them is left. The caller holds the instance lock, and takes the endpoint
// file away before it gives that up: until then the file says that this is ending.
func (m *Manager) Run(ctx context.Context) error {
	defer m.begun.open()
	defer m.first.open()
	if err := proc.Reap(ctx, m.cfg.Dirs.ProcessDir()); err != nil {
		m.log.Warn("processes of a run before could not be ended", "error", err)
	}
	guard := m.startGuard(context.WithoutCancel(ctx))
	// Sessions end in order when ctx ends, so they live in a context of their own.
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
	warm := m.agents.prober.Warm(groupCtx)
	group.Go(func() error { warm(); return nil })
	group.Go(func() error {
		m.startFirst(groupCtx)
		m.begun.open()
		m.ProbeAgents(groupCtx)
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

// startGuard starts the guard of the children and returns what waits until it can
// be relied on: before a first child is started, and not before the other parts
// of a start, which take as long.
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
			// Without it children would survive a SIGKILL of the app until the next
			// start reaps them: worth a warning, not worth refusing to work.
			m.log.Warn("guard could not be started", "error", err)
		}
	}()
	return func() *proc.Guard {
		<-ready
		return guard
	}
}

// startFirst starts the default session, if it is to start with the app, and
// returns when its panel shows a terminal. The app's window and the probe of the
// agents come after it: a dozen programs asked for their versions would delay the
// prompt.
func (m *Manager) startFirst(ctx context.Context) {
	defer m.first.open() // also when there is none
	if !m.cfg.Headless && !m.cfg.Settings.Get().StartSession {
		return
	}
	if err := m.Start(ctx, protocol.DefaultSession); err != nil {
		// What went wrong stands in the session's state, for window and tray.
		m.log.Warn("session could not be started", "session", protocol.DefaultSession, "error", err)
		return
	}
	if m.cfg.Headless {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	if m.firstPanel.wait(ctx) {
		// Beside a tab without a terminal there is no screen to wait for.
		ctx, cancel := context.WithTimeout(ctx, firstScreenTimeout)
		defer cancel()
		m.firstScreen.wait(ctx)
	}
}

// newEndpoint makes what keeps the server running.
func newEndpoint(m *Manager) *endpoint.Endpoint {
	return endpoint.New(endpoint.Config{
		File: m.cfg.Dirs.EndpointFile(), Version: m.cfg.Version, Headless: m.cfg.Headless, Auth: m.auth, Logger: m.cfg.Logger,
		Make: func(listener net.Listener, key []byte) (endpoint.Server, error) {
			return gateway{m}.newServer(listener, key)
		},
		Announced: func() {
			m.eachSession(func(s *Session) { s.pair() })
			m.changed()
		},
	})
}

// rotate replaces the long-lived tokens on schedule. The new ones travel the way
// the first ones did: through the pipe, and by the 0600 file.
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

// RotateTokens gives every panel a new token now; the old ones are honoured for
// protocol.RotatedTokenGrace.
func (m *Manager) RotateTokens() {
	m.eachSession(func(s *Session) { s.rotatePanelToken() })
}
