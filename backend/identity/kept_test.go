package identity_test

import (
	"fmt"
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

// What opens an engine is shown nowhere, is kept when a form gives the mask back, and goes to
// no other engine.
func TestKeysOfAnEngineAreMasked(t *testing.T) {
	for _, browser := range []string{"wss://example.com/chromium?token=pa55", "grid+https://me:pa55@example.com/", "wss://example.com/"} {
		file := put(t, filepath.Join(t.TempDir(), "settings.toml"), []byte("[sessions.work]\nbrowser = '"+browser+"'\nbrowser_header = 'X-Key: pa55'\n"))
		s := identity.New(identity.Config{Name: "work", Settings: open(t, file), Logger: slog.New(slog.DiscardHandler)})
		saved := func() protocol.SessionIdentity {
			id, err := identity.Read(file, "work")
			if err != nil {
				t.Error(err)
			}
			return id
		}
		before := saved()
		shown, err := s.Kept()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{fmt.Sprintf("%+v", shown), fmt.Sprintf("%+v", *s.Facts()), fmt.Sprintf("%+v", identity.Describe(&before))} {
			if strings.Contains(text, "pa55") || !strings.Contains(text, "example.com") {
				t.Error(text)
			}
		}
		if err := s.Keep(shown); err != nil || saved().Browser != browser || saved().BrowserHeader != "X-Key: pa55" {
			t.Errorf("%+v, %v", saved(), err)
		}
		shown.Browser = strings.Replace(shown.Browser, "example.com", "example.org", 1)
		if err := s.Keep(shown); err != nil || strings.Contains(fmt.Sprintf("%+v", saved()), "pa55") {
			t.Errorf("another engine gets the key: %+v, %v", saved(), err)
		}
	}
	for _, id := range []protocol.SessionIdentity{
		{BrowserHeader: "X-Key: pa55"},
		{BrowserSecret: "key"},
		{Browser: "wss://example.com/", BrowserSecret: "No Name"},
		{Browser: "wss://example.com/", BrowserHeader: "pa55"},
		{Browser: "ws://example.com/?token=pa55"},
		{Browser: "wss://example.com/", Proxy: "http://h:1"},
	} {
		if err := identity.Check(id); err == nil || strings.Contains(err.Error(), "pa55") {
			t.Errorf("%+v: %v", id, err)
		}
	}
}
