package forward

import (
	"bufio"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/proxy"
)

// upstream connects through a proxy.
type upstream struct{ address *url.URL }

// Try connects through a proxy to a host and says how long it took. It is what "Test"
// does.
func Try(ctx context.Context, address *url.URL, host string) (time.Duration, error) {
	began := time.Now()
	c, err := (&upstream{address: address}).connect(ctx, host)
	if err != nil {
		return 0, err
	}
	_ = c.Close()
	return time.Since(began), nil
}

// connect returns a connection to a host ("example.com:443") through the proxy.
func (u *upstream) connect(ctx context.Context, host string) (net.Conn, error) {
	if u.address.Scheme == "socks5" {
		return u.socks(ctx, host)
	}
	c, err := u.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { _ = c.SetDeadline(time.Unix(1, 0)) })
	tunnel, err := u.ask(c, host)
	if !stop() && err == nil {
		err = context.Cause(ctx)
	}
	if err != nil {
		_ = c.Close()
		if ctx.Err() != nil {
			return nil, fmt.Errorf("connecting through the proxy: %w", context.Cause(ctx))
		}
		return nil, err
	}
	return tunnel, nil
}

// dial connects to the proxy itself.
func (u *upstream) dial(ctx context.Context) (net.Conn, error) {
	dialer := &net.Dialer{Timeout: dialTimeout}
	c, err := dialer.DialContext(ctx, "tcp", u.address.Host)
	if err != nil {
		return nil, fmt.Errorf("connecting to the proxy: %w", err)
	}
	if u.address.Scheme != "https" {
		return c, nil
	}
	secure := tls.Client(c, &tls.Config{ServerName: u.address.Hostname(), MinVersion: tls.VersionTLS12})
	if err := secure.HandshakeContext(ctx); err != nil {
		_ = c.Close()
		return nil, fmt.Errorf("connecting to the proxy: %w", err)
	}
	return secure, nil
}

// ask asks the proxy for a tunnel.
func (u *upstream) ask(c net.Conn, host string) (net.Conn, error) {
	request := "CONNECT " + host + " HTTP/1.1\r\nHost: " + host + "\r\n"
	if u.address.User != nil {
		request += "Proxy-Authorization: " + basic(u.address.User) + "\r\n"
	}
	if _, err := io.WriteString(c, request+"\r\n"); err != nil {
		return nil, fmt.Errorf("asking the proxy: %w", err)
	}
	in := bufio.NewReader(c)
	answer, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // what follows is the tunnel, which read closes
	switch {
	case err != nil:
		return nil, fmt.Errorf("asking the proxy: %w", err)
	case answer.StatusCode == http.StatusProxyAuthRequired:
		return nil, ErrLogin
	case answer.StatusCode/100 != 2:
		return nil, fmt.Errorf("the proxy does not connect to %s: it answered %.60q", host, answer.Status)
	}
	return &read{Conn: c, in: in}, nil
}

// read is a connection of which a part was read ahead.
type read struct {
	net.Conn
	in *bufio.Reader
}

// Read reads what was read ahead first.
func (r *read) Read(p []byte) (int, error) { return r.in.Read(p) }

// CloseWrite says that nothing more is sent.
func (r *read) CloseWrite() error {
	if half, ok := r.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return r.Close()
}

// socks connects through a SOCKS5 proxy, which finds the host's address itself.
func (u *upstream) socks(ctx context.Context, host string) (net.Conn, error) {
	var login *proxy.Auth
	if u.address.User != nil {
		password, _ := u.address.User.Password()
		login = &proxy.Auth{User: u.address.User.Username(), Password: password}
	}
	dialer, err := proxy.SOCKS5("tcp", u.address.Host, login, &net.Dialer{Timeout: dialTimeout})
	if err != nil {
		return nil, fmt.Errorf("connecting to the proxy: %w", err)
	}
	within, ok := dialer.(proxy.ContextDialer)
	if !ok {
		return nil, fmt.Errorf("connecting to the proxy: %T has no deadlines", dialer)
	}
	c, err := within.DialContext(ctx, "tcp", host)
	switch {
	case err == nil:
		return c, nil
	case strings.Contains(err.Error(), "username/password"): // x/net has no error to compare with
		return nil, ErrLogin
	}
	return nil, fmt.Errorf("connecting through the proxy: %w", err)
}
