package browser

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/base64"
	"encoding/hex"
	"encoding/pem"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	configs "pilotfish/backend/config"
	"pilotfish/backend/identity"
	"pilotfish/backend/peer"
	"pilotfish/backend/protocol"
)

// signed makes a certificate; without a parent it signs itself.
func signed(t *testing.T, c *x509.Certificate, parent *tls.Certificate) tls.Certificate {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	c.SerialNumber, c.NotBefore, c.NotAfter = big.NewInt(time.Now().UnixNano()), time.Now().Add(-time.Hour), time.Now().Add(30*24*time.Hour)
	by, signer := c, key
	if parent != nil {
		by, signer = parent.Leaf, parent.PrivateKey.(*ecdsa.PrivateKey)
	}
	der, err := x509.CreateCertificate(rand.Reader, c, by, &key.PublicKey, signer)
	if err != nil {
		t.Fatal(err)
	}
	leaf, err := x509.ParseCertificate(der)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key, Leaf: leaf}
}

// asked are the requests that reached servers, with the header X-Env of each.
type asked struct {
	mu   sync.Mutex
	list []string
}

func (a *asked) add(format string, args ...any) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.list = append(a.list, fmt.Sprintf(format, args...))
}

func (a *asked) has(line string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, one := range a.list {
		if one == line {
			return true
		}
	}
	return false
}

func secureServer(t *testing.T, c tls.Certificate, handler http.Handler) string {
	t.Helper()
	s := httptest.NewUnstartedServer(handler)
	s.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	s.TLS = &tls.Config{Certificates: []tls.Certificate{c}, MinVersion: tls.VersionTLS12}
	s.StartTLS()
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	_, port, _ := net.SplitHostPort(s.Listener.Addr().String())
	return port
}

// loginProxy is a proxy that wants a login. It finds every name on this machine.
func loginProxy(t *testing.T, seen *asked) string {
	t.Helper()
	want := "Basic " + base64.StdEncoding.EncodeToString([]byte("ada:hunter2"))
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Proxy-Authorization") != want {
			w.WriteHeader(http.StatusProxyAuthRequired)
			return
		}
		seen.add("proxy %s", r.Host)
		_, port, _ := net.SplitHostPort(r.Host)
		there, err := net.Dial("tcp", "127.0.0.1:"+port) //nolint:noctx // a test's
		if err != nil || r.Method != http.MethodConnect {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		here, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = io.WriteString(here, "HTTP/1.1 200 OK\r\n\r\n")
		go func() { _, _ = io.Copy(there, here); _ = there.Close() }()
		_, _ = io.Copy(here, there)
		_ = here.Close()
	}))
	return s.Listener.Addr().String()
}

