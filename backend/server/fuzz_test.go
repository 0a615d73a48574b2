package server_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// THREATS 4: without a token, nothing but the public routes is answered, whatever
// a request looks like, and no request reaches a session, but the one by which the
// extension's panel waits for its code.
func FuzzRoutes(f *testing.F) {
	for _, rt := range routeTable {
		f.Add(rt.method, rt.path, "", protocol.ExtensionOrigin, bodyFor(rt.method, rt.path))
	}
	f.Add("OPTIONS", "/command", "", protocol.ExtensionOrigin, "")
	f.Add("GET", "/health/../tabs", "evil.example", "https://evil.example", "{}")
	f.Add("HEAD", "//tabs?token=x", "", "null", "[")
	public := []string{"/health", "/welcome"}
	f.Fuzz(func(t *testing.T, method, path, host, origin, body string) {
		w := start(t, newMemoryListener())
		req, err := http.NewRequestWithContext(t.Context(), method, fmt.Sprintf("http://127.0.0.1:%d%s", w.port, path), strings.NewReader(body))
		if err != nil {
			return
		}
		if host != "" {
			req.Host = host
		}
		if origin != "" {
			req.Header.Set("Origin", origin)
		}
		req.Header.Set("Content-Type", "application/json")
		// A client that follows redirects would hide them.
		w.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
		res, err := w.client.Do(req)
		if err != nil {
			return // it is no request
		}
		_ = res.Body.Close()
		open := method == http.MethodGet && slices.Contains(public, req.URL.Path) || origin == protocol.ExtensionOrigin && (method == http.MethodOptions || method == http.MethodPost && req.URL.Path == "/pair")
		if res.StatusCode < 400 && !open {
			t.Errorf("%s %q of %q from %q: %d", method, path, host, origin, res.StatusCode)
		}
		if n := w.fixture.count("") - w.fixture.count("pair"); n != 0 {
			t.Errorf("%s %q of %q from %q reached a session", method, path, host, origin)
		}
	})
}
