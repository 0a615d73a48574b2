package server_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"pilotfish/backend/auth"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// controlTable lists the routes of the control page. They have an Origin of their own, and a
// token that is bound to a cookie, so that the tests of this file try them.
func controlTable() []routeCase {
	page := []auth.Kind{auth.KindControl}
	return []routeCase{
		{method: "GET", path: "/control/"},
		{method: "POST", path: "/control/token"},
		{method: "POST", path: "/control/call", kinds: page},
		{method: "GET", path: "/control/events", kinds: page, socket: true},
		{method: "GET", path: "/control/view?session=s&tab=t1", kinds: page, socket: true},
	}
}

// visitor is a browser of the user with the control page.
type visitor struct {
	*world
	origin, host, token, cookie string
	page                        protocol.ControlToken
}

// post returns a POST of the page.
func (v *visitor) post(path, body string) ask {
	a := ask{method: http.MethodPost, path: path, host: v.host, origin: v.origin, token: v.token, body: body}
	if v.cookie != "" {
		a.header = http.Header{"Cookie": {v.cookie}}
	}
	return a
}

// upgrade opens a socket of the page.
func (v *visitor) upgrade(ctx context.Context, path string) (*websocket.Conn, int) {
	header := http.Header{"Origin": {v.origin}}
	if v.cookie != "" {
		header.Set("Cookie", v.cookie)
	}
	//nolint:bodyclose // Dial replaces the body by a copy in memory
	conn, res, err := websocket.Dial(ctx, fmt.Sprintf("ws://127.0.0.1:%d%s", v.port, path), &websocket.DialOptions{
		HTTPClient: v.client, HTTPHeader: header, Host: v.host, Subprotocols: []string{protocol.Version, protocol.TokenSubprotocol + v.token},
	})
	if err != nil {
		return nil, res.StatusCode
	}
	return conn, http.StatusSwitchingProtocols
}

// code asks for an address, and returns its code.
func (w *world) code(t *testing.T, public string) string {
	t.Helper()
	at, err := w.control.Address(w.port, protocol.ControlAsk{PublicURL: public})
	if err != nil {
		t.Fatal(err)
	}
	base, code, _ := strings.Cut(at.URL, "#code=")
	if want := fmt.Sprintf("http://127.0.0.1:%d", w.port); public == "" && base != want+controlpage.Prefix || len(code) != 43 {
		t.Fatalf("the address is %s", base)
	}
	w.secret = append(w.secret, code)
	return code
}

// visit exchanges a code at the server's own name, or at a public one.
func (w *world) visit(t *testing.T, public string) *visitor {
	t.Helper()
	v := &visitor{world: w, origin: fmt.Sprintf("http://127.0.0.1:%d", w.port)}
	if public != "" {
		v.origin = public
		_, v.host, _ = strings.Cut(public, "://")
	}
	a := v.post("/control/token", `{"code":"`+w.code(t, public)+`"}`)
	a.header = http.Header{"User-Agent": {"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"}}
	got := w.do(t, a)
	cookies := (&http.Response{Header: got.header}).Cookies()
	if err := json.Unmarshal([]byte(got.body), &v.page); err != nil || got.status != http.StatusOK || len(cookies) != 1 {
		t.Fatalf("the exchange: %d %s, %d cookies", got.status, got.err.Message, len(cookies))
	}
	c := cookies[0]
	if !c.HttpOnly || c.SameSite != http.SameSiteStrictMode || c.Path != controlpage.Prefix || c.Secure != strings.HasPrefix(public, "https") || c.Domain != "" || c.MaxAge < 3600 {
		t.Errorf("the cookie: %+v", c)
	}
	if !strings.HasPrefix(v.page.Name, "Firefox on Linux (") {
		t.Errorf("the page is called %q", v.page.Name)
	}
	v.token, v.cookie = v.page.Token, c.Name+"="+c.Value
	w.secret = append(w.secret, v.token, c.Value)
	return v
}

// serve gives the page operations.
func (w *world) serve() {
	w.control.Serve(op.NewTable(nil,
		op.New("State", func(_ context.Context, call op.Call, _ op.None) (string, error) { return call.Place, nil }),
		op.Do("Quit", func(context.Context, op.Call, op.None) error { panic("it quits") }).OnDesktop(),
	))
}

