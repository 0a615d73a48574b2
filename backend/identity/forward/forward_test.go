package forward_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"encoding/base64"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"pilotfish/backend/identity/forward"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// httpProxy is a proxy that wants the login ada:pa ss.
func httpProxy(t *testing.T) string {
	t.Helper()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:pa ss"))
	transport := &http.Transport{}
	t.Cleanup(transport.CloseIdleConnections)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.Header().Set("Proxy-Authenticate", `Basic realm="proxy"`)
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		if r.Method == http.MethodConnect {
			there, err := net.Dial("tcp", r.Host) //nolint:noctx // a test's
			if err != nil {
				w.WriteHeader(http.StatusBadGateway)
				return
			}
			here, _, _ := w.(http.Hijacker).Hijack()
			_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
			go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
			_, _ = io.Copy(here, there)
			_ = here.Close()
			return
		}
		r.RequestURI = ""
		r.Header.Del("Proxy-Authorization")
		r.Header.Set("X-Through", "proxy")
		answer, err := transport.RoundTrip(r)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer answer.Body.Close()
		w.WriteHeader(answer.StatusCode)
		_, _ = io.Copy(w, answer.Body)
	}))
	t.Cleanup(server.Close)
	return server.Listener.Addr().String()
}

// socksProxy is a SOCKS5 proxy that wants the login ada:pa ss.
func socksProxy(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go socks(c)
		}
	}()
	return l.Addr().String()
}

func socks(c net.Conn) {
	defer c.Close()
	in := bufio.NewReader(c)
	take := func(n int) []byte {
		b := make([]byte, n)
		if _, err := io.ReadFull(in, b); err != nil {
			return make([]byte, n)
		}
		return b
	}
	take(int(take(2)[1]))
	_, _ = c.Write([]byte{5, 2})
	user := string(take(int(take(2)[1])))
	password := string(take(int(take(1)[0])))
	if user != "ada" || password != "pa ss" {
		_, _ = c.Write([]byte{1, 1})
		return
	}
	_, _ = c.Write([]byte{1, 0})
	head := take(4)
	host := ""
	switch head[3] {
	case 1:
		host = net.IP(take(4)).String()
	case 3:
		host = string(take(int(take(1)[0])))
	}
	port := take(2)
	there, err := net.Dial("tcp", netip.AddrPortFrom(netip.MustParseAddr(host), uint16(port[0])<<8|uint16(port[1])).String()) //nolint:noctx // a test's
	if err != nil {
		_, _ = c.Write([]byte{5, 5, 0, 1, 0, 0, 0, 0, 0, 0})
		return
	}
	_, _ = c.Write([]byte{5, 0, 0, 1, 127, 0, 0, 1, 0, 0})
	go func() { _, _ = io.Copy(there, in); _ = there.Close() }()
	_, _ = io.Copy(c, there)
}

