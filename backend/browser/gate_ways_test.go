package browser

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// pageWay is a way in which a page makes the browser connect to an address, beside those
// of gateHome. AT is the address, with the name of the way as its path.
type pageWay struct {
	head   map[string]string // headers of the page's answer
	markup string
	script string
}

// pageWays are the ways, by name.
func pageWays() map[string]pageWay {
	html := func(s string) pageWay { return pageWay{markup: s} }
	js := func(s string) pageWay { return pageWay{script: s} }
	return map[string]pageWay{
		"beacon":         js(`navigator.sendBeacon('AT', 'x')`),
		"keepalive":      js(`fetch('AT', {mode: 'no-cors', keepalive: true}).catch(() => 0)`),
		"eventsource":    js(`new EventSource('AT')`),
		"import":         html(`<style>@import url(AT)</style>`),
		"font":           html(`<style>@font-face{font-family:x;src:url(AT)}p{font-family:x}</style><p>x`),
		"preload":        html(`<link rel=preload as=image href="AT">`),
		"prefetch":       html(`<link rel=prefetch href="AT">`),
		"modulepreload":  html(`<link rel=modulepreload href="AT">`),
		"dictionary":     html(`<link rel=compression-dictionary href="AT">`),
		"ping":           html(`<a id=a href="#x" ping="AT">x</a><script>document.querySelector('#a').click()</script>`),
		"poster":         html(`<video poster="AT"></video>`),
		"object":         html(`<object data="AT"></object>`),
		"embed":          html(`<embed src="AT">`),
		"button":         html(`<input type=image src="AT">`),
		"drawing":        html(`<svg><image href="AT" width=9 height=9 /><use href="AT#x"/></svg>`),
		"data-frame":     html(`<iframe src="data:text/html,<img src='AT'>"></iframe>`),
		"srcdoc":         html(`<iframe srcdoc="<img src='AT'>"></iframe>`),
		"refresh":        html(`<iframe srcdoc="<meta http-equiv=refresh content='0;url=AT'>"></iframe>`),
		"form":           html(`<iframe name=f></iframe><form id=f method=post target=f action="AT"><input name=a value=b></form><script>document.querySelector('#f').submit()</script>`),
		"blob-worker":    js(`new Worker(URL.createObjectURL(new Blob(["fetch('AT', {mode: 'no-cors'}).catch(() => 0)"])))`),
		"shared-worker":  js(`new SharedWorker(URL.createObjectURL(new Blob(["fetch('AT', {mode: 'no-cors'}).catch(() => 0)"])))`),
		"worker-imports": js(`new Worker(URL.createObjectURL(new Blob(["importScripts('AT')"])))`),
		"service-worker": js(`navigator.serviceWorker.register('/worker.js?to=' + encodeURIComponent('AT'))`),
		"worklet":        js(`CSS.paintWorklet.addModule('AT').catch(() => 0)`),
		"dynamic-import": js(`import('AT').catch(() => 0)`),
		"socket":         js(`new WebSocket('AT'.replace('http', 'ws'))`),
		"policy-report":  {head: map[string]string{"Content-Security-Policy": "img-src 'none'; report-uri AT"}, markup: `<img src="/x">`},
		"link-header":    {head: map[string]string{"Link": "<AT>; rel=preload; as=image"}},
	}
}

// TestWaysToThePrivateNetwork: what a page makes the browser load, in whatever way, is judged
// by its address. The same ways lead to a public address from a tab without an agent, which
// shows that they are real, and by then what the others have sent has arrived.
func TestWaysToThePrivateNetwork(t *testing.T) {
	ways, secret := pageWays(), newForbidden(t)
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		q := r.URL.Query()
		switch r.URL.Path {
		case "/worker.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprintf(w, "fetch(%q, {mode: 'no-cors'}).catch(() => 0)", q.Get("to")) //nolint:gosec // the test's own page
		case "/":
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, "<!doctype html><body>")
			for name := range ways {
				fmt.Fprintf(w, `<iframe src="/way?host=%s&name=%s"></iframe>`, q.Get("host"), name) //nolint:gosec // the test's own page
			}
		case "/way":
			way := ways[q.Get("name")]
			at := fmt.Sprintf("http://%s:%s/%s/%s", q.Get("host"), secret.port, r.Host, q.Get("name"))
			for name, value := range way.head {
				w.Header().Set(name, strings.ReplaceAll(value, "AT", at))
			}
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprintf(w, "<!doctype html><body>%s<script>%s</script>", strings.ReplaceAll(way.markup, "AT", at), strings.ReplaceAll(way.script, "AT", at)) //nolint:gosec // the test's own page
		}
	})
	near, public, free := serve(t, handler), serve(t, handler), serve(t, handler)
	host := func(url string) string { return strings.TrimPrefix(url, "http://") }
	c := config(t, true)
	c.Switches = []string{"--host-resolver-rules=MAP *.test 127.0.0.1", "--ip-address-space-overrides=" + host(public.URL) + "=public"}
	c.Lookup = lookup(map[string]string{"lan.test": "192.168.1.1", "free.test": "203.0.113.1"})
	f := start(t, c)
	for _, from := range []string{near.URL, public.URL, free.URL} {
		id, err := f.NewTab(deadline(t), "", false)
		if err != nil {
			t.Fatal(err)
		}
		to := "free.test"
		if from != free.URL {
			to = "lan.test"
			gateByAddress(t, f, id)
		}
		if _, err := f.Navigate(deadline(t), nobody, id, from+"/?host="+to, protocol.WaitLoad, allowAll); err != nil {
			t.Fatal(err)
		}
	}
	for name := range ways {
		f.until(t, name+" arrives from a tab without a rule", func() bool { return secret.hit("/" + host(free.URL) + "/" + name) })
	}
	// On a page of this machine, which is the user's own, the browser does not judge sockets
	// and workers that no single tab has; ADR 223.
	for name := range ways {
		known := name == "socket" || name == "shared-worker" || name == "service-worker"
		if secret.hit("/"+host(public.URL)+"/"+name) || !known && secret.hit("/"+host(near.URL)+"/"+name) {
			t.Errorf("%s arrived", name)
		}
	}
}