// THREATS 62: the code counts once, the token is of no use without the cookie of its browser,
// wrong ones are refused, no token of another kind is good, and revoking closes the sockets.
func TestControlPage(t *testing.T) {
	w := start(t, nil)
	w.serve()
	own := fmt.Sprintf("http://127.0.0.1:%d", w.port)
	for _, rt := range controlTable() { // off until asked for
		if got := w.do(t, ask{method: rt.method, path: rt.path, origin: own, body: "{}"}); got.status != http.StatusNotFound {
			t.Errorf("%s before anybody asked for it: %d", rt.path, got.status)
		}
	}
	code := w.code(t, "")
	exchange := func(origin, code string) int {
		return w.do(t, ask{method: "POST", path: "/control/token", origin: origin, body: `{"code":"` + code + `"}`}).status
	}
	for origin, want := range map[string]int{"": 403, "http://evil.example": 403, "null": 403, protocol.ExtensionOrigin: 403, strings.Replace(own, "127.0.0.1", "localhost", 1): 403} {
		if got := exchange(origin, code); got != want {
			t.Errorf("the code from %q: %d", origin, got)
		}
	}
	if got := exchange(own, code+"x"); got != http.StatusUnauthorized {
		t.Errorf("a wrong code: %d", got)
	}
	if got := exchange(own, code); got != http.StatusOK {
		t.Errorf("the code: %d", got)
	}
	if got := exchange(own, code); got != http.StatusUnauthorized {
		t.Errorf("the code once more: %d", got)
	}

	v, other := w.visit(t, ""), w.visit(t, "")
	for name, a := range map[string]ask{
		"no cookie":                  {method: "POST", path: "/control/call", origin: own, token: v.token, body: `{"op":"State"}`},
		"the cookie of another page": {method: "POST", path: "/control/call", origin: own, token: v.token, body: `{"op":"State"}`, header: http.Header{"Cookie": {other.cookie}}},
		"a wrong cookie":             {method: "POST", path: "/control/call", origin: own, token: v.token, body: `{"op":"State"}`, header: http.Header{"Cookie": {v.cookie + "x"}}},
		"no Origin":                  {method: "POST", path: "/control/call", token: v.token, body: `{"op":"State"}`, header: http.Header{"Cookie": {v.cookie}}},
		"the extension's Origin":     {method: "POST", path: "/control/call", origin: protocol.ExtensionOrigin, token: v.token, body: `{"op":"State"}`, header: http.Header{"Cookie": {v.cookie}}},
	} {
		if got := w.do(t, a); got.status != http.StatusForbidden {
			t.Errorf("a token with %s: %d", name, got.status)
		}
	}
	for _, c := range []struct {
		token, cookie string
		want          int
	}{{"", v.cookie, 401}, {"guess", v.cookie, 401}, {v.token, "", 403}} {
		one := *v
		one.token, one.cookie = c.token, c.cookie
		for _, path := range []string{"/control/events", "/control/view?session=s&tab=t1"} {
			if _, got := one.upgrade(t.Context(), path); got != c.want {
				t.Errorf("%s: %d, want %d", path, got, c.want)
			}
		}
	}
	for _, kind := range []auth.Kind{auth.KindPanel, auth.KindAttach, auth.KindAgent, auth.KindCLI} {
		one := *v
		_, one.token = w.mint(kind)
		if got := w.do(t, one.post("/control/call", `{"op":"State"}`)); got.status != http.StatusForbidden {
			t.Errorf("a token of kind %s: %d", kind, got.status)
		}
		if _, got := one.upgrade(t.Context(), "/control/view?session=s&tab=t1"); got != http.StatusForbidden {
			t.Errorf("a live view with a token of kind %s: %d", kind, got)
		}
	}
	if n := w.fixture.count(""); n != 0 {
		t.Errorf("%d calls got through", n)
	}

	var answer protocol.ControlAnswer
	call := func(op string) protocol.ControlAnswer {
		t.Helper()
		got := w.do(t, v.post("/control/call", `{"op":"`+op+`"}`))
		answer = protocol.ControlAnswer{}
		if err := json.Unmarshal([]byte(got.body), &answer); err != nil || got.status != http.StatusOK {
			t.Fatalf("%s: %d %s", op, got.status, got.body)
		}
		return answer
	}
	if got := string(call("State").Data); got != `"control page `+v.page.Name+`"` {
		t.Errorf("the operation is called by %s", got)
	}
	if got := call("Quit").Failed; got == nil || got.Code != protocol.CodeForbidden {
		t.Errorf("quitting from afar: %+v", got)
	}

	events, status := v.upgrade(t.Context(), "/control/events")
	if events == nil {
		t.Fatalf("the events: %d", status)
	}
	view, status := v.upgrade(t.Context(), "/control/view?session=s&tab=t1")
	if view == nil {
		t.Fatalf("the view: %d", status)
	}
	if _, frame, err := view.Read(t.Context()); err != nil || string(frame) != "\x00\x00\x00\x01hi" {
		t.Fatalf("the first picture: %q, %v", frame, err)
	}
	if err := view.Write(t.Context(), websocket.MessageText, []byte(`{"type":"key","key":"Enter"}`)); err != nil {
		t.Fatal(err)
	}
	if _, frame, err := view.Read(t.Context()); err != nil || string(frame) != "\x00\x00\x00\x02Enter" {
		t.Errorf("what came of a key: %q, %v", frame, err)
	}
	if got := w.fixture.lastGrant(t).Session; got != "s" {
		t.Errorf("the view is of session %q", got)
	}
	w.changes.Publish(struct{}{})
	if _, text, err := events.Read(t.Context()); err != nil || !strings.Contains(string(text), `"event":"state"`) {
		t.Errorf("after a change: %s, %v", text, err)
	}
	w.auth.RevokeWhere(func(g auth.Grant) bool { return g.Kind == auth.KindControl })
	for _, conn := range []*websocket.Conn{events, view} {
		if _, _, err := conn.Read(t.Context()); websocket.CloseStatus(err) != protocol.CloseUnauthorized {
			t.Errorf("a socket after its token was revoked: %v", err)
		}
	}
	if got := w.do(t, v.post("/control/call", `{"op":"State"}`)); got.status != http.StatusUnauthorized {
		t.Errorf("after its token was revoked: %d", got.status)
	}
}

