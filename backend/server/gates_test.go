package server_test

import (
	"bufio"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
)

// routeCase is a route, and the kinds of token that are valid for it (none: no
// token needed).
type routeCase struct {
	method, path string
	kinds        []auth.Kind
	socket       bool
	extension    bool // requires the extension's Origin
}

// routeTable lists every route a second time. It must agree with routes.go and
// with the capabilities in package auth.
var routeTable = slices.Concat([]routeCase{
	{method: "GET", path: "/health"},
	{method: "GET", path: "/welcome"},
	{method: "POST", path: "/pair", extension: true},
	{method: "POST", path: "/panel/tabs", extension: true, kinds: []auth.Kind{auth.KindPanel}},
	{method: "POST", path: "/panel/allow", extension: true, kinds: []auth.Kind{auth.KindPanel}},
	{method: "POST", path: "/panel/done", extension: true, kinds: []auth.Kind{auth.KindPanel}},
	{method: "GET", path: "/panel", kinds: []auth.Kind{auth.KindPanel}, socket: true, extension: true},
	{method: "POST", path: "/pty-session", kinds: []auth.Kind{auth.KindPanel}, extension: true},
	{method: "POST", path: "/pty-restart", kinds: []auth.Kind{auth.KindPanel}, extension: true},
	{method: "POST", path: "/pty-close", kinds: []auth.Kind{auth.KindPanel}, extension: true},
	{method: "GET", path: "/ws", kinds: []auth.Kind{auth.KindAttach}, socket: true, extension: true},
	{method: "GET", path: "/share/", kinds: []auth.Kind{auth.KindShare}, socket: true},
	{method: "POST", path: "/mcp/", kinds: []auth.Kind{auth.KindShareMCP}},
	{method: "GET", path: "/mcp/", kinds: []auth.Kind{auth.KindShareMCP}},
	{method: "DELETE", path: "/mcp/", kinds: []auth.Kind{auth.KindShareMCP}},
	{method: "POST", path: "/shares", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/command", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "POST", path: "/batch", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/tabs", kinds: []auth.Kind{auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/agents", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "POST", path: "/agents/probe", kinds: []auth.Kind{auth.KindPanel, auth.KindCLI}},
	{method: "POST", path: "/agent-status", kinds: []auth.Kind{auth.KindAgent}},
	{method: "POST", path: "/agent-permission", kinds: []auth.Kind{auth.KindAgent}},
	{method: "POST", path: "/app", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/task/answer", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/schedules", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/control-page", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/clients", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/stored", kinds: []auth.Kind{auth.KindCLI}},
	{method: "POST", path: "/mcp", kinds: []auth.Kind{auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/mcp", kinds: []auth.Kind{auth.KindAgent, auth.KindCLI}},
	{method: "DELETE", path: "/mcp", kinds: []auth.Kind{auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/activity/history", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/activity/stream", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "POST", path: "/activity/search", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "POST", path: "/activity/shot", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "GET", path: "/file?path=shot.png", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}},
	{method: "POST", path: "/inspector/pick", extension: true, kinds: []auth.Kind{auth.KindPanel}},
}, chatTable(), taskTable())

// chatTable lists which kinds of token are valid for the routes of
// conversations: an agent's for none. Only the panel may answer a question; the operation
// checks that.
func chatTable() []routeCase {
	user := []auth.Kind{auth.KindPanel, auth.KindCLI}
	panel := []auth.Kind{auth.KindPanel}
	var table []routeCase
	for _, path := range []string{"/chat/route-rule", "/chat/screenshot", "/chat/file"} {
		table = append(table, routeCase{method: "POST", path: path, kinds: panel, extension: true})
	}
	for _, name := range []string{"answer", "start", "send", "cancel", "queue", "set", "restart", "delete", "terminal", "resume", "sign-in", "history", "list", "search", "past", "paths", "export"} {
		table = append(table, routeCase{method: "POST", path: "/chat/" + name, kinds: user})
	}
	for _, path := range []string{"/chat/list", "/chat/history?conversation=c1&limit=2&before=9", "/chat/export?conversation=c1", "/chat/stream?conversation=c1"} {
		table = append(table, routeCase{method: "GET", path: path, kinds: user})
	}
	return table
}

// taskTable lists the routes below /task and /llm: programs may start tasks,
// and only the panel runs them and uses models.
func taskTable() []routeCase {
	var table []routeCase
	for _, name := range []string{"run", "stop", "get", "list", "routines"} {
		table = append(table, routeCase{method: "POST", path: "/task/" + name, kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}})
	}
	table = append(table, routeCase{method: "GET", path: "/task/stream?task=x", kinds: []auth.Kind{auth.KindPanel, auth.KindAgent, auth.KindCLI}})
	for _, path := range []string{
		"/task/write", "/task/order", "/task/command", "/task/plain", "/task/tools", "/task/tool", "/task/tab", "/task/picture", "/task/delete", "/task/close", "/task/save-routine", "/task/delete-routine",
		"/llm/profiles", "/llm/save", "/llm/delete", "/llm/models", "/llm/test", "/llm/local", "/llm/call",
	} {
		table = append(table, routeCase{method: "POST", path: path, kinds: []auth.Kind{auth.KindPanel}, extension: true})
	}
	return table
}

// bodyFor returns a valid body for each route.
func bodyFor(method, path string) string {
	switch {
	case method != "POST":
		return ""
	case path == "/batch":
		return `{"commands":[{"command":"url"}]}`
	default:
		return "{}"
	}
}

// Every route is in the matrix.
func TestMatrixHasEveryRoute(t *testing.T) {
	tried := map[string]bool{}
	for _, rt := range append(controlTable(), routeTable...) {
		path, _, _ := strings.Cut(rt.path, "?")
		tried[rt.method+" "+path] = true
	}
	// The reference has every route; see TestReference.
	reference, err := os.ReadFile(filepath.Join("..", "..", "docs", "reference", "http.md"))
	if err != nil {
		t.Fatal(err)
	}
	routes := regexp.MustCompile(`(?m)^## ([A-Z]+ /\S*)$`).FindAllStringSubmatch(string(reference), -1)
	if len(routes) < 30 {
		t.Fatalf("%d routes", len(routes))
	}
	for _, rt := range routes {
		if !tried[rt[1]] {
			t.Errorf("%s is not in routeTable, which says whose tokens may take it", rt[1])
		}
	}
}

// try sends a request to a route with a token, as a socket upgrade if the route
// is a socket, and returns the status.
func (w *world) try(t *testing.T, method, path, origin, token string, socket bool) int {
	t.Helper()
	if strings.Contains(path, "/stream") || strings.Contains(path, "/events") {
		return w.tryStream(t, path, origin, token)
	}
	if !socket {
		return w.do(t, ask{method: method, path: path, origin: origin, token: token, body: bodyFor(method, path)}).status
	}
	conn, status, err := w.upgrade(t.Context(), path, token, origin)
	if err == nil {
		_ = conn.CloseNow()
	}
	return status
}

// THREATS 16 and 11: a token of one kind is not valid for another kind's
// routes.
func TestMatrixOfTokensAndRoutes(t *testing.T) {
	w := start(t, nil)
	for _, rt := range routeTable {
		for _, kind := range []auth.Kind{auth.KindPanel, auth.KindAttach, auth.KindAgent, auth.KindCLI, auth.KindShare, auth.KindShareMCP, auth.KindControl} {
			_, token := w.mint(kind)
			want := http.StatusForbidden
			switch {
			case len(rt.kinds) == 0 || slices.Contains(rt.kinds, kind) && !rt.socket:
				want = http.StatusOK
			case slices.Contains(rt.kinds, kind):
				want = http.StatusSwitchingProtocols
			}
			if got := w.try(t, rt.method, rt.path, protocol.ExtensionOrigin, token, rt.socket); got != want {
				t.Errorf("%s %s with a token of kind %s: %d, want %d", rt.method, rt.path, kind, got, want)
			}
		}
	}
}

// THREATS 4 and 23: being on this machine gives no access.
func TestEveryRouteNeedsAToken(t *testing.T) {
	w := start(t, nil)
	grant, stale := w.mint(auth.KindCLI)
	w.auth.Revoke(grant.ID)
	for _, rt := range routeTable {
		if len(rt.kinds) == 0 {
			continue
		}
		for name, token := range map[string]string{"none": "", "stale": stale} {
			if got := w.try(t, rt.method, rt.path, protocol.ExtensionOrigin, token, rt.socket); got != http.StatusUnauthorized {
				t.Errorf("%s %s with token %s: %d, want 401", rt.method, rt.path, name, got)
			}
		}
	}
	if n := w.fixture.count(""); n != 0 {
		t.Errorf("%d calls got through", n)
	}
}

// THREATS 1 and 5: an origin other than our extension's gets no access,
// whatever its token; and without an Origin, the panel's routes are refused.
func TestForeignOriginsAreRefused(t *testing.T) {
	w := start(t, nil)
	foreign := []string{
		"http://evil.com", "https://evil.com", "http://localhost:3000", "null", "file://",
		fmt.Sprintf("http://127.0.0.1:%d", w.port), fmt.Sprintf("http://localhost:%d", w.port),
		"chrome-extension://abcdefghijklmnopabcdefghijklmnop",
	}
	foreign = append(foreign, lookAlikes()...)
	for _, rt := range routeTable {
		mint := func() (token string) {
			if len(rt.kinds) > 0 {
				_, token = w.mint(rt.kinds[0])
			}
			return token
		}
		for _, origin := range foreign {
			if got := w.try(t, rt.method, rt.path, origin, mint(), rt.socket); got != http.StatusForbidden {
				t.Errorf("%s %s from %s: %d, want 403", rt.method, rt.path, origin, got)
			}
		}
		if !rt.extension {
			continue
		}
		if got := w.try(t, rt.method, rt.path, "", mint(), rt.socket); got != http.StatusForbidden {
			t.Errorf("%s %s without an origin: %d, want 403", rt.method, rt.path, got)
		}
	}
	if n := w.fixture.count(""); n != 0 {
		t.Errorf("%d calls got through", n)
	}
	// A panel token outside the extension is refused for POST routes that accept
	// other kinds of token too.
	_, token := w.mint(auth.KindPanel)
	if got := w.try(t, "POST", "/agents/probe", "", token, false); got != http.StatusForbidden {
		t.Errorf("stolen panel token: %d, want 403", got)
	}
	two := w.do(t, ask{path: "/health", header: http.Header{"Origin": {protocol.ExtensionOrigin, "http://evil.com"}}})
	if two.status != http.StatusForbidden {
		t.Errorf("two origins: %d, want 403", two.status)
	}
}

// lookAlikes are origins that a careless comparison would accept.
func lookAlikes() []string {
	id := protocol.ExtensionID
	return []string{
		"chrome-extension://" + id + ".evil",
		"chrome-extension://" + id + ".evil.com",
		"chrome-extension://" + strings.ToUpper(id),
		"Chrome-Extension://" + id,
		"chrome-extension://" + id + "/",
		"chrome-extension://" + id + ":80",
		"chrome-extension://" + id[:31],
		"chrome-extension://x" + id,
		"chrome-extension://evil@" + id,
		"https://" + id,
		"moz-extension://" + id,
		protocol.ExtensionOrigin + " http://evil.com",
	}
}

// THREATS 2, 3 and 9: the server responds only to its own loopback names.
func TestForeignHostsAreRefused(t *testing.T) {
	w := start(t, nil)
	port := ":" + strconv.Itoa(w.port)
	for _, host := range []string{
		"evil.test" + port, "evil.test", "0.0.0.0" + port, "127.1" + port, "127.0.0.2" + port, "127.0.0.1",
		"localhost", "127.0.0.1:1", "LOCALHOST" + port, "localhost." + port, "[::]" + port, "[::ffff:127.0.0.1]" + port,
		"2130706433" + port, "127.0.0.1" + port + ".evil.test", "192.168.1.1" + port,
	} {
		for _, rt := range routeTable {
			got := w.do(t, ask{method: rt.method, path: rt.path, host: host, body: bodyFor(rt.method, rt.path)})
			if got.status != http.StatusMisdirectedRequest {
				t.Errorf("%s %s at %s: %d, want 421", rt.method, rt.path, host, got.status)
			}
		}
		// A socket whose Origin equals its Host: DNS rebinding.
		_, token := w.mint(auth.KindPanel)
		got := w.do(t, ask{path: "/panel", host: host, origin: "http://" + host, header: http.Header{
			"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
			"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="}, "Sec-Websocket-Protocol": {protocol.Version + ", token." + token},
		}})
		if got.status != http.StatusMisdirectedRequest {
			t.Errorf("upgrade at %s: %d, want 421", host, got.status)
		}
	}
	// With an address as for a proxy, the Host header would not count.
	for _, host := range []string{"evil.test", "127.0.0.1" + port} {
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", "127.0.0.1"+port)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = conn.Close() })
		fmt.Fprintf(conn, "GET http://127.0.0.1%s/health HTTP/1.1\r\nHost: %s\r\n\r\n", port, host)
		got, err := http.ReadResponse(bufio.NewReader(conn), nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = got.Body.Close()
		if got.StatusCode != http.StatusMisdirectedRequest {
			t.Errorf("an absolute address with Host %s: %d, want 421", host, got.StatusCode)
		}
	}
	for _, host := range []string{"127.0.0.1" + port, "localhost" + port, "[::1]" + port} {
		if got := w.do(t, ask{path: "/health", host: host}); got.status != http.StatusOK {
			t.Errorf("%s: %d, want 200", host, got.status)
		}
	}
}

// THREATS 6: requests that a page can send without a CORS preflight have no
// effect.
func TestSimpleRequestsHaveNoEffect(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	for _, kind := range []string{"text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "none", "application/jsonp", "text/plain; application/json"} {
		got := w.do(t, ask{method: "POST", path: "/app", token: token, kind: kind, body: `{"action":"quit"}`})
		if got.status != http.StatusUnsupportedMediaType {
			t.Errorf("%s: %d, want 415", kind, got.status)
		}
	}
	for _, rt := range routeTable {
		if rt.method != "POST" || strings.HasPrefix(rt.path, "/mcp") { // it has other methods too
			continue
		}
		reads := slices.ContainsFunc(routeTable, func(other routeCase) bool {
			path, _, _ := strings.Cut(other.path, "?")
			return other.method == "GET" && path == rt.path
		})
		for _, method := range []string{"GET", "HEAD", "PUT", "DELETE", "PATCH", "TRACE"} {
			if method == "GET" && reads {
				continue // a route that only reads also has GET, for curl
			}
			if got := w.do(t, ask{method: method, path: rt.path, token: token}); got.status != http.StatusMethodNotAllowed {
				t.Errorf("%s %s: %d, want 405", method, rt.path, got.status)
			}
		}
	}
	if n := w.fixture.count(""); n != 0 {
		t.Errorf("%d calls got through", n)
	}
	ok := w.do(t, ask{method: "POST", path: "/app", token: token, kind: "application/json; charset=utf-8", body: `{"action":"status"}`})
	if ok.status != http.StatusOK {
		t.Errorf("JSON with a charset: %d, %s", ok.status, ok.body)
	}
}

// THREATS 7: only our extension gets CORS headers that let it read.
func TestCORSIsForTheExtensionOnly(t *testing.T) {
	w := start(t, nil)
	for _, origin := range append(lookAlikes(), "http://evil.com", "http://localhost:3000", "null", "*") {
		for _, rt := range routeTable {
			got := w.do(t, ask{method: "OPTIONS", path: rt.path, origin: origin, header: http.Header{"Access-Control-Request-Method": {rt.method}}})
			if allowed := got.header.Get("Access-Control-Allow-Origin"); allowed != "" || got.status != http.StatusForbidden {
				t.Errorf("preflight of %s from %s: %d, allows %q", rt.path, origin, got.status, allowed)
			}
		}
	}
	for _, rt := range routeTable {
		got := w.do(t, ask{method: "OPTIONS", path: rt.path, origin: protocol.ExtensionOrigin, header: http.Header{
			"Access-Control-Request-Method": {rt.method}, "Access-Control-Request-Private-Network": {"true"},
		}})
		h := got.header
		if got.status != http.StatusNoContent || h.Get("Access-Control-Allow-Origin") != protocol.ExtensionOrigin ||
			h.Get("Access-Control-Allow-Methods") != rt.method || h.Get("Access-Control-Allow-Private-Network") != "true" {
			t.Errorf("preflight of %s by the extension: %d, %v", rt.path, got.status, h)
		}
		if h.Get("Access-Control-Allow-Credentials") != "" {
			t.Errorf("%s: credentials are allowed", rt.path)
		}
	}
	wrong := w.do(t, ask{method: "OPTIONS", path: "/app", origin: protocol.ExtensionOrigin, header: http.Header{"Access-Control-Request-Method": {"DELETE"}}})
	if wrong.status != http.StatusForbidden {
		t.Errorf("preflight of a method that does not exist: %d", wrong.status)
	}
}

// THREATS 13, and the headers of every reply, including errors.
func TestHeadersAndTokensInURLs(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	for _, query := range []string{"?token=" + token, "?Token=x", "?access_token=x", "?a=b&auth-token=", "?tok%65n=x"} {
		for _, path := range []string{"/health", "/tabs", "/welcome", "/panel"} {
			if got := w.do(t, ask{path: path + query, token: token}); got.status != http.StatusBadRequest {
				t.Errorf("%s%s: %d, want 400", path, query, got.status)
			}
		}
	}
	if got := w.do(t, ask{path: "/health?%zz"}); got.status != http.StatusBadRequest {
		t.Errorf("broken query: %d, want 400", got.status)
	}
	for _, a := range []ask{
		{path: "/health"},
		{path: "/welcome"},
		{path: "/nothing"},
		{path: "/health", host: "evil.test"},
		{path: "/tabs"},
		{path: "/tabs", token: token},
		{path: "/tabs", origin: "http://evil.com"},
	} {
		h := w.do(t, a).header
		for name, want := range map[string]string{
			"Referrer-Policy": "no-referrer", "Cache-Control": "no-store", "X-Content-Type-Options": "nosniff",
			"Vary": "Origin", "X-Frame-Options": "DENY", "Access-Control-Allow-Origin": "",
		} {
			if got := h.Get(name); got != want {
				t.Errorf("%s: %s is %q, want %q", a.path, name, got, want)
			}
		}
	}
	if csp := w.do(t, ask{path: "/welcome"}).header.Get("Content-Security-Policy"); csp != "default-src 'none'" {
		t.Errorf("the welcome page's policy is %q", csp)
	}
}

func TestWhatIsNotInTheTableDoesNotExist(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	for _, path := range []string{"/", "/debug/pprof/", "/json", "/json/version", "/health/", "//health", "/health/../app", "/HEALTH", "/metrics", "/favicon.ico", "/app/", "/.git/config"} {
		if got := w.do(t, ask{path: path, token: token}); got.status != http.StatusNotFound {
			t.Errorf("%s: %d, want 404", path, got.status)
		}
	}
	if got := w.do(t, ask{method: "OPTIONS", path: "/app"}); got.status != http.StatusMethodNotAllowed {
		t.Errorf("OPTIONS without an origin: %d, want 405", got.status)
	}
	if got := w.do(t, ask{method: "OPTIONS", path: "/x", origin: protocol.ExtensionOrigin}); got.status != http.StatusNotFound {
		t.Errorf("preflight of nothing: %d, want 404", got.status)
	}
}

func TestTokensAreReadStrictly(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	for _, value := range []string{"bearer " + token, "Bearer  " + token, "Basic " + token, token, "Bearer", "Bearer ", "Bearer " + token + "x", "Bearer " + token[:42]} {
		got := w.do(t, ask{path: "/tabs", header: http.Header{"Authorization": {value}}})
		if got.status != http.StatusUnauthorized || got.err.Code != protocol.CodeUnauthorized {
			t.Errorf("a malformed header: %d", got.status)
		}
	}
	twice := w.do(t, ask{path: "/tabs", header: http.Header{"Authorization": {"Bearer " + token, "Bearer " + token}}})
	if twice.status != http.StatusUnauthorized {
		t.Errorf("two headers: %d", twice.status)
	}
	// A socket's token is a subprotocol, never a header, and our version must be
	// offered.
	_, panel := w.mint(auth.KindPanel)
	base := http.Header{
		"Connection": {"Upgrade"}, "Upgrade": {"websocket"}, "Sec-Websocket-Version": {"13"},
		"Sec-Websocket-Key": {"dGhlIHNhbXBsZSBub25jZQ=="},
	}
	for offer, want := range map[string]int{
		"":                                    http.StatusUnauthorized,
		protocol.Version:                      http.StatusUnauthorized,
		protocol.Version + ", token.":         http.StatusUnauthorized,
		"token." + panel:                      http.StatusBadRequest,
		"pilotfish.v0, token." + panel:        http.StatusBadRequest,
		"token." + panel + ", token." + panel: http.StatusUnauthorized,
	} {
		header := base.Clone()
		header["Sec-Websocket-Protocol"] = []string{offer}
		got := w.do(t, ask{path: "/panel", origin: protocol.ExtensionOrigin, token: panel, header: header})
		if got.status != want {
			t.Errorf("an offer of %d bytes: %d, want %d", len(offer), got.status, want)
		}
	}
	// A valid token without an upgrade does not make a socket.
	got := w.do(t, ask{path: "/panel", origin: protocol.ExtensionOrigin, header: http.Header{"Sec-Websocket-Protocol": {protocol.Version + ", token." + panel}}})
	if got.status != http.StatusUpgradeRequired {
		t.Errorf("no upgrade: %d, want 426", got.status)
	}
}

func TestBodiesAreBounded(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindCLI)
	big := `{"command":"` + strings.Repeat("a", protocol.MaxBody) + `"}`
	got := w.do(t, ask{method: "POST", path: "/command", token: token, body: big})
	if got.status != http.StatusRequestEntityTooLarge || got.err.Code != protocol.CodeTooLarge {
		t.Errorf("a body over the limit: %d, %s", got.status, got.err.Code)
	}
	for _, body := range []string{"", "{", "[]", `"x"`, "{} {}", "\x00"} {
		got := w.do(t, ask{method: "POST", path: "/command", token: token, body: body})
		if got.status != http.StatusBadRequest || got.err.Code != protocol.CodeBadArgument {
			t.Errorf("body %q: %d, %s", body, got.status, got.err.Code)
		}
	}
	if n := w.fixture.count("command"); n != 0 {
		t.Errorf("%d commands got through", n)
	}
	head := w.do(t, ask{path: "/health", header: http.Header{"X-Big": {strings.Repeat("a", protocol.MaxHeaderBytes+8<<10)}}}) // net/http reads up to 8 KiB ahead
	if head.status != http.StatusRequestHeaderFieldsTooLarge {
		t.Errorf("a header over the limit: %d, want 431", head.status)
	}
}

// THREATS 16: what a caller claims about itself is ignored.
func TestClaimedScopesAreIgnored(t *testing.T) {
	w := start(t, nil)
	_, token := w.mint(auth.KindAgent)
	body := `{"command":"url","scope":"admin","scopes":["admin"],"grant":{"kind":"cli"},"actor":{"kind":"person"},"kind":"cli","session":"other"}`
	got := w.do(t, ask{method: "POST", path: "/command", token: token, body: body, header: http.Header{"X-Scope": {"admin"}}})
	if got.status != http.StatusOK {
		t.Fatalf("%d, %s", got.status, got.body)
	}
	grant := w.fixture.lastGrant(t)
	if grant.Kind != auth.KindAgent || !slices.Equal(grant.Scopes, auth.Scopes{protocol.ScopeRead}) || grant.Session != "s" {
		t.Errorf("the grant became %+v", grant)
	}
	// An agent cannot choose another session in the query either; the user's shell
	// can.
	w.do(t, ask{path: "/tabs?session=other", token: token})
	if grant := w.fixture.lastGrant(t); grant.Session != "s" {
		t.Errorf("an agent reached session %q", grant.Session)
	}
	_, cli := w.mint(auth.KindCLI)
	w.do(t, ask{path: "/tabs?session=other", token: cli})
	if grant := w.fixture.lastGrant(t); grant.Session != "other" {
		t.Errorf("the shell reached session %q", grant.Session)
	}
	if got := w.do(t, ask{path: "/tabs?session=../x", token: cli}); got.status != http.StatusBadRequest {
		t.Errorf("a session that could be a path: %d", got.status)
	}
}

// THREATS 8: no listener that another machine could reach.
func TestOnlyLoopbackListenersAreServed(t *testing.T) {
	for _, address := range []string{"0.0.0.0:0", "[::]:0", ":0", "127.0.0.2:0"} {
		ln, err := net.Listen("tcp", address) //nolint:noctx // the address is what the test refuses
		if err != nil {
			t.Fatal(err)
		}
		srv, err := server.New(server.Config{
			Auth: auth.New(auth.Config{}), Sessions: newFixture(), Key: []byte(testKey),
			Listener: ln, Logger: slog.New(slog.DiscardHandler),
		})
		if err != nil {
			t.Fatal(err)
		}
		if err := srv.Run(t.Context()); err == nil || !strings.Contains(err.Error(), "refusing") {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
		if _, err := ln.Accept(); err == nil {
			t.Errorf("%s still listens", address)
		}
	}
	w := start(t, nil)
	// Another loopback address of this machine does not respond on our port.
	if c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.2:%d", w.port)); err == nil { //nolint:noctx // refused at once
		_ = c.Close()
		t.Error("127.0.0.2 answers")
	}
}
