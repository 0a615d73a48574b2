package identity_test

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

// The password is not shown, stays when the form is saved, and goes to no other proxy.
func TestKept(t *testing.T) {
	file := put(t, filepath.Join(t.TempDir(), "settings.toml"), []byte("[sessions.work]\nproxy = 'http://ada:hunter2@h.test:1'\n"))
	s := identity.New(identity.Config{Name: "work", Settings: open(t, file), Logger: slog.New(slog.DiscardHandler)})
	saved := func() string {
		id, err := identity.Read(file, "work")
		if err != nil {
			t.Error(err)
		}
		return id.Proxy
	}
	id, err := s.Kept()
	if err != nil || strings.Contains(id.Proxy, "hunter2") || !strings.HasPrefix(id.Proxy, "http://ada:") {
		t.Fatalf("%+v, %v", id, err)
	}
	if err := s.Keep(id); err != nil || saved() != "http://ada:hunter2@h.test:1" {
		t.Errorf("%s, %v", saved(), err)
	}
	id.Proxy = strings.Replace(id.Proxy, "h.test", "evil.test", 1)
	if err := s.Keep(id); err != nil || strings.Contains(saved(), "hunter2") {
		t.Errorf("%s, %v", saved(), err)
	}
	for _, bad := range []protocol.SessionIdentity{{Color: "red"}, {Extensions: []string{"/no/such"}}, {CAFiles: []string{"/no/such.pem"}}} {
		if err := s.Keep(bad); protocol.AsError(err) == nil || protocol.AsError(err).Hint == "" {
			t.Errorf("%+v: %v", bad, err)
		}
	}
	if err := os.WriteFile(file, []byte("[sessions.work]\ncolor = 'red'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Kept(); err == nil {
		t.Error("a value that is wrong was shown")
	}
	if err := s.Keep(protocol.SessionIdentity{}); err == nil {
		t.Error("a file that the user has to correct was written over")
	}
}

func TestProxyTest(t *testing.T) {
	s, _ := session(t, "")
	if _, err := s.Test(t.Context(), nil, ""); err == nil || !strings.Contains(err.Error(), "no proxy") {
		t.Error(err)
	}
	if _, err := s.Test(t.Context(), &protocol.SessionIdentity{Proxy: "ftp://h:1"}, ""); err == nil {
		t.Error("an address that is none was tested")
	}
	l, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed := l.Addr().String()
	_ = l.Close()
	if _, err := s.Test(t.Context(), &protocol.SessionIdentity{Proxy: "http://ada:hunter2@" + closed}, ""); err == nil || strings.Contains(err.Error(), "hunter2") || !strings.Contains(err.Error(), closed) {
		t.Error(err)
	}
}
