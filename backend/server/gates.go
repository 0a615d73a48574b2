package server

import (
	"context"
	"fmt"
	"mime"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/controlpage"
	"pilotfish/backend/protocol"
)

// gates checks every request before its route. The order of the checks is part
// of the contract: Host, token in the URL, route, method, Origin, token,
// content type, body.
type gates struct {
	*Server
	port     int
	stopping <-chan struct{}

	mu     sync.Mutex
	active int
	closed bool
	idle   chan struct{} // closed when drained; nil until somebody waits
}

// ServeHTTP runs the gates and then the request's route, or replies with the
// error.
func (g *gates) ServeHTTP(rw http.ResponseWriter, r *http.Request) {
	if !g.enter() {
		return
	}
	defer g.leave()
	w := &response{ResponseWriter: rw}
	secure(w.Header())
	if r.ContentLength != 0 {
		// The deadline holds until the body is read, or net/http has discarded it.
		// There is none for a request without a body: net/http then reads ahead, and
		// would mistake the deadline for a caller that has disconnected.
		deadline(w, (*http.ResponseController).SetReadDeadline, protocol.ReadBodyTimeout)
	}
	if err := g.guarded(func() error { return g.pass(w, r) }); err != nil {
		w.fail(g.Server, err)
	}
}

// guarded turns a panic of f into an error, so that a request that panics does
// not end the others.
func (s *Server) guarded(f func() error) (err error) {
	defer func() {
		if v := recover(); v != nil {
			s.log.Error("a request panicked", "panic", fmt.Sprint(v), "stack", string(debug.Stack()))
			err = protocol.NewError(protocol.CodeInternal, "an error inside Pilotfish", "the log has the details")
		}
	}()
	return f()
}

// secure sets the headers of every reply.
func secure(h http.Header) {
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Vary", "Origin")
}

// pass runs the gates in their order, and then the route.
func (g *gates) pass(w *response, r *http.Request) error {
	// An address with a host, as for a proxy, would count in place of the Host header.
	own := g.ownHost(r.Host)
	control, public := "", false
	if g.control != nil && g.control.On() && strings.HasPrefix(r.URL.Path, controlpage.Prefix) {
		control, public = g.control.Origin(r.Host, own)
	}
	if !own && !public || r.URL.Host != "" {
		return status(http.StatusMisdirectedRequest, protocol.CodeForbidden, "this server answers to its own loopback names only")
	}
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err != nil {
		return status(http.StatusBadRequest, protocol.CodeBadArgument, "the query cannot be read")
	}
	for name := range query {
		if strings.Contains(strings.ToLower(name), "token") {
			return status(http.StatusBadRequest, protocol.CodeBadArgument, "a token does not belong in a URL")
		}
	}
	secret := ""
	for _, path := range []string{protocol.SharePath, protocol.ShareMCPPath} {
		if rest, shared := strings.CutPrefix(r.URL.Path, path); shared {
			secret = rest
			r.URL.Path, r.URL.RawPath, r.RequestURI = path, "", "" // so that no log has it
		}
	}
	methods, ok := g.routes[r.URL.Path]
	if !ok || control == "" && strings.HasPrefix(r.URL.Path, controlpage.Prefix) { // the control page is off until it is asked for
		return status(http.StatusNotFound, protocol.CodeBadArgument, "there is no such route")
	}
	from := r.Header.Values("Origin")
	if r.Method == http.MethodOptions && len(from) > 0 {
		return preflight(w, r, methods)
	}
	rt, ok := methods[r.Method]
	if !ok {
		return status(http.StatusMethodNotAllowed, protocol.CodeBadArgument, "this route has another method")
	}
	if !originAllowed(rt.origin, from, control) {
		return status(http.StatusForbidden, protocol.CodeForbidden, "this origin is not allowed here")
	}
	if len(from) == 1 && control == "" {
		w.Header().Set("Access-Control-Allow-Origin", protocol.ExtensionOrigin)
	}
	grant, err := g.identify(rt, r, secret)
	if err != nil {
		return err
	}
	if rt.capability != "" {
		defer holdConn(r.Context())()
	}
	if r.Method == http.MethodPost {
		kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
		if err != nil || kind != "application/json" {
			return status(http.StatusUnsupportedMediaType, protocol.CodeBadArgument, "the body must be application/json")
		}
		if r.ContentLength > rt.body {
			return errTooLarge(rt.body)
		}
	}
	r.Body = http.MaxBytesReader(w, r.Body, rt.body)
	begun := time.Now()
	if rt.capability != "" && !rt.socket { // a socket watches its grant itself, and sends a close frame
		ctx, release := g.whileValid(r.Context(), grant)
		defer release()
		r = r.WithContext(ctx)
	}
	err = rt.handle(w, r, call{grant: grant, stopping: g.stopping, own: own})
	g.log.Debug("request", "method", r.Method, "path", rt.path, "kind", string(grant.Kind), "grant", grant.ID, "took", time.Since(begun))
	return err
}

// whileValid returns a context that ends with a grant: a request that the user revokes
// must not finish what it has begun. release frees what watches the grant.
func (g *gates) whileValid(ctx context.Context, grant auth.Grant) (_ context.Context, release func()) {
	ctx, cancel := context.WithCancel(ctx)
	watch := g.auth.Watch(grant.ID)
	stop := watch.OnEnd(cancel)
	return ctx, func() {
		stop()
		watch.Close()
		cancel()
	}
}

// ownHost protects against DNS rebinding: a page can make any name resolve to
// 127.0.0.1, but the browser then sends that name as the Host.
func (g *gates) ownHost(host string) bool {
	port := strconv.Itoa(g.port)
	return slices.Contains([]string{"127.0.0.1:" + port, "localhost:" + port, "[::1]:" + port}, host)
}