// One launch with a proxy that wants a login, an authority of the test, a certificate
// that is accepted for one host, a header for one origin, languages, a user agent and a
// geolocation. Workers and popups have the same.
func TestIdentity(t *testing.T) {
	ca := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "authority of a test"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, nil)
	middle := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "in between"}, IsCA: true, BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}, &ca)
	leaf := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "site"}, DNSNames: []string{"site.test", "other.test"}, KeyUsage: x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}, &middle)
	leaf.Certificate = append(leaf.Certificate, middle.Certificate[0])
	self := signed(t, &x509.Certificate{Subject: pkix.Name{CommonName: "nobody"}, KeyUsage: x509.KeyUsageDigitalSignature}, nil)

	seen := &asked{}
	page := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host, _, _ := net.SplitHostPort(r.Host)
		seen.add("%s%s %q %q %q", host, r.URL.Path, r.Header.Get("X-Env"), r.Header.Get("Accept-Language"), r.UserAgent())
		switch r.URL.Path {
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			_, _ = io.WriteString(w, "fetch('/of-worker').then(() => postMessage([navigator.userAgent, navigator.language]))")
		case "/away":
			w.Header().Set("Location", r.URL.Query().Get("to"))
			w.WriteHeader(http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Access-Control-Allow-Origin", "*")
			_, _ = io.WriteString(w, "<!doctype html><title>page</title>")
		}
	})
	port, selfPort := secureServer(t, leaf, page), secureServer(t, self, page)
	dir := t.TempDir()
	caFile := filepath.Join(dir, "ca.pem")
	if err := os.WriteFile(caFile, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: ca.Certificate[0]}), 0o600); err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(self.Certificate[0])
	settings := filepath.Join(dir, "settings.toml")
	if err := os.WriteFile(settings, fmt.Appendf(nil, `[sessions.work]
profile = "temporary"
proxy = "http://ada:hunter2@%s"
user_agent = "Pilot/1"
languages = ["de-DE", "fr"]
ca_files = [%q]
accept = [{host = "self.test", sha256 = %q}]
headers = [{origin = "https://site.test:%s", name = "X-Env", value = "staging"}]
geolocation = {latitude = 48.5, longitude = 9.25, origins = ["https://site.test:%s"]}
`, loginProxy(t, seen), caFile, hex.EncodeToString(sum[:]), port, port), 0o600); err != nil {
		t.Fatal(err)
	}
	kept, err := configs.Open(settings)
	if err != nil {
		t.Fatal(err)
	}
	var log bytes.Buffer
	of := identity.New(identity.Config{Name: "work", Settings: kept, Started: peer.Started, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	ready, err := of.Prepare(t.Context(), filepath.Join(dir, "profile"), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ready.Close()
		if left, _ := filepath.Glob(filepath.Join(dir, "temporary-*")); len(left) > 0 {
			t.Errorf("the temporary profile is still there: %v", left)
		}
	})
	c := config(t, true)
	c.ProfileDir, c.Switches, c.Env, c.Extensions, c.Before, c.Geolocation = ready.Profile, ready.Switches, ready.Env, ready.Extensions, ready.Before, ready.Geolocation
	b := start(t, c)
	ctx, tab := deadline(t), b.first(t)
	do := func(code string) string {
		t.Helper()
		v, err := b.Evaluate(ctx, nobody, tab, code)
		if err != nil {
			t.Fatalf("%s: %v", code, err)
		}
		return string(v.Value)
	}
	open := func(address string) error {
		_, err := b.Navigate(ctx, nobody, tab, address, protocol.WaitLoad, nil)
		return err
	}
	if err := open("https://site.test:" + port + "/one"); err != nil {
		t.Fatalf("%v\n%s\n%q", err, &log, seen.list)
	}
	want := func(lines ...string) {
		t.Helper()
		for _, line := range lines {
			if !seen.has(line) {
				t.Errorf("missing %s in\n%s", line, strings.Join(seen.list, "\n"))
			}
		}
	}
	const languages = "de-DE,de;q=0.9,fr;q=0.8"
	want("proxy site.test:"+port, fmt.Sprintf("site.test/one %q %q %q", "staging", languages, "Pilot/1"))
	said := do(`new Promise(done => new Worker('/worker.js').onmessage = e => done(e.data.join()))`)
	if !strings.Contains(said, "Pilot/1,de-DE") {
		t.Errorf("the worker has %s", said)
	}
	want(fmt.Sprintf("site.test/of-worker %q %q %q", "staging", languages, "Pilot/1"))
	at := `new Promise(done => navigator.geolocation.getCurrentPosition(p => done(p.coords.latitude + ' ' + p.coords.longitude + ' ' + p.coords.accuracy), e => done(e.message)))`
	if said := do(at); !strings.Contains(said, "48.5 9.25 50") {
		t.Errorf("the geolocation is %s", said)
	}
	// A redirect to another origin has no header of the first, and that origin none.
	do(`fetch('/away?to=https://other.test:` + port + `/after', {mode: 'no-cors'}).then(() => 1)`)
	want(fmt.Sprintf("site.test/away %q %q %q", "staging", languages, "Pilot/1"), fmt.Sprintf("other.test/after %q %q %q", "", languages, "Pilot/1"))
	// A window that the page opens has the same, from its first script.
	said = do(`new Promise(done => { const w = open('/popup'); w.onload = () => w.navigator.geolocation.getCurrentPosition(p => done(w.navigator.userAgent + p.coords.latitude), e => done(e.message)) })`)
	if !strings.Contains(said, "Pilot/148.5") {
		t.Errorf("the window has %s", said)
	}
	// The certificate that nobody vouches for is accepted for its host only.
	if err := open("https://self.test:" + selfPort + "/self"); err != nil {
		t.Errorf("the accepted certificate: %v", err)
	}
	if err := open("https://stranger.test:" + selfPort + "/"); err == nil {
		t.Error("the certificate was accepted for another host")
	}
	if strings.Contains(log.String(), "hunter2") {
		t.Error("the log has the password")
	}
}
