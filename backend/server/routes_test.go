package server_test

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

func parse[T any](t *testing.T, body string) (v T) {
	t.Helper()
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		t.Fatalf("%v in %s", err, body)
	}
	return v
}

// THREATS 10: only the server that the panel was paired with can answer the
// challenge.
func TestHealthProvesTheServer(t *testing.T) {
	w := start(t, nil)
	plain := parse[protocol.Health](t, w.do(t, ask{path: "/health"}).body)
	if plain.Status != "ok" || plain.Version != "1.2.3" || plain.Protocol != protocol.Version || plain.Proof != "" {
		t.Errorf("health: %+v", plain)
	}
	challenge := strings.Repeat("0a", 32)
	mac := hmac.New(sha256.New, []byte(testKey))
	mac.Write([]byte(challenge))
	got := parse[protocol.Health](t, w.do(t, ask{path: "/health?challenge=" + challenge}).body)
	if got.Proof != hex.EncodeToString(mac.Sum(nil)) {
		t.Errorf("proof %q", got.Proof)
	}
	other := parse[protocol.Health](t, w.do(t, ask{path: "/health?challenge=" + strings.Repeat("0b", 32)}).body)
	if other.Proof == got.Proof {
		t.Error("two challenges have one proof: it can be replayed")
	}
	for _, bad := range []string{"x", "0", strings.Repeat("0a", 65), "0a%00"} {
		if got := w.do(t, ask{path: "/health?challenge=" + bad}); got.status != http.StatusBadRequest {
			t.Errorf("challenge %q: %d", bad, got.status)
		}
	}
	if strings.Contains(fmt.Sprint(plain, got), testKey) {
		t.Error("the key is in a reply")
	}
}

func TestCommandAndBatch(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindAgent)
	got := w.do(t, ask{method: "POST", path: "/command", token: token, body: `{"command":"goto","tab":"t3","args":{"url":"http://x"},"newer":1}`})
	if reply := parse[protocol.CommandReply](t, got.body); !reply.OK || reply.Text != "goto" {
		t.Errorf("reply %+v", reply)
	}
	if w.fixture.commands[0].Tab != "t3" || string(w.fixture.commands[0].Args["url"]) != `"http://x"` {
		t.Errorf("request %+v", w.fixture.commands[0])
	}
	// The error of a command is inside the reply.
	got = w.do(t, ask{method: "POST", path: "/command", token: token, body: `{"command":"broken"}`})
	if reply := parse[protocol.CommandReply](t, got.body); got.status != http.StatusOK || reply.OK || reply.Error.Code != protocol.CodeUnknownTab {
		t.Errorf("%d, %s", got.status, got.body)
	}
	three := `"commands":[{"command":"a"},{"command":"broken"},{"command":"c"}]`
	for body, want := range map[string]int{"{" + three + "}": 2, "{" + three + `,"keepGoing":true}`: 3} {
		got = w.do(t, ask{method: "POST", path: "/batch", token: token, body: body})
		if reply := parse[protocol.BatchReply](t, got.body); len(reply.Replies) != want || reply.Replies[1].OK {
			t.Errorf("batch %s: %s", body, got.body)
		}
	}
	many := `{"commands":[` + strings.Repeat(`{"command":"a"},`, protocol.MaxBatch) + `{"command":"a"}]}`
	for _, body := range []string{"{}", many} {
		if got := w.do(t, ask{method: "POST", path: "/batch", token: token, body: body}); got.status != http.StatusBadRequest {
			t.Errorf("a batch of %d bytes: %d", len(body), got.status)
		}
	}
}

func TestErrorsKeepTheirCode(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	for code, want := range map[protocol.Code]int{
		protocol.CodeUnknownSession: http.StatusNotFound,
		protocol.CodeNotRunning:     http.StatusConflict,
		protocol.CodeNoInput:        http.StatusConflict,
		protocol.CodeRefused:        http.StatusForbidden,
		protocol.CodeBusy:           http.StatusTooManyRequests,
		protocol.CodeTimeout:        http.StatusGatewayTimeout,
		protocol.CodeInternal:       http.StatusInternalServerError,
	} {
		w.fixture.set(func(h *fixture) { h.fail = fmt.Errorf("tabs: %w", protocol.NewError(code, "what", "do this")) })
		got := w.do(t, ask{path: "/tabs", token: token})
		if got.status != want || got.err.Code != code || got.err.Hint != "do this" {
			t.Errorf("%s: %d, %+v", code, got.status, got.err)
		}
	}
	w.fixture.set(func(h *fixture) { h.fail = errors.New("plain") })
	if got := w.do(t, ask{path: "/agents", token: token}); got.status != 500 || got.err.Code != protocol.CodeInternal {
		t.Errorf("plain error: %d, %+v", got.status, got.err)
	}
}

