package server_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// THREATS 66: the secret of an address for scripts is good in the path or in Authorization, and
// nowhere else; it opens nothing but that socket, which closes when it is revoked. That of an
// address of MCP is the same. No log has either (harness).
func TestShareAddress(t *testing.T) {
	w := start(t, nil)
	grant, token := w.mint(auth.KindShare)
	conn, status, err := w.upgrade(t.Context(), protocol.SharePath, token, "")
	if err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	defer func() { _ = conn.CloseNow() }()
	header := http.Header{"Authorization": {"Bearer " + token}}
	address := fmt.Sprintf("ws://127.0.0.1:%d%s", w.port, protocol.SharePath)
	second, _, err := websocket.Dial(t.Context(), address, &websocket.DialOptions{HTTPClient: w.client, HTTPHeader: header}) //nolint:bodyclose // Dial replaces the body by a copy in memory
	if err != nil {
		t.Fatal(err)
	}
	_ = second.CloseNow()
	for path, want := range map[string]int{
		protocol.SharePath + token + "x":   http.StatusUnauthorized,
		protocol.SharePath + token + "/":   http.StatusUnauthorized,
		protocol.SharePath + token[1:]:     http.StatusUnauthorized,
		"/share":                           http.StatusNotFound,
		"/share?token=" + token:            http.StatusBadRequest,
		protocol.SharePath + "?x=" + token: http.StatusUnauthorized,
		"/tabs/" + token:                   http.StatusNotFound,
		"/x" + protocol.SharePath + token:  http.StatusNotFound,
	} {
		if got := w.do(t, ask{path: path}); got.status != want {
			t.Errorf("%s: %d, want %d", path, got.status, want)
		}
	}
	tools, open := w.mint(auth.KindShareMCP)
	mcp := func(path, secret, origin string) int {
		t.Helper()
		return w.do(t, ask{method: http.MethodPost, path: path, origin: origin, token: secret, body: "{}"}).status
	}
	for _, c := range []struct {
		path, secret, origin string
		want                 int
	}{
		{protocol.ShareMCPPath + open, "", "", http.StatusOK},
		{protocol.ShareMCPPath, open, "", http.StatusOK},
		{protocol.ShareMCPPath + open, "", "https://evil.test", http.StatusForbidden},
		{protocol.ShareMCPPath + open + "/", "", "", http.StatusUnauthorized},
		{protocol.ShareMCPPath + token, "", "", http.StatusForbidden},
		{protocol.ShareMCPPath, "", "", http.StatusUnauthorized},
		{"/mcp", open, "", http.StatusForbidden},
		{"/command", open, "", http.StatusForbidden},
	} {
		if got := mcp(c.path, c.secret, c.origin); got != c.want {
			t.Errorf("%s of %q: %d, want %d", c.path, c.origin, got, c.want)
		}
	}
	w.auth.Revoke(tools.ID)
	if got := mcp(protocol.ShareMCPPath+open, "", ""); got != http.StatusUnauthorized {
		t.Errorf("a revoked address of MCP: %d", got)
	}
	for _, origin := range []string{"https://evil.test", "null", "http://127.0.0.1"} {
		if _, status, err := w.upgrade(t.Context(), protocol.SharePath, token, origin); err == nil || status != http.StatusForbidden {
			t.Errorf("a page of %s: %d", origin, status)
		}
	}
	expiring, another := w.mint(auth.KindShare)
	third, status, err := w.upgrade(t.Context(), protocol.SharePath, another, "")
	if err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	if _, err := w.auth.Rotate(expiring.ID, time.Millisecond); err != nil {
		t.Fatal(err)
	}
	if _, _, err := third.Read(t.Context()); websocket.CloseStatus(err) != protocol.CloseUnauthorized {
		t.Errorf("a socket whose time is over ends with %v", err)
	}
	w.auth.Revoke(grant.ID)
	if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != protocol.CloseUnauthorized {
		t.Errorf("the socket ends with %v", err)
	}
	if _, status, err := w.upgrade(t.Context(), protocol.SharePath, token, ""); err == nil || status != http.StatusUnauthorized {
		t.Errorf("after the end: %d", status)
	}
}
