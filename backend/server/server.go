package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Config is what a Server needs. Auth, Sessions, Key and Logger are required.
type Config struct {
	Auth     *auth.Authority
	Sessions Sessions
	// Version is the app's version, for GET /health.
	Version string
	// Listener is where to listen. Run closes it, so the server can run only once.
	Listener net.Listener
	// Key is the secret with which GET /health answers a challenge. Only the
	// paired panel has it.
	Key []byte
	// Welcome serves GET /welcome and sets its own Content-Security-Policy; nil
	// means that there is no such route.
	Welcome http.Handler
	// Control is the control page; nil means that there is none.
	Control *controlpage.Page
	// Operations are what clients may ask for; those with a route are served.
	Operations []op.Operation
	Logger     *slog.Logger
}

// Server is the loopback server.
type Server struct {
	auth       *auth.Authority
	sessions   Sessions
	version    string
	listener   net.Listener
	key        []byte
	welcome    http.Handler
	control    *controlpage.Page
	operations []op.Operation
	log        *slog.Logger

	routes map[string]map[string]route // by path, then method
	begun  time.Time
}

// New returns a Server that does not serve yet.
func New(cfg Config) (*Server, error) {
	if cfg.Auth == nil || cfg.Sessions == nil || cfg.Listener == nil || len(cfg.Key) == 0 || cfg.Logger == nil {
		return nil, errors.New("the server needs Auth, Sessions, Listener, Key and Logger")
	}
	s := &Server{
		auth:       cfg.Auth,
		sessions:   cfg.Sessions,
		version:    cfg.Version,
		listener:   cfg.Listener,
		key:        cfg.Key,
		welcome:    cfg.Welcome,
		control:    cfg.Control,
		operations: cfg.Operations,
		log:        cfg.Logger.With("component", "server"),
		begun:      time.Now(),
	}
	s.routes = s.table()
	return s, nil
}

// Run serves until ctx ends, and then returns nil. Open requests
// may finish within protocol.ShutdownGrace. When Run returns, all goroutines of
// the server have ended.
func (s *Server) Run(ctx context.Context) error {
	port, err := loopbackPort(s.listener)
	if err != nil {
		return errors.Join(err, s.listener.Close())
	}
	conns := newConnLimit(s.listener, maxConnections, s.log)
	// Requests outlive ctx by the grace period. Sockets watch the channel stopping
	// themselves, so that they can send a close frame.
	base, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	stop, halt := context.WithCancel(ctx)
	defer halt()
	g := &gates{Server: s, port: port, stopping: stop.Done()}
	srv := &http.Server{
		Handler:           g,
		BaseContext:       func(net.Listener) context.Context { return base },
		ConnContext:       withConn,
		ConnState:         conns.answered,
		ReadHeaderTimeout: protocol.ReadHeaderTimeout,
		IdleTimeout:       idleTimeout,
		// net/http adds 4 KiB of its own, and 4 KiB more on a connection that is
		// reused.
		MaxHeaderBytes: protocol.MaxHeaderBytes - 4096,
		ErrorLog:       slog.NewLogLogger(s.log.Handler(), slog.LevelDebug),
	}
	s.log.Info("listening", "port", port)

	var served error
	var serving sync.WaitGroup
	ended := make(chan struct{})
	serving.Go(func() {
		defer close(ended)
		served = srv.Serve(conns)
	})
	select {
	case <-ctx.Done():
	case <-ended:
	}
	halt()
	conns.dropIdle()
	grace, cancel := context.WithTimeout(base, protocol.ShutdownGrace)
	defer cancel()
	if err := srv.Shutdown(grace); err != nil {
		s.log.Info("requests were cut off at the end", "error", err)
	}
	g.drain(grace)
	cut()
	conns.closeAll()
	_ = srv.Close() // all connections are closed already
	g.drain(context.WithoutCancel(ctx))
	serving.Wait()
	if ctx.Err() == nil && !errors.Is(served, http.ErrServerClosed) {
		return fmt.Errorf("serve: %w", served)
	}
	return nil
}

// loopbackPort returns the listener's port. It rejects a listener that other
// machines could reach.
func loopbackPort(ln net.Listener) (int, error) {
	addr, ok := ln.Addr().(*net.TCPAddr)
	if !ok {
		return 0, fmt.Errorf("refusing to listen on %s: not a TCP address", ln.Addr())
	}
	if ip := addr.IP.String(); ip != "127.0.0.1" && ip != "::1" {
		return 0, fmt.Errorf("refusing to listen on %s: only 127.0.0.1 and ::1 are out of reach for other machines", ip)
	}
	return addr.Port, nil
}
