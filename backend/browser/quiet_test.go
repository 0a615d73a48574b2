package browser

import (
	"context"
	"fmt"
	"net/http"
	"path"
	"strings"
	"testing"
	"time"

	"pilotfish/backend/browser/wait"
	"pilotfish/backend/protocol"
)

// Connections that never end by themselves do not prolong the wait for a quiet
// network; requests without an answer do.
func TestWaitForQuiet(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Quiet</title>")
	})
	mux.HandleFunc("/events", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: one\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) {
		<-r.Context().Done()
	})
	srv := serve(t, mux)
	f := headless(t)
	first := f.first(t)
	f.open(t, first, srv.URL+"/")
	quiet := func(script string, limit time.Duration) error {
		t.Helper()
		if _, err := f.Evaluate(deadline(t), nobody, first, script); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), limit)
		defer cancel()
		_, err := f.Wait(ctx, nobody, first, protocol.WaitRequest{Kind: protocol.WaitForQuiet})
		return err
	}
	// Commands on a tab take turns, so the page starts these requests itself,
	// with timers.
	if err := quiet("setTimeout(() => new EventSource('/events'), 50); 1", 20*time.Second); err != nil {
		t.Errorf("events that never end: %v", err)
	}
	if err := quiet("setInterval(() => fetch('/never').catch(() => 0), 20); 1", 3*wait.NetworkQuiet); code(err) != protocol.CodeTimeout {
		t.Errorf("requests without an answer: %v", err)
	}
}

// TestQuietKnowsEarlierRequests: a request that a page, a frame or a worker began before
// the wait counts until it is answered.
func TestQuietKnowsEarlierRequests(t *testing.T) {
	const fetches = `fetch('/late').then((r) => r.text()).then(() => { document.title = 'got it'; })`
	pages := map[string]string{
		"/fetch":      `<script>` + fetches + `</script>`,
		"/request":    `<script>const r = new XMLHttpRequest(); r.open('GET', '/late'); r.onload = () => { document.title = 'got it'; }; r.send();</script>`,
		"/afterwards": `<script>onload = () => { ` + fetches + ` }</script>`,
		"/chain":      `<script>fetch('/late?1').then(() => ` + fetches + `)</script>`,
		"/image":      `<body><script>onload = () => { const i = new Image(); i.onload = () => { document.title = 'got it'; }; i.src = '/late.svg'; }</script>`,
		"/script":     `<body><script>onload = () => { const s = document.createElement('script'); s.src = '/late.js'; document.head.append(s); }</script>`,
		"/pause":      `<body><script>onload = () => { const s = document.createElement('script'); s.src = '/late-first.js'; document.head.append(s); }</script>`,
		"/click":      `<button onclick="` + fetches + `">Load</button>`,
		"/frame":      `<iframe src="/inner"></iframe>` + listens,
		"/other":      `<iframe src="OTHER/inner"></iframe>` + listens,
		"/nested":     `<iframe src="OTHER/within"></iframe>` + listens,
		"/within":     `<iframe src="/inner"></iframe><script>onmessage = (e) => parent.postMessage(e.data, '*')</script>`,
		"/inner":      `<script>fetch('/late').then(() => parent.postMessage('got it', '*'))</script>`,
		"/worker":     `<script>new Worker('/worker.js').onmessage = (e) => { document.title = e.data; }</script>`,
		"/blob":       `<script>new Worker(URL.createObjectURL(new Blob(["fetch('" + location.origin + "/late').then(() => postMessage('got it'))"]))).onmessage = (e) => { document.title = e.data; }</script>`,
		"/shared":     `<script>new SharedWorker('/shared.js').port.onmessage = (e) => { document.title = e.data; }</script>`,
		"/again":      `<script>new SharedWorker('/again.js').port.onmessage = (e) => { document.title = e.data; }</script>`,
		"/shared.js":  `onconnect = (e) => fetch('/late').then(() => e.ports[0].postMessage('got it'))`,
		"/again.js":   `onconnect = (e) => fetch('/late?again').then(() => e.ports[0].postMessage('got it'))`,
		"/silent":     `<title>got it</title><script>new SharedWorker('/silent.js')</script>`,
		"/silent.js":  `1`,
		"/ticks":      `<title>got it</title><script>new EventSource('/events')</script>`,
		"/worker.js":  `fetch('/late').then(() => postMessage('got it'))`,
		// What it starts is still within the quiet time after its own response.
		"/late-first.js": `setTimeout(() => ` + fetches + `, 200)`,
		"/late.js":       `document.title = 'got it'`,
		"/late.svg":      `<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>`,
		"/late":          `late`,
		"/favicon.ico":   ``,
	}
	kinds := map[string]string{".js": "text/javascript", ".svg": "image/svg+xml", "": "text/html; charset=utf-8"}
	var other string
	again := make(chan struct{}, 2) // a request of the worker that two tabs share
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.RawQuery == "again" {
			again <- struct{}{}
		}
		if strings.HasPrefix(r.URL.Path, "/late") {
			select { // so long that a wait which does not know of the request is over
			case <-time.After(3 * wait.NetworkQuiet):
			case <-r.Context().Done():
				return
			}
		}
		if r.URL.Path == "/events" {
			w.Header().Set("Content-Type", "text/event-stream")
			tick := time.NewTicker(wait.NetworkQuiet / 5)
			defer tick.Stop()
			for r.Context().Err() == nil {
				fmt.Fprint(w, "data: tick\n\n")
				_ = http.NewResponseController(w).Flush() // the next write says that it is over
				<-tick.C
			}
			return
		}
		w.Header().Set("Content-Type", kinds[path.Ext(r.URL.Path)])
		fmt.Fprint(w, strings.ReplaceAll(pages[r.URL.Path], "OTHER", other))
	}))
	other = strings.Replace(s.URL, "127.0.0.1", "localhost", 1)
	f := headless(t)
	for _, at := range []string{"fetch", "request", "afterwards", "chain", "image", "script", "pause", "frame", "other", "nested", "worker", "blob", "click", "shared", "again", "silent", "ticks"} {
		t.Run(at, func(t *testing.T) {
			t.Parallel() // each has a tab of its own, and spends its time waiting
			id, err := f.NewTab(deadline(t), "", true)
			if err != nil {
				t.Fatal(err)
			}
			f.open(t, id, s.URL+"/"+at)
			if at == "again" { // a worker that another tab has started
				if id, err = f.NewTab(deadline(t), "", true); err != nil {
					t.Fatal(err)
				}
				f.open(t, id, s.URL+"/"+at)
				for range 2 { // nothing tells of a page's message to a worker that is still on its way
					select {
					case <-again:
					case <-deadline(t).Done():
						t.Fatal("the worker requests nothing")
					}
				}
			}
			if at == "click" {
				if _, err := f.Act(deadline(t), nobody, id, protocol.ActRequest{Kind: protocol.ActClick, Target: "text=Load"}, nil); err != nil {
					t.Fatal(err)
				}
			}
			info, err := f.Wait(deadline(t), nobody, id, protocol.WaitRequest{Kind: protocol.WaitForQuiet})
			if err != nil || info.Title != "got it" {
				t.Errorf("it was quiet with %+v, %v", info, err)
			}
		})
	}
}

// listens makes a page's title what its frame says.
const listens = `<script>onmessage = (e) => { document.title = e.data; }</script>`