// THREATS 63: the page is in no frame, and reached by no name, scheme or port but the
// server's own and those that the user named.
func TestControlPageIsReachedByExactNames(t *testing.T) {
	w := start(t, nil)
	w.serve()
	const public = "https://pilotfish.example"
	v := w.visit(t, public)
	if got := w.do(t, v.post("/control/call", `{"op":"State"}`)); got.status != http.StatusOK {
		t.Fatalf("by its public name: %d %s", got.status, got.body)
	}
	for _, path := range []string{"/control/", "/control/assets/a.js"} {
		got := w.do(t, ask{path: path, host: v.host})
		if got.status != http.StatusOK || !strings.Contains(got.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
			t.Errorf("%s: %d, %q", path, got.status, got.header.Get("Content-Security-Policy"))
		}
		for name, want := range map[string]string{"X-Frame-Options": "DENY", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer", "Access-Control-Allow-Origin": ""} {
			if got.header.Get(name) != want {
				t.Errorf("%s: %s is %q", path, name, got.header.Get(name))
			}
		}
	}
	for _, host := range []string{
		"evil.example", "pilotfish.example.evil.example", "pilotfish.example:443", "PILOTFISH.example", "pilotfish.example.", "x.pilotfish.example",
		"0.0.0.0", "127.0.0.1", fmt.Sprintf("127.0.0.2:%d", w.port),
	} {
		one := *v
		one.host, one.origin = host, "https://"+host // as by rebinding
		for _, a := range []ask{one.post("/control/call", `{"op":"State"}`), {path: "/control/", host: host}} {
			if got := w.do(t, a); got.status != http.StatusMisdirectedRequest {
				t.Errorf("%s at %s: %d", a.path, host, got.status)
			}
		}
	}
	for _, origin := range []string{"http://pilotfish.example", "https://pilotfish.example:443", "https://evil.example", "null", "https://PILOTFISH.example"} {
		one := *v
		one.origin = origin
		if got := w.do(t, one.post("/control/call", `{"op":"State"}`)); got.status != http.StatusForbidden {
			t.Errorf("from %s: %d", origin, got.status)
		}
	}
	// The public name is good for the page only, and its token for no other name.
	for _, rt := range routeTable {
		if got := w.do(t, ask{method: rt.method, path: rt.path, host: v.host, body: bodyFor(rt.method, rt.path)}); got.status != http.StatusMisdirectedRequest {
			t.Errorf("%s at the public name: %d", rt.path, got.status)
		}
	}
	here := *v
	here.host, here.origin = "", fmt.Sprintf("http://127.0.0.1:%d", w.port)
	if got := w.do(t, here.post("/control/call", `{"op":"State"}`)); got.status != http.StatusForbidden {
		t.Errorf("the token at another name: %d", got.status)
	}
	code := w.code(t, public)
	if got := w.do(t, ask{method: "POST", path: "/control/token", origin: here.origin, body: `{"code":"` + code + `"}`}); got.status != http.StatusUnauthorized {
		t.Errorf("the code at another name: %d", got.status)
	}
}