// originAllowed compares exactly: no case folding, no prefix, no pattern. control is the
// origin of the control page, below whose path the request is; else empty.
func originAllowed(rule origin, from []string, control string) bool {
	if control != "" {
		return len(from) == 1 && from[0] == control || len(from) == 0 && rule == originNoPage
	}
	if len(from) == 1 {
		return from[0] == protocol.ExtensionOrigin
	}
	return len(from) == 0 && rule == originNoPage
}

// preflight answers a CORS preflight of the extension, and of no other origin.
func preflight(w *response, r *http.Request, methods map[string]route) error {
	asked := r.Header.Get("Access-Control-Request-Method")
	_, ok := methods[asked]
	if !ok || !originAllowed(originExtension, r.Header.Values("Origin"), "") || strings.HasPrefix(r.URL.Path, controlpage.Prefix) {
		return status(http.StatusForbidden, protocol.CodeForbidden, "this origin is not allowed here")
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Origin", protocol.ExtensionOrigin)
	h.Set("Access-Control-Allow-Methods", asked)
	h.Set("Access-Control-Allow-Headers", "authorization, content-type")
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// identify returns the grant of the request's token. secret is that in the path.
func (g *gates) identify(rt route, r *http.Request, secret string) (auth.Grant, error) {
	if rt.capability == "" {
		return auth.Grant{}, nil
	}
	token, err := secret, error(nil)
	switch {
	case rt.inPath && secret != "":
	case rt.socket && !rt.inPath:
		token, err = subprotocol(r)
	default:
		token, err = bearer(r)
	}
	if err != nil {
		return auth.Grant{}, err
	}
	check := g.auth.Check
	if rt.once {
		check = g.auth.Take
	}
	grant, err := check(token, rt.capability)
	if protocol.AsError(err) != nil && protocol.AsError(err).Code == protocol.CodeUnauthorized {
		if slow := g.auth.Failed(r.Context()); slow != nil {
			return auth.Grant{}, slow
		}
	}
	if err != nil {
		return auth.Grant{}, err
	}
	// A panel token without our extension's Origin was stolen: the panel's POSTs
	// always carry one. (Its GETs do not.)
	if grant.Kind == auth.KindPanel && r.Method != http.MethodGet && r.Header.Get("Origin") != protocol.ExtensionOrigin {
		return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "this token is not valid for this route", "")
	}
	if grant.Kind == auth.KindControl && !controlpage.Bound(grant, r) { // the token was stolen
		return auth.Grant{}, protocol.NewError(protocol.CodeForbidden, "this token is not valid in this browser", "run `pilotfish control` for another address")
	}
	asks := auth.Request{Grant: grant, Capability: rt.capability, Program: r.Header.Get(protocol.HeaderProgram)}
	asks.Client, asks.Server = ends(r.Context())
	return g.sessions.Caller(asks)
}

// ends returns the addresses of both ends of a request's connection.
func ends(ctx context.Context) (client, server netip.AddrPort) {
	if conn, ok := ctx.Value(connKey{}).(net.Conn); ok {
		client, server = addressOf(conn.RemoteAddr()), addressOf(conn.LocalAddr())
	}
	return client, server
}

// addressOf returns an address of TCP; the zero value for another one.
func addressOf(a net.Addr) netip.AddrPort {
	if tcp, ok := a.(*net.TCPAddr); ok {
		return tcp.AddrPort()
	}
	return netip.AddrPort{}
}

// bearer reads the token of an HTTP request.
func bearer(r *http.Request) (string, error) {
	values := r.Header.Values("Authorization")
	if len(values) == 1 {
		if token, ok := strings.CutPrefix(values[0], "Bearer "); ok && token != "" {
			return token, nil
		}
	}
	return "", errNoToken()
}

// subprotocol reads the token from the upgrade request of a WebSocket. The
// request must also offer our version of the protocol.
func subprotocol(r *http.Request) (string, error) {
	var token string
	var version bool
	for _, line := range r.Header.Values("Sec-WebSocket-Protocol") {
		for offer := range strings.SplitSeq(line, ",") {
			offer = strings.TrimSpace(offer)
			if offer == protocol.Version {
				version = true
			} else if t, ok := strings.CutPrefix(offer, protocol.TokenSubprotocol); ok && t != "" {
				if token != "" {
					return "", errNoToken()
				}
				token = t
			}
		}
	}
	if token == "" {
		return "", errNoToken()
	}
	if !version {
		return "", status(http.StatusBadRequest, protocol.CodeBadArgument, "this server speaks "+protocol.Version+" only; update the other side")
	}
	return token, nil
}

func errNoToken() error {
	return protocol.NewError(protocol.CodeUnauthorized, "a token is needed", "")
}

// enter counts a request as active. It returns false when the server has ended.
func (g *gates) enter() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.active++
	return true
}

func (g *gates) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.active--
	if g.active == 0 && g.idle != nil {
		close(g.idle)
		g.idle = nil
	}
}

// drain refuses new requests and waits until the active ones have ended, or ctx
// ends. A WaitGroup is not enough: a connection that was accepted before the
// end can send its request after it.
func (g *gates) drain(ctx context.Context) {
	g.mu.Lock()
	g.closed = true
	if g.active == 0 {
		g.mu.Unlock()
		return
	}
	if g.idle == nil {
		g.idle = make(chan struct{})
	}
	idle := g.idle
	g.mu.Unlock()
	select {
	case <-idle:
	case <-ctx.Done():
	}
}