func TestAPanicTakesOneRequestOnly(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	_, panel := w.mint(auth.KindPanel)
	live := w.panel(t, panel)
	w.fixture.set(func(h *fixture) { h.panicOn = "command" })
	got := w.do(t, ask{method: "POST", path: "/command", token: token, body: "{}"})
	if got.status != http.StatusInternalServerError || got.err.Code != protocol.CodeInternal || strings.Contains(got.body, "as the test asked") {
		t.Errorf("%d, %s", got.status, got.body)
	}
	// A panic in each goroutine of a panel's socket is caught too.
	for _, where := range []string{"hello", "panel-message"} {
		w.fixture.set(func(h *fixture) { h.panicOn = where })
		conn, _, err := w.upgrade(t.Context(), "/panel", panel, protocol.ExtensionOrigin)
		if err != nil {
			t.Fatal(err)
		}
		if where == "panel-message" {
			say(t, conn, protocol.PanelMessage{Type: protocol.PanelViewing, Tab: "t1"})
		}
		if code := closedWith(t.Context(), conn); code != 1011 {
			t.Errorf("panic in %s: closed with %d", where, code)
		}
	}
	w.fixture.set(func(h *fixture) { h.panicOn = "" })
	say(t, live, protocol.PanelMessage{Type: protocol.PanelPing, ID: 1})
	if kind := next(t, live); kind != protocol.PanelPong {
		t.Errorf("the other socket says %q", kind)
	}
	if !strings.Contains(w.logs.String(), "as the test asked") {
		t.Error("the log does not say what happened")
	}
}

// THREATS 11: an attach token is valid for one upgrade, on one route.
func TestAttachTokens(t *testing.T) {
	w := start(t, nil)
	_, panel := w.mint(auth.KindPanel)
	got := w.do(t, ask{method: "POST", path: "/pty-session", origin: protocol.ExtensionOrigin, token: panel, body: `{"tab":"t2","cols":80,"rows":24}`})
	reply := parse[protocol.PtySessionReply](t, got.body)
	if reply.Terminal.ID != "term-1" || reply.Attach == "" || reply.Expires.IsZero() {
		t.Fatalf("%d, %s", got.status, got.body)
	}
	w.secret = append(w.secret, reply.Attach)
	if status := w.try(t, "GET", "/panel", protocol.ExtensionOrigin, reply.Attach, true); status != http.StatusForbidden {
		t.Errorf("for another capability: %d", status)
	}
	conn, status, err := w.upgrade(t.Context(), "/ws", reply.Attach, protocol.ExtensionOrigin)
	if err != nil {
		t.Fatalf("%d, %v", status, err)
	}
	defer func() { _ = conn.CloseNow() }()
	if conn.Subprotocol() != protocol.Version {
		t.Errorf("the server chose %q", conn.Subprotocol())
	}
	if status := w.try(t, "GET", "/ws", protocol.ExtensionOrigin, reply.Attach, true); status != http.StatusUnauthorized {
		t.Errorf("second use: %d", status)
	}
	say(t, conn, "echo")
	if _, data, err := conn.Read(t.Context()); err != nil || string(data) != `"echo"` {
		t.Errorf("echo %q, %v", data, err)
	}
	// The handler has run once it responds; the upgrade alone does not show that.
	if grant := w.fixture.lastGrant(t); grant.Terminal != "term-1" || grant.Session != "s" || grant.Tab != "t2" {
		t.Errorf("grant %+v", grant)
	}
	// The socket ends with the panel's grant.
	w.auth.RevokeWhere(func(g auth.Grant) bool { return g.Kind == auth.KindPanel })
	if code := closedWith(t.Context(), conn); code != protocol.CloseUnauthorized {
		t.Errorf("closed with %d, want %d", code, protocol.CloseUnauthorized)
	}
}

// A route of an operation reaches it, with what it takes and who asks.
func TestOperationsAreReached(t *testing.T) {
	w := start(t, nil)
	for _, c := range []struct {
		a    ask
		kind auth.Kind
		call string
		has  string
	}{
		{ask{method: "POST", path: "/pty-close", origin: protocol.ExtensionOrigin, body: `{"terminal":"x"}`}, auth.KindPanel, "CloseTerminal", `{"took":{"terminal":"x"}}`},
		{ask{path: "/tabs"}, auth.KindAgent, "Tabs", `{"took":{}}`},
		{ask{method: "POST", path: "/agent-status", body: `{"status":"working"}`}, auth.KindAgent, "ReportStatus", `{"took":{"status":"working"}}`},
		{ask{method: "POST", path: "/app", body: `{"action":"status"}`}, auth.KindCLI, "App", `{"took":{"action":"status"}}`},
	} {
		grant, token := w.mint(c.kind)
		c.a.token = token
		got := w.do(t, c.a)
		if got.status != http.StatusOK || got.body != c.has || w.fixture.count(c.call) != 1 || w.fixture.lastGrant(t).ID != grant.ID {
			t.Errorf("%s: %d, %s", c.a.path, got.status, got.body)
		}
	}
	_, token := w.mint(auth.KindCLI)
	for _, body := range []string{"", "{", "{} {}", "\x00"} {
		if got := w.do(t, ask{method: "POST", path: "/app", token: token, body: body}); got.status != http.StatusBadRequest {
			t.Errorf("body %q: %d", body, got.status)
		}
	}
}
