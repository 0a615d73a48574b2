package endpoint

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// served is a fake server: it serves nothing, until the test makes it fail.
type served struct {
	listener net.Listener
	key      []byte
	fail     chan error
	runs     func(*served)
	closed   bool
}

func (s *served) Run(ctx context.Context) error {
	s.runs(s)
	defer s.listener.Close()
	select {
	case err := <-s.fail:
		return err
	case <-ctx.Done():
		return nil
	}
}

func (s *served) Close() { s.closed = true }

// place is a running Endpoint, with the servers that it made.
type place struct {
	*Endpoint
	auth *auth.Authority
	made chan *served // receives each server when it runs
	end  func() error
}

func run(t *testing.T) *place {
	t.Helper()
	p := &place{auth: auth.New(auth.Config{}), made: make(chan *served, 8)}
	p.Endpoint = New(Config{
		File: filepath.Join(t.TempDir(), "pilotfish.json"), Version: "1.2.3", Headless: true, Auth: p.auth,
		Make: func(listener net.Listener, key []byte) (Server, error) {
			return &served{listener: listener, key: key, fail: make(chan error, 1), runs: func(s *served) { p.made <- s }}, nil
		},
		Logger: slog.New(slog.DiscardHandler),
	})
	listener, err := p.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- p.Run(ctx, listener) }()
	p.end = func() error {
		cancel()
		if err := <-ended; !errors.Is(err, context.Canceled) {
			return err
		}
		return nil
	}
	t.Cleanup(cancel)
	return p
}

func (p *place) read(t *testing.T) protocol.Endpoint {
	t.Helper()
	file, err := instance.ReadEndpoint(p.cfg.File)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The file has the server's address before anything else is notified. Only the
// user can read it, and its token is valid for commands. It also says when the
// app ends.
func TestTheFileSaysWhere(t *testing.T) {
	p := run(t)
	first := <-p.made
	file := p.read(t)
	if file.Port != first.listener.Addr().(*net.TCPAddr).Port || file.Port != p.Port() || file.App != "1.2.3" || !file.Headless || file.Ending {
		t.Errorf("%+v", file)
	}
	if info, err := os.Stat(p.cfg.File); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
	if grant, err := p.auth.Check(file.Token, auth.CapabilityCommand); err != nil || grant.Kind != auth.KindCLI {
		t.Errorf("%+v, %v", grant, err)
	}
	p.RotateToken()
	next := p.read(t)
	if _, err := p.auth.Check(next.Token, auth.CapabilityCommand); err != nil || next.Token == file.Token {
		t.Errorf("the next token: %v", err)
	}
	p.End()
	if file, _ := instance.ReadEndpoint(p.cfg.File); !file.Ending {
		t.Error("the file does not say that the app ends")
	}
	if err := p.end(); err != nil || !first.closed {
		t.Errorf("%v, closed %t", err, first.closed)
	}
}

// A server that is restarted or fails is replaced by one at the same port, with
// another key.
func TestAServerComesAgain(t *testing.T) {
	p := run(t)
	servers := []*served{<-p.made}
	p.Restart()
	servers = append(servers, <-p.made)
	servers[1].fail <- errors.New("a fault")
	servers = append(servers, <-p.made)
	for i, s := range servers {
		if s.listener.Addr().String() != servers[0].listener.Addr().String() {
			t.Errorf("server %d is at %s", i, s.listener.Addr())
		}
		if slices.ContainsFunc(servers[:i], func(before *served) bool { return slices.Equal(before.key, s.key) }) || len(s.key) != protocol.TokenBytes {
			t.Errorf("server %d has an old key", i)
		}
	}
	if !servers[0].closed || !servers[1].closed || servers[2].closed {
		t.Error("a server that ended was not closed")
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A new token of the command line is in the file, and another one; the earlier one stays
// valid until it is ended.
func TestANewToken(t *testing.T) {
	p := run(t)
	<-p.made
	before, err := instance.ReadEndpoint(p.cfg.File)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.NewToken(); err != nil {
		t.Fatal(err)
	}
	after, err := instance.ReadEndpoint(p.cfg.File)
	if err != nil || after.Token == before.Token || after.Port != before.Port {
		t.Errorf("%v: a new token: %v", err, after.Token != before.Token)
	}
	for _, token := range []string{before.Token, after.Token} {
		if _, err := p.auth.Check(token, auth.CapabilityApp); err != nil {
			t.Error(err)
		}
	}
	if err := p.end(); err != nil {
		t.Error(err)
	}
}

// A restart that is requested as soon as the endpoint is known is not lost.
func TestARestartAtOnce(t *testing.T) {
	made, again := 0, make(chan struct{})
	var e *Endpoint
	e = New(Config{
		File: filepath.Join(t.TempDir(), "pilotfish.json"), Auth: auth.New(auth.Config{}), Logger: slog.New(slog.DiscardHandler),
		Make: func(listener net.Listener, _ []byte) (Server, error) {
			return &served{listener: listener, runs: func(*served) {
				if made++; made == 1 {
					e.Restart()
				} else {
					close(again)
				}
			}}, nil
		},
	})
	listener, err := e.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- e.Run(ctx, listener) }()
	select {
	case <-again:
	case <-time.After(3 * time.Minute):
		t.Error("it was lost")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// If the previous port is taken, the endpoint uses another one.
func TestThePortIsTaken(t *testing.T) {
	p := run(t)
	first := <-p.made
	port := p.Port()
	if err := p.end(); err != nil {
		t.Fatal(err)
	}
	taken, err := net.Listen("tcp4", first.listener.Addr().String()) //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	listener, err := p.Listen(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if got := listener.Addr().(*net.TCPAddr).Port; got == port || got == 0 {
		t.Errorf("it listens on %d", got)
	}
}
