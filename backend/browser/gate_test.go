package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"pilotfish/backend/protocol"
)

// forbidden is a server that a gated tab must not reach; it records the requests
// that it receives.
type forbidden struct {
	*httptest.Server
	port string

	mu   sync.Mutex
	hits []string
}

func newForbidden(t *testing.T) *forbidden {
	t.Helper()
	f := &forbidden{}
	f.Server = serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		f.hits = append(f.hits, r.URL.Path)
		f.mu.Unlock()
		w.Header().Set("Access-Control-Allow-Origin", "*")
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<title>Secret</title>secret")
	}))
	f.port = f.URL[strings.LastIndex(f.URL, ":")+1:]
	return f
}

func (f *forbidden) hit(path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, h := range f.hits {
		if h == path {
			return true
		}
	}
	return false
}

// allow refuses URLs with the forbidden port.
func (f *forbidden) allow(url string, _ bool) error {
	if strings.Contains(url, ":"+f.port) {
		return protocol.NewError(protocol.CodeRefused, "that is refused", "")
	}
	return nil
}

func (f *forbidden) patterns() []string { return []string{"*://*:" + f.port + "/*"} }

// sinks returns the ways in which a page can load something, as code that settles
// once the load has succeeded or failed. URL stands for the forbidden server.
func sinks() map[string]string {
	worker := func(start string) string {
		return `await new Promise((ok) => { const code = "fetch('URL/NAME', {mode: 'no-cors'}).then(() => postMessage(1), () => postMessage(2))";
			` + start + ` })`
	}
	shared := func(does string) string {
		return `await new Promise((ok) => { const w = new SharedWorker('/shared.js?' + encodeURIComponent(` + "`" + does + "`" + `)); w.onerror = ok; w.port.onmessage = ok; w.port.start() })`
	}
	return map[string]string{
		"fetch":        `await fetch('URL/NAME', {mode: 'no-cors'}).catch(() => 0)`,
		"redirected":   `await fetch('/redirect?to=URL/NAME', {mode: 'no-cors'}).catch(() => 0)`,
		"image":        `await new Promise((ok) => { const i = new Image(); i.onload = i.onerror = ok; i.src = 'URL/NAME' })`,
		"script":       `await new Promise((ok) => { const s = document.createElement('script'); s.onload = s.onerror = ok; s.src = 'URL/NAME'; document.body.append(s) })`,
		"frame":        `await new Promise((ok) => { const f = document.createElement('iframe'); f.onload = f.onerror = ok; f.src = 'URL/NAME'; document.body.append(f) })`,
		"frameMoved":   `await new Promise((ok) => { const f = document.createElement('iframe'); f.onload = f.onerror = ok; f.src = '/redirect?to=URL/NAME'; document.body.append(f) })`,
		"xhr":          `await new Promise((ok) => { const x = new XMLHttpRequest(); x.onloadend = ok; x.open('POST', 'URL/NAME'); x.send('x') })`,
		"events":       `await new Promise((ok) => { const e = new EventSource('URL/NAME'); e.onerror = e.onmessage = () => { e.close(); ok() } })`,
		"style":        `await new Promise((ok) => { const l = document.createElement('link'); l.rel = 'stylesheet'; l.onload = l.onerror = ok; l.href = 'URL/NAME'; document.head.append(l) })`,
		"worker":       worker(`const w = new Worker(URL.createObjectURL(new Blob([code]))); w.onmessage = ok; w.onerror = ok`),
		"workerScript": `await new Promise((ok) => { const w = new Worker(URL.createObjectURL(new Blob(["try { importScripts('URL/NAME') } catch {} postMessage(1)"]))); w.onmessage = w.onerror = ok })`,
		"service": `await navigator.serviceWorker.register('/sw.js?NAME', { scope: location.pathname }).then(() => navigator.serviceWorker.ready).then((r) => new Promise((ok) => {
			navigator.serviceWorker.onmessage = ok; r.active.postMessage('URL/NAME') })).catch(() => 0)`,
		"movedService": `await navigator.serviceWorker.register('/sw.js?NAME', { scope: location.pathname }).then(() => navigator.serviceWorker.ready).then((r) => new Promise((ok) => {
			navigator.serviceWorker.onmessage = ok; r.active.postMessage('/redirect?to=URL/NAME') })).catch(() => 0)`,
		"shared":       shared(`fetch('URL/NAME', {mode: 'no-cors'}).then(() => 1, () => 2)`),
		"sharedMoved":  shared(`fetch('/redirect?to=URL/NAME', {mode: 'no-cors'}).then(() => 1, () => 2)`),
		"sharedScript": shared(`(async () => { try { importScripts('URL/NAME') } catch {} })()`),
		"sharedWorker": shared(`new Promise((ok) => { const w = new Worker(URL.createObjectURL(new Blob(["fetch('URL/NAME', {mode: 'no-cors'}).then(() => postMessage(1), () => postMessage(2))"]))); w.onmessage = w.onerror = ok })`),
		"beacon":       `navigator.sendBeacon('URL/NAME', 'x')`,
	}
}