func start(t *testing.T, upstream string, allowed func(_, _ netip.AddrPort) bool) *http.Client {
	t.Helper()
	u, err := url.Parse(upstream)
	if err != nil {
		t.Fatal(err)
	}
	f, err := forward.Start(t.Context(), forward.Config{Upstream: u, Allowed: allowed})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(f.Close)
	through, err := url.Parse(f.Address())
	if err != nil {
		t.Fatal(err)
	}
	transport := &http.Transport{Proxy: http.ProxyURL(through), TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

func get(t *testing.T, client *http.Client, address string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, address, nil)
	if err != nil {
		t.Fatal(err)
	}
	answer, err := client.Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer.StatusCode, string(body)
}

func TestForward(t *testing.T) {
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != "" {
			t.Error("a page got the login of the proxy")
		}
		_, _ = io.WriteString(w, "page "+r.URL.Path) //nolint:gosec // a plain text for the test
	})
	plain := httptest.NewServer(page)
	defer plain.Close()
	secure := httptest.NewTLSServer(page)
	defer secure.Close()
	for kind, proxy := range map[string]string{"http": httpProxy(t), "socks5": socksProxy(t)} {
		client := start(t, kind+"://ada:pa%20ss@"+proxy, nil)
		for _, server := range []*httptest.Server{plain, secure} {
			if code, body := get(t, client, server.URL+"/a"); code != http.StatusOK || body != "page /a" {
				t.Errorf("%s: %d %q", kind, code, body)
			}
		}
		u, _ := url.Parse(kind + "://ada:pa%20ss@" + proxy)
		if took, err := forward.Try(t.Context(), u, plain.Listener.Addr().String()); err != nil || took <= 0 {
			t.Errorf("%s: %v, %v", kind, took, err)
		}
		// A host that cannot be reached, and a wrong password, are said.
		if _, err := forward.Try(t.Context(), u, "127.0.0.1:1"); err == nil {
			t.Errorf("%s connected to a port that is closed", kind)
		}
		wrong := start(t, kind+"://ada:wrong@"+proxy, nil)
		if code, body := get(t, wrong, plain.URL); code != http.StatusBadGateway {
			t.Errorf("%s, wrong password: %d %q", kind, code, body)
		}
		if code, body := get(t, wrong, secure.URL); code != 0 || !strings.Contains(body, "Bad Gateway") {
			t.Errorf("%s, wrong password: %d %q", kind, code, body)
		}
		u, _ = url.Parse(kind + "://ada:wrong@" + proxy)
		if _, err := forward.Try(t.Context(), u, plain.Listener.Addr().String()); err == nil || !strings.Contains(err.Error(), "did not accept") {
			t.Errorf("%s, wrong password: %v", kind, err)
		}
	}
	// Another program, and a request that is not one to a proxy.
	if code, body := get(t, start(t, "http://ada:x@127.0.0.1:1", func(_, _ netip.AddrPort) bool { return false }), plain.URL); code != 0 {
		t.Errorf("another program: %d %q", code, body)
	}
	u, _ := url.Parse("http://ada:x@127.0.0.1:1")
	f, err := forward.Start(t.Context(), forward.Config{Upstream: u})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	direct := &http.Transport{}
	defer direct.CloseIdleConnections()
	if code, _ := get(t, &http.Client{Transport: direct}, f.Address()+"/"); code != http.StatusBadRequest {
		t.Errorf("a page: %d", code)
	}
	if _, err := forward.Try(t.Context(), u, "127.0.0.1:80"); err == nil {
		t.Error("there is no proxy there")
	}
}

// Close ends what goes through, and a proxy that says nothing ends with the caller.
func TestEnds(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	u, _ := url.Parse("http://ada:x@" + l.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c, err := l.Accept()
		if err != nil {
			return
		}
		_, _ = c.Read(make([]byte, 1)) // it was asked
		cancel()
		_, _ = io.Copy(io.Discard, c)
		_ = c.Close()
	}()
	if _, err := forward.Try(ctx, u, "a.example:443"); err == nil || !strings.Contains(err.Error(), "canceled") {
		t.Error(err)
	}

	echo, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	defer echo.Close()
	go func() {
		c, err := echo.Accept()
		if err != nil {
			return
		}
		_, _ = io.Copy(c, c)
		_ = c.Close()
	}()
	good, _ := url.Parse("http://ada:pa%20ss@" + httpProxy(t))
	f, err := forward.Start(t.Context(), forward.Config{Upstream: good})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", strings.TrimPrefix(f.Address(), "http://")) //nolint:noctx // a test's
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	_, _ = io.WriteString(c, "CONNECT "+echo.Addr().String()+" HTTP/1.1\r\nHost: x\r\n\r\nhello")
	in := bufio.NewReader(c)
	answer, err := http.ReadResponse(in, &http.Request{Method: http.MethodConnect}) //nolint:bodyclose // a tunnel has no body
	if err != nil || answer.StatusCode != http.StatusOK {
		t.Fatal(answer, err)
	}
	said := make([]byte, 5)
	if _, err := io.ReadFull(in, said); err != nil || string(said) != "hello" {
		t.Errorf("%q, %v", said, err)
	}
	f.Close()
	if _, err := in.ReadByte(); err == nil {
		t.Error("the tunnel is still open")
	}
}
