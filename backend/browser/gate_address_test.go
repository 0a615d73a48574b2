package browser

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// lookup finds the names of a table, and no others.
func lookup(addresses map[string]string) func(context.Context, string) ([]netip.Addr, error) {
	return func(_ context.Context, host string) ([]netip.Addr, error) {
		ip, err := netip.ParseAddr(addresses[host])
		return []netip.Addr{ip}, err
	}
}

// gateByAddress puts a tab under a rule like that of agents: everything but names
// of this machine and of private networks, except one that the user allowed.
func gateByAddress(t *testing.T, f *fixture, id protocol.TabID) {
	t.Helper()
	err := f.Gate(t.Context(), id, nil, func(string, bool) error { return nil }, func(url string, ip netip.Addr) error {
		if strings.Contains(url, "://named.test:") || ip.IsGlobalUnicast() && !ip.IsPrivate() {
			return nil
		}
		return protocol.NewError(protocol.CodeRefused, "that is near", "")
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
}

// allowAll is the rule of a command that the gate's own rule is enough for.
func allowAll(string) error { return nil }

// A tab's rule over addresses applies to what is opened in it and to what its pages
// load. One browser finds all names of the tests, and takes one of the servers for a
// public one.
func TestGateByAddress(t *testing.T) {
	secret, said := newForbidden(t), make(chan string, 1)
	near, public := gateHome(t, secret, said), gateHome(t, secret, said)
	c := config(t, true)
	c.Switches = []string{"--host-resolver-rules=MAP *.test 127.0.0.1", "--ip-address-space-overrides=" + strings.TrimPrefix(public.URL, "http://") + "=public"}
	c.Lookup = lookup(map[string]string{
		"near.test": "127.0.0.1", "lan.test": "192.168.1.1", "cloud.test": "169.254.169.254", "six.test": "fd12::1",
		"named.test": "127.0.0.1", "rebound.test": "203.0.113.1",
	})
	f := start(t, c)
	t.Run("opened", func(t *testing.T) { gateOfOpened(t, f) })
	t.Run("near", func(t *testing.T) { gateInPages(t, f, near.URL, "near.test", secret, said) })
	t.Run("rebound", func(t *testing.T) { gateInPages(t, f, public.URL, "rebound.test", secret, said) })
}

// gateOfOpened: a name is judged by its addresses before anything is sent, and a name
// that leads elsewhere than when it was looked up shows nothing.
func gateOfOpened(t *testing.T, f *fixture) {
	t.Helper()
	secret, home := newForbidden(t), site(t)
	id := f.first(t)
	gateByAddress(t, f, id)
	ways := []string{"http://%s:%s/%s", home.URL + "/redirect?to=http://%s:%s/%s"}
	for _, host := range []string{"near.test", "lan.test", "cloud.test", "six.test"} {
		for _, to := range ways {
			_, err := f.Navigate(deadline(t), nobody, id, fmt.Sprintf(to, host, secret.port, host), protocol.WaitLoad, allowAll)
			if code(err) != protocol.CodeRefused {
				t.Errorf("%s: %v", host, err)
			}
		}
		if secret.hit("/" + host) {
			t.Errorf("%s was reached", host)
		}
	}
	for _, to := range ways {
		_, err := f.Navigate(deadline(t), nobody, id, fmt.Sprintf(to, "rebound.test", secret.port, "rebound"), protocol.WaitLoad, allowAll)
		if code(err) != protocol.CodeRefused {
			t.Errorf("a rebound name: %v", err)
		}
		if text, err := f.Text(deadline(t), nobody, id, 1000); err == nil && strings.Contains(text.Text, "secret") {
			t.Errorf("a rebound name was read: %q", text.Text)
		}
	}
	if !secret.hit("/rebound") {
		t.Error("the name was not rebound")
	}
	// What the user allowed by name, and this machine by its own names.
	for _, host := range []string{"named.test", "localhost", "127.0.0.1"} {
		if info, err := f.Navigate(deadline(t), nobody, id, "http://"+host+":"+secret.port+"/"+host, protocol.WaitLoad, allowAll); err != nil || info.Title != "Secret" {
			t.Errorf("%s: %+v, %v", host, info, err)
		}
	}
	// An answer of ours comes from no network.
	mock := protocol.NetworkRule{Pattern: "*/mocked", Status: 200, Body: "<title>Mocked</title>", Headers: map[string]string{"Content-Type": "text/html"}}
	if err := f.AddNetworkRule(deadline(t), id, mock); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Navigate(deadline(t), nobody, id, "http://named.test:"+secret.port+"/mocked", protocol.WaitLoad, allowAll); err != nil || info.Title != "Mocked" {
		t.Errorf("a mocked page: %+v, %v", info, err)
	}
}

// gateHome serves a page that tries to read from a server in every way, and says what
// it has read.
func gateHome(t *testing.T, secret *forbidden, said chan<- string) *httptest.Server {
	t.Helper()
	return serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/said":
			said <- r.URL.RawQuery
			return
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, `const end = fetch('http://rebound.test:%s/worker', {mode: 'no-cors'}).catch(() => 0);
				onconnect = async (e) => { const { ports: [port] } = e; await end; port.postMessage(1) }`, secret.port)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>Home</title><body><script type=module>
			const [host, port, read] = [new URLSearchParams(location.search).get('host'), %q, []];
			await new Promise((ok) => setTimeout(ok, 0));
			const at = (what) => 'http://' + host + ':' + port + '/' + what;
			await fetch(at('fetch')).then((r) => r.text()).then((t) => read.push('fetch'), () => 0);
			await fetch(at('blind'), {mode: 'no-cors'}).then(() => read.push('blind'), () => 0);
			await new Promise((ok) => { const f = document.createElement('iframe'); f.onload = ok; f.src = at('frame'); document.body.append(f) });
			await new Promise((ok) => { const i = new Image(); i.onload = i.onerror = ok; i.src = at('image'); });
			if (host === 'rebound.test') {
				await new Promise((ok) => { const w = new WebSocket('ws://' + host + ':' + port + '/socket'); w.onopen = w.onerror = ok; });
				await new Promise((ok) => { const w = new SharedWorker('/worker.js'); w.onerror = ok; w.port.onmessage = ok; w.port.start() });
			}
			await fetch('/said?' + read);
		</script>`, secret.port)
	}))
}

// gateInPages: what a page loads after it was opened is judged by address, too. On a
// page of this machine that is the gate alone, on a public page also Chromium: it
// knows sockets, workers and names that moved.
func gateInPages(t *testing.T, f *fixture, home, host string, secret *forbidden, said <-chan string) {
	t.Helper()
	id, err := f.NewTab(deadline(t), "", false)
	if err != nil {
		t.Fatal(err)
	}
	gateByAddress(t, f, id)
	if _, err := f.Navigate(deadline(t), nobody, id, home+"/?host="+host, protocol.WaitCommit, allowAll); err != nil {
		t.Fatal(err)
	}
	select {
	case read := <-said:
		if read != "" {
			t.Errorf("the page read %s", read)
		}
	case <-deadline(t).Done():
		t.Fatal("the page did not end")
	}
	for _, way := range []string{"fetch", "blind", "frame", "image", "socket", "worker"} {
		if secret.hit("/" + way) {
			t.Errorf("%s arrived", way)
		}
	}
}
