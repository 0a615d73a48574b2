// Package forward is the last step of a browser to a proxy that needs a login. The
// browser is given a proxy on loopback, without a login: Chromium takes none on its
// command line, and none at all for SOCKS5. This one adds it.
//
// The password never reaches the browser, its command line or its profile. Only the
// browser may use the forwarder: every connection is asked for its process.
package forward

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"
)

// Config is what a Forwarder needs.
type Config struct {
	// Upstream is the proxy, with its login.
	Upstream *url.URL
	// Allowed says whether a connection comes from the browser; nil allows all.
	Allowed func(client, server netip.AddrPort) bool
	Logger  *slog.Logger
}

// Times of the forwarder.
const (
	// dialTimeout bounds how long the proxy may take to connect.
	dialTimeout = 30 * time.Second
	// idleTimeout ends a kept connection that nobody uses.
	idleTimeout = 90 * time.Second
	// headerTimeout bounds how long a request may take to arrive.
	headerTimeout = 10 * time.Second
)

// Forwarder is a running proxy on loopback. Close ends it.
type Forwarder struct {
	cfg       Config
	listener  net.Listener
	server    *http.Server
	transport *http.Transport
	up        *upstream
	log       *slog.Logger

	mu      sync.Mutex
	tunnels map[net.Conn]bool
	closed  bool
	serving sync.WaitGroup
}

// Start opens a forwarder on a free port.
func Start(ctx context.Context, cfg Config) (*Forwarder, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp4", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("opening the way to the proxy: %w", err)
	}
	if cfg.Logger == nil {
		cfg.Logger = slog.New(slog.DiscardHandler)
	}
	f := &Forwarder{cfg: cfg, listener: listener, up: &upstream{address: cfg.Upstream}, log: cfg.Logger.With("component", "forward"), tunnels: make(map[net.Conn]bool)}
	f.transport = &http.Transport{
		Proxy: http.ProxyURL(cfg.Upstream), DialContext: (&net.Dialer{Timeout: dialTimeout}).DialContext,
		DisableCompression: true, IdleConnTimeout: idleTimeout, MaxIdleConnsPerHost: 8,
	}
	f.server = &http.Server{Handler: http.HandlerFunc(f.serve), ReadHeaderTimeout: headerTimeout, IdleTimeout: idleTimeout, ErrorLog: slog.NewLogLogger(f.log.Handler(), slog.LevelDebug)}
	f.serving.Go(func() { _ = f.server.Serve(checked{listener, f}) })
	return f, nil
}

// Address is what the browser is given.
func (f *Forwarder) Address() string { return "http://" + f.listener.Addr().String() }

// Close ends the forwarder and everything that goes through it.
func (f *Forwarder) Close() {
	_ = f.server.Close()
	f.mu.Lock()
	f.closed = true
	for c := range f.tunnels {
		_ = c.Close()
	}
	f.mu.Unlock()
	f.serving.Wait()
	f.transport.CloseIdleConnections()
}

// checked closes connections that do not come from the browser.
type checked struct {
	net.Listener
	f *Forwarder
}

// Accept returns the next connection of the browser.
func (l checked) Accept() (net.Conn, error) {
	for {
		c, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		client, ok := c.RemoteAddr().(*net.TCPAddr)
		server, also := c.LocalAddr().(*net.TCPAddr)
		if ok && also && (l.f.cfg.Allowed == nil || l.f.cfg.Allowed(client.AddrPort(), server.AddrPort())) {
			return c, nil
		}
		l.f.log.Warn("another program tried to use the way to the proxy")
		_ = c.Close()
	}
}

func (f *Forwarder) serve(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.Method == http.MethodConnect:
		f.connect(w, r)
	case r.URL.Scheme == "http" && r.URL.Host != "":
		f.pass(w, r)
	default:
		http.Error(w, "This is a proxy.", http.StatusBadRequest)
	}
}

// connect makes a tunnel.
func (f *Forwarder) connect(w http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), dialTimeout)
	defer cancel()
	there, err := f.up.connect(ctx, r.Host)
	if err != nil {
		f.log.Warn("the proxy did not connect", "error", err)
		http.Error(w, err.Error(), http.StatusBadGateway)
		return
	}
	defer there.Close()
	hijacker, ok := w.(http.Hijacker)
	if !ok {
		return // HTTP/1 always can
	}
	here, buffered, err := hijacker.Hijack()
	if err != nil {
		return
	}
	defer here.Close()
	if !f.keep(here, there) {
		return
	}
	defer f.drop(here, there)
	if _, err := io.WriteString(here, "HTTP/1.1 200 Connection established\r\n\r\n"); err != nil {
		return
	}
	var both sync.WaitGroup
	both.Go(func() {
		_, _ = io.Copy(there, buffered)
		closeWrite(there)
	})
	_, _ = io.Copy(here, there)
	closeWrite(here)
	both.Wait()
}

// closeWrite says that nothing more is sent; where that cannot be said, the
// connection ends.
func closeWrite(c net.Conn) {
	if half, ok := c.(interface{ CloseWrite() error }); ok {
		_ = half.CloseWrite()
		return
	}
	_ = c.Close()
}

// keep notes the ends of a tunnel, so that Close ends them.
func (f *Forwarder) keep(ends ...net.Conn) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return false
	}
	f.serving.Add(1)
	for _, c := range ends {
		f.tunnels[c] = true
	}
	return true
}

func (f *Forwarder) drop(ends ...net.Conn) {
	f.mu.Lock()
	for _, c := range ends {
		delete(f.tunnels, c)
	}
	f.mu.Unlock()
	f.serving.Done()
}

// hopByHop are headers that are for one connection only.
func hopByHop() []string {
	return []string{"Connection", "Proxy-Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authorization", "Te", "Trailer", "Transfer-Encoding", "Upgrade"}
}

// pass sends on a request to a page without TLS.
func (f *Forwarder) pass(w http.ResponseWriter, r *http.Request) {
	out := r.Clone(r.Context())
	out.RequestURI = ""
	for _, name := range hopByHop() {
		out.Header.Del(name)
	}
	answer, err := f.transport.RoundTrip(out)
	if err == nil && answer.StatusCode == http.StatusProxyAuthRequired {
		_ = answer.Body.Close()
		err = ErrLogin
	}
	if err != nil {
		f.log.Warn("the proxy did not answer", "error", err)
		http.Error(w, "The proxy did not answer: "+plain(err), http.StatusBadGateway)
		return
	}
	defer answer.Body.Close()
	for _, name := range hopByHop() {
		answer.Header.Del(name)
	}
	for name, values := range answer.Header {
		w.Header()[name] = values
	}
	w.WriteHeader(answer.StatusCode)
	flush := http.NewResponseController(w)
	buffer := make([]byte, 32<<10)
	for {
		n, err := answer.Body.Read(buffer)
		if _, failed := w.Write(buffer[:n]); failed != nil || err != nil {
			return
		}
		_ = flush.Flush() // an event of a page's stream must not wait for the next
	}
}

// ErrLogin is returned when the proxy did not accept the login.
var ErrLogin = errors.New("the proxy did not accept the user name and the password")

// plain returns an error without the address of the proxy, which has the password.
func plain(err error) string {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	return err.Error()
}

// basic is the value of Proxy-Authorization.
func basic(login *url.Userinfo) string {
	password, _ := login.Password()
	return "Basic " + base64.StdEncoding.EncodeToString([]byte(login.Username()+":"+password))
}
