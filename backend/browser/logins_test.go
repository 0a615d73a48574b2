package browser

import (
	"context"
	"crypto/md5" //nolint:gosec // RFC 2617: what servers with digest authentication use
	"encoding/hex"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/browser/httpauth"
	"pilotfish/backend/protocol"
)

// logins answers challenges from a list, and has a header for one origin.
type logins struct {
	mu      sync.Mutex
	asked   []httpauth.Challenge
	answers func(context.Context, httpauth.Challenge) (httpauth.Login, bool)
	origin  string
	changed chan struct{}
}

func (l *logins) Login(ctx context.Context, c httpauth.Challenge) (httpauth.Login, bool) {
	l.mu.Lock()
	l.asked = append(l.asked, c)
	l.mu.Unlock()
	return l.answers(ctx, c)
}

func (l *logins) Watched() ([]string, <-chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.origin == "" {
		return nil, l.changed
	}
	return []string{l.origin}, l.changed
}

func (l *logins) Headers(_ context.Context, origin string) []httpauth.Header {
	return []httpauth.Header{{Name: "X-Key", Value: "for " + origin}}
}

func (l *logins) take() []httpauth.Challenge {
	l.mu.Lock()
	defer l.mu.Unlock()
	asked := l.asked
	l.asked = nil
	return asked
}

// digest reports whether a request has the right answer to a digest challenge.
func digest(r *http.Request) bool {
	f := map[string]string{}
	rest, is := strings.CutPrefix(r.Header.Get("Authorization"), "Digest ")
	for _, one := range strings.Split(rest, ", ") {
		name, value, _ := strings.Cut(one, "=")
		f[name] = strings.Trim(value, `"`)
	}
	sum := func(text string) string { h := md5.Sum([]byte(text)); return hex.EncodeToString(h[:]) } //nolint:gosec // see the import
	return is && f["response"] == sum(sum("ada:here:good word")+":"+f["nonce"]+":"+sum(r.Method+":"+f["uri"]))
}

// Logins and headers are answered by one browser, whose configuration has both.
func TestLogins(t *testing.T) {
	l := &logins{changed: make(chan struct{})}
	c := config(t, true)
	c.Logins = l
	f := start(t, c)
	t.Run("asked", func(t *testing.T) { askedLogins(t, f, l) })
	t.Run("headers", func(t *testing.T) { headersOfAnOrigin(t, f, l) })
}

// A login is asked for once for a page, in the user's tab and in an agent's. A wrong
// one is asked for again and not for ever, none gives the site's own page, and a page
// that goes away takes its question along.
func askedLogins(t *testing.T, f *fixture, l *logins) {
	t.Helper()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		user, password, _ := r.BasicAuth()
		in := user == "ada" && password == "good word"
		switch {
		case strings.HasPrefix(r.URL.Path, "/free"):
			fmt.Fprint(w, "<title>free</title>")
			return
		case strings.HasPrefix(r.URL.Path, "/digest"):
			in = digest(r)
			w.Header().Set("WWW-Authenticate", `Digest realm="here", nonce="n0nce"`)
		default:
			w.Header().Set("WWW-Authenticate", fmt.Sprintf(`Basic realm="the %s realm"`, strings.Trim(r.URL.Path, "/")))
		}
		if !in {
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprint(w, "<title>not allowed</title>")
			return
		}
		w.Header().Del("WWW-Authenticate")
		fmt.Fprint(w, "<title>in</title><img src=picture>")
	}))
	good := httpauth.Login{User: "ada", Password: "good word"}
	first := f.first(t)
	open := func(path string) protocol.PageInfo {
		t.Helper()
		got, err := f.Navigate(deadline(t), nobody, first, s.URL+path, protocol.WaitLoad, nil)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		return got
	}

	l.answers = func(_ context.Context, c httpauth.Challenge) (httpauth.Login, bool) {
		if c.Attempt == 1 {
			return httpauth.Login{User: "ada", Password: "bad"}, true
		}
		return good, true
	}
	if got := open("/a/"); got.Title != "in" {
		t.Errorf("after a wrong login: %+v", got)
	}
	asked := l.take()
	if len(asked) != 2 || asked[0].Attempt != 1 || asked[1].Attempt != 2 || asked[0].Origin != s.URL || asked[0].Realm != "the a realm" || asked[0].Scheme != "basic" || asked[0].Tab != first || asked[0].Proxy {
		t.Errorf("asked %+v", asked)
	}
	if got := open("/digest/"); got.Title != "in" || len(l.take()) != 2 {
		t.Errorf("digest: %+v", got)
	}

	// For ever wrong, and none.
	l.answers = func(context.Context, httpauth.Challenge) (httpauth.Login, bool) {
		return httpauth.Login{User: "ada", Password: "bad"}, true
	}
	if got := open("/b/"); got.Title != "not allowed" || len(l.take()) != 5 {
		t.Errorf("for ever wrong: %+v", got)
	}
	l.answers = func(context.Context, httpauth.Challenge) (httpauth.Login, bool) { return httpauth.Login{}, false }
	if got := open("/c/"); got.Title != "not allowed" || len(l.take()) != 1 {
		t.Errorf("without a login: %+v", got)
	}

	// In a tab with a gate, and the rule of a command over it.
	l.answers = func(context.Context, httpauth.Challenge) (httpauth.Login, bool) { return good, true }
	if err := f.Gate(deadline(t), first, nil, func(string, bool) error { return nil }, func(string, netip.Addr) error { return nil }, nil); err != nil {
		t.Fatal(err)
	}
	if got, err := f.Navigate(deadline(t), nobody, first, s.URL+"/d/", protocol.WaitLoad, func(string) error { return nil }); err != nil || got.Title != "in" {
		t.Errorf("in an agent's tab: %+v, %v", got, err)
	}
	l.take()

	// The page goes away, and so does the tab.
	waiting, gone := make(chan struct{}), make(chan struct{})
	l.answers = func(ctx context.Context, _ httpauth.Challenge) (httpauth.Login, bool) {
		close(waiting)
		<-ctx.Done()
		close(gone)
		return httpauth.Login{}, false
	}
	begin := func(tab protocol.TabID, path string) (over func()) {
		t.Helper()
		ctx, cancel := context.WithCancel(deadline(t))
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_, _ = f.Navigate(ctx, nobody, tab, s.URL+path, protocol.WaitCommit, nil)
		}()
		<-waiting
		return func() { cancel(); <-ended }
	}
	second, err := f.NewTab(deadline(t), first, true)
	if err != nil {
		t.Fatal(err)
	}
	over := begin(second, "/e/")
	if err := f.CloseTab(deadline(t), second); err != nil {
		t.Fatal(err)
	}
	<-gone
	over()
	waiting, gone = make(chan struct{}), make(chan struct{})
	begin(first, "/f/")() // the command is given up, and the question stays for the user
	open("/free")
	<-gone
}

