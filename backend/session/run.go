package session

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"strconv"
	"time"

	"golang.org/x/sync/errgroup"

	"pilotfish/backend/auth"
	"pilotfish/backend/instance"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/supervise"
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
	m.ctx, m.guard, m.ending = own, guard, false
	m.mu.Unlock()

	listener, err := m.listen(ctx, 0)
	if err != nil {
		m.setProblem(err)
		return err
	}
	group, groupCtx := errgroup.WithContext(own)
	group.Go(func() error { return m.serve(groupCtx, listener) })
	group.Go(func() error { return m.rotate(groupCtx) })
	warm := m.prober.Warm(groupCtx)
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
	m.announceEnd()
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

// listen opens the loopback listener: on the port before, if it is free, so that
// running agents find us again; else on any.
func (m *Manager) listen(ctx context.Context, port int) (net.Listener, error) {
	var config net.ListenConfig
	listener, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && port != 0 {
		listener, err = config.Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("opening the loopback listener: %w", err)
	}
	return listener, nil
}

// serve keeps the server running: after a fault it is started again, and every
// panel is paired anew.
func (m *Manager) serve(ctx context.Context, listener net.Listener) error {
	policy := supervise.DefaultPolicy()
	err := supervise.Run(ctx, policy, func(ctx context.Context) error {
		if listener == nil {
			var err error
			if listener, err = m.listen(ctx, m.Port()); err != nil {
				return err
			}
		}
		// A key of its own for each listener: whoever takes an old port cannot
		// have the new one prove itself in its place.
		m.renewKey()
		mcp := gateway{m}.newMCP()
		defer func() { _ = mcp.Close() }() // its sessions end with the server
		srv, err := server.New(server.Config{
			Auth: m.auth, Sessions: gateway{m}, Version: m.cfg.Version, Listener: listener, Key: m.serverKey(), Welcome: m.cfg.Welcome, Logger: m.cfg.Logger, MCP: mcp.ServeMCP, Commands: commandDocs(),
			Models: m.Models(), Tasks: m.serverTasks, Chat: m.conversations,
		})
		port := listener.Addr().(*net.TCPAddr).Port
		listener = nil
		if err != nil {
			return err
		}
		if err := m.announce(port); err != nil {
			return err
		}
		return m.runServer(ctx, srv)
	}, func(e supervise.Event) {
		switch {
		case e.Kind == supervise.Again:
			m.log.Info("the server is started again on request")
		case e.Err != nil:
			m.log.Warn("server ended", "error", e.Err, "kind", e.Kind, "wait", e.Wait)
		}
	})
	if err != nil && ctx.Err() == nil {
		m.setProblem(protocol.NewError(protocol.CodeInternal, "The local server cannot be kept running: "+err.Error(), "quit and start Pilotfish again; the log has the details"))
	}
	return err
}

// runServer runs one server until ctx ends, it fails, or RestartServer is called.
func (m *Manager) runServer(ctx context.Context, srv *server.Server) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	m.mu.Lock()
	m.endServer = cancel
	m.mu.Unlock()
	err := srv.Run(ctx)
	if errors.Is(context.Cause(ctx), supervise.ErrAgain) {
		return supervise.ErrAgain
	}
	return err
}

// RestartServer opens a new listener in place of the one that is there. Open
// sockets end; panels come back by themselves. It returns at once, so that the
// request that asks for it can be answered.
func (m *Manager) RestartServer() {
	m.mu.Lock()
	end := m.endServer
	m.mu.Unlock()
	if end != nil {
		end(supervise.ErrAgain)
	}
}

// Port is the server's, 0 while it is down.
func (m *Manager) Port() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.port
}

// announce tells everybody the port: the command line by its file, the panels
// through their browsers' pipes.
func (m *Manager) announce(port int) error {
	m.mu.Lock()
	m.port = port
	m.mu.Unlock()
	if err := m.writeEndpoint(); err != nil {
		return err
	}
	m.eachSession(func(s *Session) { s.pair() })
	m.changed()
	return nil
}

// writeEndpoint mints the cli token when there is none yet, and writes
// pilotfish.json.
func (m *Manager) writeEndpoint() error {
	m.mu.Lock()
	if m.cliToken == "" {
		grant, secret := m.auth.Mint(auth.KindCLI, auth.Grant{
			Actor:  protocol.Actor{Kind: protocol.ActorShell, Name: "shell"},
			Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin},
		}, 0)
		m.cliToken, m.cliGrant = secret.Reveal(), grant.ID
	}
	endpoint := protocol.Endpoint{Port: m.port, Token: m.cliToken, App: m.cfg.Version, Headless: m.cfg.Headless, Ending: m.ending}
	m.mu.Unlock()
	if err := instance.WriteEndpoint(m.cfg.Dirs.EndpointFile(), endpoint); err != nil {
		return fmt.Errorf("writing the endpoint file: %w", err)
	}
	return nil
}

// announceEnd says in the endpoint file that no command should come any more:
// whoever needs a session waits for the end and starts the next.
func (m *Manager) announceEnd() {
	m.mu.Lock()
	was, listening := m.ending, m.cliToken != ""
	m.ending = true
	m.mu.Unlock()
	if was || !listening {
		return
	}
	if err := m.writeEndpoint(); err != nil {
		m.log.Warn("the end could not be announced", "error", err)
	}
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
			m.mu.Lock()
			secret, err := m.auth.Rotate(m.cliGrant, 0)
			if err == nil {
				m.cliToken = secret.Reveal()
			}
			m.mu.Unlock()
			if err == nil {
				err = m.writeEndpoint()
			}
			if err != nil {
				m.log.Error("command line's token could not be rotated", "error", err)
			}
		}
	}
}

// RotateTokens gives every panel a new token now; the old ones are honoured for
// protocol.RotatedTokenGrace.
func (m *Manager) RotateTokens() {
	m.eachSession(func(s *Session) { s.rotatePanelToken() })
}

// renewKey makes the key by which the next server proves itself.
func (m *Manager) renewKey() {
	key := make([]byte, protocol.TokenBytes)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	m.mu.Lock()
	m.key = key
	m.mu.Unlock()
}

func (m *Manager) serverKey() []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.key
}

// pairingKey is the server's key as Pairing carries it.
func (m *Manager) pairingKey() string { return base64.RawURLEncoding.EncodeToString(m.serverKey()) }
