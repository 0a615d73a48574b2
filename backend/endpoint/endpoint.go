// Package endpoint keeps the loopback server running and announces its address.
// The command line reads the port and token from a file; a panel gets them
// through its browser's pipe. The package owns the listener, the key with which
// a server proves its identity, and the cli token. Its caller supplies the
// server itself.
package endpoint

import (
	"context"
	"crypto/rand"
	"encoding/base64"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"strconv"
	"sync"

	"pilotfish/backend/auth"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
	"pilotfish/backend/supervise"
)

// Config is what an Endpoint needs. All fields are required.
type Config struct {
	// File is where the command line finds the endpoint.
	File string
	// Version is the app's version.
	Version  string
	Headless bool
	Auth     *auth.Authority
	// Make returns a server that serves on a listener and proves its identity with
	// a key.
	Make   func(listener net.Listener, key []byte) (Server, error)
	Logger *slog.Logger
}

// Server is one HTTP server. Run begins when the file has its port, and returns when ctx
// ends or it fails; it closes its listener.
type Server interface {
	Run(ctx context.Context) error
	Close()
}

// Endpoint is the address at which the app can be reached. Its methods are safe
// for concurrent use.
type Endpoint struct {
	cfg Config
	log *slog.Logger

	mu    sync.Mutex
	port  int    // 0 while there is none
	key   []byte // proves the current server's identity to the panel; see protocol.Pairing
	end   context.CancelCauseFunc
	token string // of the command line
	grant string
	// ending: the file says that this app is ending.
	ending bool
}

// New returns an Endpoint that does not listen yet.
func New(cfg Config) *Endpoint {
	return &Endpoint{cfg: cfg, log: cfg.Logger.With("component", "endpoint")}
}

// Listen opens a loopback listener for Run: on the previous port if it is free,
// so that running agents can reach the server again; else on any port.
func (e *Endpoint) Listen(ctx context.Context) (net.Listener, error) {
	var config net.ListenConfig
	port := e.Port()
	listener, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	if err != nil && port != 0 {
		listener, err = config.Listen(ctx, "tcp4", "127.0.0.1:0")
	}
	if err != nil {
		return nil, fmt.Errorf("opening the loopback listener: %w", err)
	}
	return listener, nil
}

// Run serves on a listener until ctx ends, and returns the cause of ctx. When a
// server fails, Run makes a new one on a new listener. It returns CodeInternal
// when that happens too often.
func (e *Endpoint) Run(ctx context.Context, listener net.Listener) error {
	err := supervise.Run(ctx, supervise.DefaultPolicy(), func(ctx context.Context) error {
		if listener == nil {
			var err error
			if listener, err = e.Listen(ctx); err != nil {
				return err
			}
		}
		// Each listener has its own key. A program that takes over an old port cannot
		// use the new server to prove its identity.
		srv, err := e.cfg.Make(listener, e.renewKey())
		port := listener.Addr().(*net.TCPAddr).Port
		listener = nil
		if err != nil {
			return err
		}
		defer srv.Close()
		return e.serve(ctx, srv, port)
	}, func(event supervise.Event) {
		switch {
		case event.Kind == supervise.Again:
			e.log.Info("the server is started again on request")
		case event.Err != nil:
			e.log.Warn("server ended", "error", event.Err, "kind", event.Kind, "wait", event.Wait)
		}
	})
	if err != nil && ctx.Err() == nil {
		return protocol.NewError(protocol.CodeInternal, "The local server cannot be kept running: "+err.Error(), "quit and start Pilotfish again; the log has the details")
	}
	return err
}

// serve announces a server and runs it until ctx ends, it fails, or Restart is
// called. The cancel function is stored before the announcement, because a
// client may call Restart as soon as it knows the address.
func (e *Endpoint) serve(ctx context.Context, srv Server, port int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	e.mu.Lock()
	e.end = cancel
	e.mu.Unlock()
	if err := e.announce(port); err != nil {
		return err
	}
	err := srv.Run(ctx)
	if errors.Is(context.Cause(ctx), supervise.ErrAgain) {
		return supervise.ErrAgain
	}
	return err
}

// Restart replaces the current listener with a new one. Open sockets end, and
// panels reconnect by themselves. It returns at once, so that the request that
// asks for it gets its reply.
func (e *Endpoint) Restart() {
	e.mu.Lock()
	end := e.end
	e.mu.Unlock()
	if end != nil {
		end(supervise.ErrAgain)
	}
}

// Port is the server's port; 0 while it is down.
func (e *Endpoint) Port() int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.port
}

// URL is the address at which agents reach the server.
func (e *Endpoint) URL() string { return fmt.Sprintf("http://127.0.0.1:%d", e.Port()) }

// Key is the server's key as encoded in a Pairing.
func (e *Endpoint) Key() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return base64.RawURLEncoding.EncodeToString(e.key)
}

func (e *Endpoint) renewKey() []byte {
	key := make([]byte, protocol.TokenBytes)
	_, _ = rand.Read(key) // never fails: crypto/rand ends the program instead
	e.mu.Lock()
	e.key = key
	e.mu.Unlock()
	return key
}

func (e *Endpoint) announce(port int) error {
	e.mu.Lock()
	e.port = port
	e.mu.Unlock()
	return e.write()
}

// write creates the cli token if there is none yet, and writes the file.
func (e *Endpoint) write() error {
	e.mu.Lock()
	if e.token == "" {
		grant, secret := e.cfg.Auth.Mint(auth.KindCLI, auth.Grant{
			Actor:  protocol.Actor{Kind: protocol.ActorShell, Name: "shell"},
			Scopes: auth.Scopes{protocol.ScopeRead, protocol.ScopeAct, protocol.ScopeSensitive, protocol.ScopeAdmin},
		}, 0)
		e.token, e.grant = secret.Reveal(), grant.ID
	}
	file := protocol.Endpoint{Port: e.port, Token: e.token, App: e.cfg.Version, Headless: e.cfg.Headless, Ending: e.ending}
	e.mu.Unlock()
	if err := instance.WriteEndpoint(e.cfg.File, file); err != nil {
		return fmt.Errorf("writing the endpoint file: %w", err)
	}
	return nil
}

// End writes to the file that the app is ending and takes no more commands. A
// command line that needs a session then waits for the end and starts the next
// app.
func (e *Endpoint) End() {
	e.mu.Lock()
	was, announced := e.ending, e.token != ""
	e.ending = true
	e.mu.Unlock()
	if was || !announced {
		return
	}
	if err := e.write(); err != nil {
		e.log.Warn("the end could not be announced", "error", err)
	}
}

// NewToken writes a new token for the command line to the file. The earlier one stays as
// it is: the caller ends it.
func (e *Endpoint) NewToken() error {
	e.mu.Lock()
	e.token, e.grant = "", ""
	e.mu.Unlock()
	return e.write()
}

// RotateToken gives the command line a new token. The old one stays valid for
// protocol.RotatedTokenGrace.
func (e *Endpoint) RotateToken() {
	e.mu.Lock()
	secret, err := e.cfg.Auth.Rotate(e.grant, 0)
	if err == nil {
		e.token = secret.Reveal()
	}
	e.mu.Unlock()
	if err == nil {
		err = e.write()
	}
	if err != nil {
		e.log.Error("command line's token could not be rotated", "error", err)
	}
}