// A header goes with every request to its origin, and with none to another, also not
// when a redirect leads there.
func headersOfAnOrigin(t *testing.T, f *fixture, l *logins) {
	t.Helper()
	var mu sync.Mutex
	got := map[string]string{}
	note := func(server string, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		got[server+r.URL.Path] = r.Header.Get("X-Key")
	}
	var other *httptest.Server
	done := make(chan struct{}, 10)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("own", r)
		switch r.URL.Path {
		case "/done":
			done <- struct{}{}
		case "/out":
			http.Redirect(w, r, other.URL+"/out", http.StatusFound)
		case "/out-page":
			http.Redirect(w, r, other.URL+"/page", http.StatusTemporaryRedirect)
		case "/within":
			http.Redirect(w, r, "/within-end", http.StatusFound)
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, `<title>own</title><script>
const all = [fetch('/api'), fetch('/within'), fetch('/out', {mode: 'no-cors'}), fetch('%s/direct', {mode: 'no-cors'}), new Worker('/worker.js')]
Promise.allSettled(all).then(() => fetch('/done'))</script>`, other.URL)
		}
	}))
	other = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		note("other", r)
		w.Header().Set("Content-Type", "text/html")
		if r.URL.Path == "/back" {
			http.Redirect(w, r, s.URL+"/back-end", http.StatusFound)
			return
		}
		fmt.Fprint(w, "<title>other</title>")
	}))
	first := f.first(t)
	open := func(address, title string) {
		t.Helper()
		info, err := f.Navigate(deadline(t), nobody, first, address, protocol.WaitLoad, nil)
		if err != nil || info.Title != title {
			t.Fatalf("%s: %+v, %v", address, info, err)
		}
		if title == "own" {
			select {
			case <-done:
			case <-deadline(t).Done():
				t.Fatalf("%s did not load everything: %v", address, got)
			}
		}
	}
	open(s.URL+"/before", "own")
	l.mu.Lock()
	l.origin = s.URL
	close(l.changed)
	l.changed = make(chan struct{})
	l.mu.Unlock()
	open(other.URL+"/plain", "other")
	open(s.URL+"/page", "own")
	open(s.URL+"/out-page", "other")
	open(other.URL+"/back", "own")
	mu.Lock()
	defer mu.Unlock()
	key := "for " + s.URL
	for path, want := range map[string]string{
		"own/before": "", "own/page": key, "own/api": key, "own/within": key, "own/within-end": key, "own/out": key, "own/out-page": key, "own/back-end": key, "own/worker.js": key,
		"other/plain": "", "other/out": "", "other/page": "", "other/direct": "", "other/back": "",
	} {
		if have, came := got[path]; !came || have != want {
			t.Errorf("%s has %q, came %v", path, have, came)
		}
	}
}