// Whatever a page does, in itself, in a frame of another site or in workers, no
// request reaches a refused URL.
func TestGateOfResources(t *testing.T) {
	f := headless(t)
	bad := newForbidden(t)
	done := make(chan string, 64)
	mux := http.NewServeMux()
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound) //nolint:gosec // the test is about redirects
	})
	mux.HandleFunc("/sw.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprint(w, `oninstall = () => skipWaiting(); onactivate = (e) => e.waitUntil(clients.claim());
			onmessage = (e) => e.waitUntil(fetch(e.data, {mode: 'no-cors'}).then(() => 1, () => 2).then((x) => e.source.postMessage(x)))`)
	})
	mux.HandleFunc("/shared.js", func(w http.ResponseWriter, r *http.Request) {
		does, err := url.QueryUnescape(r.URL.RawQuery)
		if err != nil {
			t.Error(err)
		}
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `onconnect = async (e) => { const { ports: [port] } = e; try { await (%s) } catch {} port.postMessage(1) }`, does) //nolint:gosec // a script of the test
	})
	mux.HandleFunc("/done/", func(_ http.ResponseWriter, r *http.Request) { done <- strings.TrimPrefix(r.URL.Path, "/done/") })
	mux.HandleFunc("/page/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.TrimPrefix(r.URL.Path, "/page/")
		where := r.URL.Query().Get("in")
		code := strings.NewReplacer("URL/", bad.URL+"/", "NAME", name+"-"+where).Replace(sinks()[name])
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, `<!doctype html><title>%s</title><body><script type=module>%s; await fetch('/done/%s-%s')</script>`, name, code, name, where) //nolint:gosec // a page of the test
	})
	mux.HandleFunc("/outer/", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		inner := "http://" + strings.Replace(r.Host, "127.0.0.1", "localhost", 1)
		fmt.Fprintf(w, `<!doctype html><iframe src="%s/page/%s?in=frame"></iframe>`, inner, strings.TrimPrefix(r.URL.Path, "/outer/")) //nolint:gosec // a page of the test
	})
	s := serve(t, mux)
	ctx, id := t.Context(), f.first(t)
	if err := f.Gate(ctx, id, bad.patterns(), bad.allow, nil, nil); err != nil {
		t.Fatal(err)
	}
	for name := range sinks() {
		for where, path := range map[string]string{"top": "/page/" + name + "?in=top", "frame": "/outer/" + name} {
			if _, err := f.Navigate(deadline(t), nobody, id, s.URL+path, protocol.WaitCommit, nil); err != nil {
				t.Errorf("%s %s: %v", name, where, err)
				continue
			}
			select {
			case got := <-done:
				if got != name+"-"+where {
					t.Errorf("%s %s: %s was done", name, where, got)
				}
			case <-deadline(t).Done():
				t.Errorf("%s %s did not end", name, where)
			}
			if bad.hit("/" + name + "-" + where) {
				t.Errorf("%s %s reached the refused address", name, where)
			}
		}
	}
}

// The rule still applies to a service worker that a gated page started after that
// page was left.
func TestGateOutlivesThePage(t *testing.T) {
	f := headless(t)
	bad := newForbidden(t)
	left, asked, done := make(chan struct{}), make(chan struct{}, 1), make(chan struct{}, 1)
	mux := http.NewServeMux()
	mux.HandleFunc("/sw.js", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/javascript")
		fmt.Fprintf(w, `onmessage = (e) => e.waitUntil(fetch('/left').then(() => fetch('%s/late', {mode: 'no-cors'})).catch(() => 0).then(() => fetch('/done')))`, bad.URL)
	})
	mux.HandleFunc("/left", func(http.ResponseWriter, *http.Request) { asked <- struct{}{}; <-left })
	mux.HandleFunc("/done", func(http.ResponseWriter, *http.Request) { done <- struct{}{} })
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><script type=module>await navigator.serviceWorker.register('/sw.js'); (await navigator.serviceWorker.ready).active.postMessage(1)</script>`)
	})
	s := serve(t, mux)
	id := f.first(t)
	if err := f.Gate(t.Context(), id, bad.patterns(), bad.allow, nil, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(deadline(t), nobody, id, s.URL+"/", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	heard := func(what string, c <-chan struct{}) {
		t.Helper()
		select {
		case <-c:
		case <-deadline(t).Done():
			t.Fatal("the worker did not " + what)
		}
	}
	heard("start", asked)
	if _, err := f.Navigate(deadline(t), nobody, id, "data:text/html,elsewhere", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	close(left)
	heard("go on", done)
	if bad.hit("/late") {
		t.Error("a worker whose page was left reached the refused address")
	}
}

// A navigation by the page's script or by the user is judged like a command's,
// and the tab shows the refusal.
func TestGateOfPages(t *testing.T) {
	f := headless(t)
	bad := newForbidden(t)
	pages := map[string]string{
		"script":  `<script>location = '%s'</script>`,
		"replace": `<script>setTimeout(() => location.replace('%s'), 0)</script>`,
		"meta":    `<meta http-equiv=refresh content="0;url=%s">`,
		"form":    `<form method=post action="%s"></form><script>document.forms[0].submit()</script>`,
		"link":    `<a href="%s">x</a><script>document.links[0].click()</script>`,
		"bounce":  `<script>location = '/redirect?to=%s'</script>`,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound) //nolint:gosec // the test is about redirects
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		name := strings.Trim(r.URL.Path, "/")
		w.Header().Set("Content-Type", "text/html")
		//nolint:gosec // the paths are the test's own
		fmt.Fprintf(w, "<!doctype html><title>start</title>"+pages[name], bad.URL+"/"+name)
	})
	s := serve(t, mux)
	id := f.first(t)
	if err := f.Gate(t.Context(), id, bad.patterns(), bad.allow, nil, nil); err != nil {
		t.Fatal(err)
	}
	// The title is polled, because the browser reports it late. Each iteration is
	// a round trip.
	refused := func(name string) {
		t.Helper()
		for ctx := deadline(t); ; {
			info, err := f.Page(ctx, nobody, id)
			if err != nil {
				t.Fatalf("%s was not refused: %v", name, err)
			}
			if info.Title == "Not opened" {
				return
			}
		}
	}
	for name := range pages {
		if _, err := f.Navigate(deadline(t), nobody, id, s.URL+"/"+name, protocol.WaitCommit, nil); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		refused(name)
		if bad.hit("/" + name) {
			t.Errorf("%s reached the refused address", name)
		}
		if _, err := f.Navigate(deadline(t), nobody, id, "data:text/html,<title>between</title>", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	// A refused command returns the reason.
	rule := func(url string) error { return bad.allow(url, true) }
	for _, url := range []string{bad.URL + "/command", s.URL + "/redirect?to=" + bad.URL + "/command"} {
		if _, err := f.Navigate(deadline(t), nobody, id, url, protocol.WaitLoad, rule); code(err) != protocol.CodeRefused {
			t.Errorf("%s: %v", url, err)
		}
	}
	if bad.hit("/command") {
		t.Error("a command reached the refused address")
	}
	// A rule that allows it replaces this one.
	if err := f.Gate(t.Context(), id, nil, func(string, bool) error { return nil }, nil, nil); err != nil {
		t.Fatal(err)
	}
	if info, err := f.Navigate(deadline(t), nobody, id, bad.URL+"/after", protocol.WaitLoad, nil); err != nil || info.Title != "Secret" {
		t.Errorf("after the rule went: %+v, %v", info, err)
	}
	if code(f.Gate(t.Context(), "t99", nil, nil, nil, nil)) != protocol.CodeUnknownTab {
		t.Error("a tab that is not there was gated")
	}
}
