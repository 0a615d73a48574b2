package browser

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// welcome serves a page that shows whether it received the panel's event.
func welcome(t *testing.T) (*httptest.Server, int) {
	t.Helper()
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, `<!doctype html><title>waiting</title><script>
			document.addEventListener('pilotfish:connected', () => { document.title = 'connected'; });
			addEventListener('message', () => {});
		</script>`)
	}))
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	port, err := strconv.Atoi(u.Port())
	if err != nil {
		t.Fatal(err)
	}
	return s, port
}

// The welcome page is notified when the panel is connected, through panel, worker
// and content script, no matter whether it was opened before or after the
// extension was loaded. The same page of another server is not notified.
func TestWelcomeHearsOfThePanel(t *testing.T) {
	ours, port := welcome(t)
	others, _ := welcome(t)
	c := config(t, false)
	c.StartURL = func() string { return ours.URL + "/welcome" }
	f := start(t, c)
	f.awaitWorker(t) // only the worker receives the panel's message
	ctx := deadline(t)
	p := pairing
	p.Port = port
	if err := f.Pair(ctx, p); err != nil {
		t.Fatal(err)
	}
	for storedPairing(t, f).Port != port {
		if ctx.Err() != nil {
			t.Fatal("no pairing")
		}
	}
	other, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, other, others.URL+"/welcome", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if _, err := devtools.Evaluate[any](ctx, panelSession(t, f), `void chrome.runtime.sendMessage({kind: 'rpc:call', v: 1, id: 'x', deadline: Date.now() + 1e4, method: 'connected', params: null})`, 0); err != nil {
		t.Fatal(err)
	}
	title := func(id protocol.TabID) string {
		for _, tab := range f.Tabs() {
			if tab.ID == id {
				return tab.Title
			}
		}
		return ""
	}
	if err := f.Browser.tabs.Await(ctx, func() bool { return title("t1") == "connected" }); err != nil {
		t.Fatalf("the welcome page heard nothing: %v", f.Tabs())
	}
	// A page asks the worker from its own world and gets no answer.
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	stranger, _ := f.Browser.tabs.Lookup(other)
	page, err := r.page(ctx, stranger.Target)
	if err != nil {
		t.Fatal(err)
	}
	reach, err := devtools.Evaluate[string](ctx, page.Session, fmt.Sprintf(`(async () => typeof chrome?.runtime?.sendMessage + ' ' +
		await fetch('chrome-extension://%s/panel.html').then(() => 'reached', () => 'refused'))()`, protocol.ExtensionID), 0)
	if err != nil || reach != "undefined refused" {
		t.Errorf("a page reaches the extension: %s", reach)
	}
	if title(other) != "waiting" {
		t.Errorf("another server's page heard %q", title(other))
	}
}
