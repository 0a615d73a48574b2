package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/observe"
	"pilotfish/backend/protocol"
)

// watchSite is a site with everything that can be watched.
func watchSite(t *testing.T) *httptest.Server {
	t.Helper()
	pages := map[string]string{
		"/console": `<title>Console</title><link rel=icon href=data:,><script>
			console.log('plain', 7, {a: 1, b: [1, 2]}); console.warn('careful');
			function inner() { throw new Error('it broke'); }
			setTimeout(inner, 0); console.error('bad thing');
		</script>`,
		"/net":    `<title>Net</title><script>fetch('/api?q=1&secret=no', {method: 'POST', headers: {Authorization: 'Bearer hush'}, body: 'a=b'}).then((r) => r.json()).then((v) => { document.title = 'got ' + v.name; }, (e) => { document.title = 'no ' + e.message; });</script><img src=/missing.png>`,
		"/dialog": `<title>Dialog</title><script>setTimeout(() => { document.title = String(confirm('sure?')) + ' ' + prompt('name?', 'x'); }, 0)</script>`,
		"/form":   `<title>Form</title><label>Name <input id=n></label><label>Pass <input id=p type=password></label><select id=s><option>One<option>Two</select><label><input id=c type=checkbox> Ok</label><button id=b onclick="document.title='clicked ' + n.value + ' ' + s.value + ' ' + c.checked">Save</button>`,
		"/late":   `<title>Late</title><div id=root></div><script>setTimeout(() => { root.innerHTML = '<p class=done>Order complete</p>'; }, 30)</script>`,
		"/tools":  `<title>Tools</title><script>document.modelContext.registerTool({name: 'add', description: 'adds two numbers', inputSchema: {type: 'object', properties: {a: {type: 'number'}, b: {type: 'number'}}, required: ['a', 'b']}, execute: async ({a, b}) => ({content: [{type: 'text', text: String(a + b)}]})});</script>`,
		"/state":  `<title>State</title><script>document.title = (localStorage.getItem('k') ?? 'none') + ' ' + (sessionStorage.getItem('s') ?? 'none') + ' ' + document.cookie;</script>`,
		"/moving": `<title>Moving</title><div id=b style="width:100px;height:100px;background:red"></div><script>let x = 0; setInterval(() => { b.style.marginLeft = (x = (x + 20) % 400) + 'px'; }, 30)</script>`,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		http.SetCookie(w, &http.Cookie{Name: "sid", Value: "topsecret", HttpOnly: true}) //nolint:gosec // a cookie of the test's own site
		fmt.Fprint(w, "<!doctype html>", body)
	})
	mux.HandleFunc("/api", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		fmt.Fprint(w, `{"name":"real","token":"topsecret"}`)
	})
	mux.HandleFunc("/echo", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<!doctype html><title>%s|%s|%s</title>", r.Header.Get("X-Debug"), r.UserAgent(), r.Header.Get("Accept-Language")) //nolint:gosec // the test wants to see them
	})
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=a.bin")
		fmt.Fprint(w, "data")
	})
	s := serve(t, mux)
	return s
}

// watching returns a headless browser and a site to watch.
func watching(t *testing.T) (*fixture, *httptest.Server, protocol.TabID) {
	t.Helper()
	f := headless(t)
	id := f.first(t)
	return f, watchSite(t), id
}

func (f *fixture) open(t *testing.T, id protocol.TabID, url string) protocol.PageInfo {
	t.Helper()
	info, err := f.Navigate(deadline(t), nobody, id, url, protocol.WaitLoad, nil)
	if err != nil {
		t.Fatal(err)
	}
	return info
}

// title waits until a page's title begins with want.
func (f *fixture) title(t *testing.T, id protocol.TabID, want string) {
	t.Helper()
	f.script(t, id, fmt.Sprintf(`new Promise((done) => {
		const look = () => { if (document.title.startsWith(%q)) { seen.disconnect(); done(document.title); } };
		const seen = new MutationObserver(look);
		seen.observe(document, { subtree: true, childList: true, characterData: true });
		look();
	})`, want))
}

// script evaluates an expression in the page's own world.
func (f *fixture) script(t *testing.T, id protocol.TabID, expression string) string {
	t.Helper()
	k, err := f.keeper(deadline(t), id)
	if err != nil {
		t.Fatal(err)
	}
	v, err := devtools.Evaluate[string](deadline(t), k.Session(), "Promise.resolve("+expression+").then(String)", 0)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// mode checks that only the owner can read and write a file.
func mode(t *testing.T, path string) {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%s: %v, %v", path, info.Mode(), err)
	}
}

func TestConsole(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	f.open(t, id, s.URL+"/console?before")
	l, err := f.Console(ctx, id, 0) // earlier entries are reported, too
	if err != nil || len(l.Entries) < 3 {
		t.Fatalf("%+v, %v", l, err)
	}
	f.open(t, id, s.URL+"/console")
	l, err = f.Console(ctx, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	text := fmt.Sprintf("%+v", l.Entries)
	for _, want := range []string{"plain 7 {a: 1, b: Array(2)}", "careful", "bad thing"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in %s", want, text)
		}
	}
	// The watch persists over a navigation, a crash and a reload.
	f.open(t, id, s.URL+"/console?again")
	if err := f.kept(id).Session().Post(ctx, "Page.crash", nil); err != nil {
		t.Fatal(err)
	}
	f.wait(t, "the crash", func() bool { return f.tabs[0].Crashed })
	if _, err := f.Reload(deadline(t), nobody, id, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	before, err := f.Console(ctx, id, 0)
	if err != nil || len(before.Entries) == 0 {
		t.Fatalf("before the last word: %+v, %v", before, err)
	}
	last := before.Entries[len(before.Entries)-1].N
	f.script(t, id, "console.info('after the crash')")
	l, err = f.Console(ctx, id, last)
	if err != nil || len(l.Entries) == 0 || l.Entries[len(l.Entries)-1].Text != "after the crash" {
		t.Errorf("after a crash: %+v, %v", l, err)
	}
	whole, err := f.Console(ctx, id, 0)
	if err != nil {
		t.Fatal(err)
	}
	thrown := false
	for _, e := range whole.Entries {
		if e.Source == "exception" && strings.Contains(e.Text, "it broke") && e.Line > 0 && strings.Contains(e.URL, "/console") && len(e.Stack) > 0 && strings.HasPrefix(e.Stack[0], "inner ") {
			thrown = true
		}
	}
	if !thrown {
		t.Errorf("the exception with its source is missing: %+v", whole.Entries)
	}
	// The ring is bounded and counts what it dropped.
	f.script(t, id, fmt.Sprintf("(() => { for (let i = 0; i < %d; i++) console.log('n' + i); return 1; })()", observe.ConsoleRing+50))
	l, err = f.Console(ctx, id, 0)
	if err != nil || len(l.Entries) > observe.ConsoleRing || l.Dropped == 0 {
		t.Errorf("the ring: %d entries, %d dropped, %v", len(l.Entries), l.Dropped, err)
	}
	if err := f.ClearConsole(ctx, id); err != nil {
		t.Fatal(err)
	}
	if l, err = f.Console(ctx, id, 0); err != nil || len(l.Entries) != 0 {
		t.Errorf("after clear: %+v, %v", l, err)
	}
	if err := f.StopConsole(ctx, id); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Console(ctx, "t99", 0); code(err) != protocol.CodeUnknownTab {
		t.Errorf("an unknown tab: %v", err)
	}
}

func TestNetworkAndHAR(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	if l, err := f.Network(ctx, id); err != nil || len(l.Entries) != 0 {
		t.Fatalf("before: %+v, %v", l, err)
	}
	f.open(t, id, s.URL+"/net")
	f.title(t, id, "got real")
	f.open(t, id, s.URL+"/net?again") // the watch outlives a goto
	f.title(t, id, "got real")
	l, err := f.Network(ctx, id)
	if err != nil {
		t.Fatal(err)
	}
	var api, missing protocol.NetworkEntry
	for _, e := range l.Entries {
		switch {
		case strings.Contains(e.URL, "/api"):
			api = e
		case strings.HasSuffix(e.URL, "/missing.png"):
			missing = e
		}
	}
	if api.Status != 200 || api.Method != "POST" || api.Type != "fetch" || !api.Done || api.Bytes == 0 || api.PostData != "a=b" || api.RequestHeaders["authorization"] != "Bearer hush" {
		t.Errorf("the request: %+v", api)
	}
	if missing.Status != 404 {
		t.Errorf("what is missing: %+v", missing)
	}
	for secrets, want := range map[bool]string{true: `{"name":"real","token":"topsecret"}`, false: `{"name":"real","token":"(masked)"}`} {
		body, err := f.NetworkBody(ctx, id, api.ID, true, secrets)
		if err != nil || body.Text != want || !strings.HasSuffix(body.Path, ".json") {
			t.Fatalf("the body: %+v, %v", body, err)
		}
		mode(t, body.Path)
		if data, err := os.ReadFile(body.Path); err != nil || string(data) != want {
			t.Errorf("the file: %s, %v", data, err)
		}
	}
	if _, err := f.NetworkBody(ctx, id, "n999", false, true); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such request: %v", err)
	}
	for _, secrets := range []bool{false, true} {
		file, err := f.HAR(ctx, nobody, id, true, secrets)
		if err != nil {
			t.Fatal(err)
		}
		mode(t, file.Path)
		data, err := os.ReadFile(file.Path)
		if err != nil {
			t.Fatal(err)
		}
		checkHAR(t, data)
		if got := strings.Contains(string(data), "topsecret"); got != secrets {
			t.Errorf("secrets %v: the file has them: %v", secrets, got)
		}
		if !strings.Contains(string(data), `{\"name\":\"real\",`) {
			t.Error("the body is not in the file")
		}
	}
	if err := f.ClearNetwork(ctx, id); err != nil {
		t.Fatal(err)
	}
	l, err = f.Network(ctx, id)
	for _, e := range l.Entries {
		if strings.Contains(e.URL, "/api") {
			t.Errorf("after clear: %+v, %v", e, err)
		}
	}
}

// checkHAR checks a document against the requirements of HAR 1.2.
func checkHAR(t *testing.T, data []byte) {
	t.Helper()
	var doc map[string]any
	if err := json.Unmarshal(data, &doc); err != nil {
		t.Fatal(err)
	}
	need := func(where string, m map[string]any, keys ...string) {
		for _, k := range keys {
			if m[k] == nil {
				t.Errorf("%s has no %s: %v", where, k, m)
			}
		}
	}
	log, _ := doc["log"].(map[string]any)
	need("log", log, "version", "creator", "entries", "pages")
	if log["version"] != "1.2" {
		t.Errorf("version %v", log["version"])
	}
	need("creator", log["creator"].(map[string]any), "name", "version")
	for _, p := range log["pages"].([]any) {
		need("page", p.(map[string]any), "startedDateTime", "id", "title", "pageTimings")
	}
	entries := log["entries"].([]any)
	if len(entries) == 0 {
		t.Error("no entries")
	}
	for _, raw := range entries {
		e := raw.(map[string]any)
		need("entry", e, "startedDateTime", "time", "request", "response", "cache", "timings")
		if _, err := time.Parse(time.RFC3339Nano, e["startedDateTime"].(string)); err != nil {
			t.Error(err)
		}
		need("request", e["request"].(map[string]any), "method", "url", "httpVersion", "cookies", "headers", "queryString", "headersSize", "bodySize")
		res := e["response"].(map[string]any)
		need("response", res, "status", "statusText", "httpVersion", "cookies", "headers", "content", "headersSize", "bodySize")
		if _, ok := res["redirectURL"].(string); !ok {
			t.Error("no redirectURL")
		}
		need("content", res["content"].(map[string]any), "size", "mimeType")
		sum := 0.0
		for phase, v := range e["timings"].(map[string]any) {
			if n := v.(float64); n > 0 && phase != "ssl" {
				sum += n
			}
		}
		if d := sum - e["time"].(float64); d > 1 || d < -1 {
			t.Errorf("the timings are %v of %v: %v", sum, e["time"], e["timings"])
		}
	}
}

func TestNetworkRules(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	if err := f.AddNetworkRule(ctx, id, protocol.NetworkRule{Pattern: "*/api*", Status: 201, Body: `{"name":"mocked"}`}); err != nil {
		t.Fatal(err)
	}
	f.open(t, id, s.URL+"/net")
	f.title(t, id, "got mocked")
	// A rule for data does not answer the page itself.
	if err := f.AddNetworkRule(ctx, id, protocol.NetworkRule{Pattern: "*", Types: []string{"xhr", "image"}, Status: 201, Body: `{"name":"wrong"}`}); err != nil {
		t.Fatal(err)
	}
	f.open(t, id, s.URL+"/net?1")
	f.title(t, id, "got mocked")
	if _, err := f.RemoveNetworkRules(ctx, id, "*"); err != nil {
		t.Fatal(err)
	}
	if err := f.AddNetworkRule(ctx, id, protocol.NetworkRule{Pattern: "*/api*", Block: true}); err != nil {
		t.Fatal(err)
	}
	if r := f.NetworkRules(id); len(r) != 1 || !r[0].Block {
		t.Errorf("the rules: %+v", r)
	}
	// The same together with the gate of an agent's navigation.
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/net?2", protocol.WaitLoad, func(string) error { return nil }); err != nil {
		t.Fatal(err)
	}
	f.title(t, id, "no Failed to fetch")
	if r := f.NetworkRules(id); r[0].Hits == 0 {
		t.Errorf("not used: %+v", r)
	}
	if n, err := f.RemoveNetworkRules(ctx, id, ""); n != 1 || err != nil {
		t.Errorf("removed %d, %v", n, err)
	}
	f.open(t, id, s.URL+"/net?3")
	f.title(t, id, "got real")
}

func TestDialogs(t *testing.T) {
	f, s, id := watching(t)
	ctx := deadline(t)
	if l, err := f.Dialogs(ctx, id, "accept", "Ann"); err != nil || l.Policy != "accept" {
		t.Fatalf("%+v, %v", l, err)
	}
	f.open(t, id, s.URL+"/dialog")
	f.title(t, id, "true Ann")
	l, err := f.Dialogs(ctx, id, "", "")
	if err != nil || len(l.Entries) != 2 || !l.Entries[0].Accepted || l.Entries[1].Answer != "Ann" || l.Entries[1].Open || !l.Entries[0].ByPolicy {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := f.Dialogs(ctx, id, "dismiss", ""); err != nil {
		t.Fatal(err)
	}
	f.open(t, id, s.URL+"/dialog?2")
	f.title(t, id, "false null")
}

func TestDownloads(t *testing.T) {
	f, s := start(t, config(t, true)), watchSite(t) // its own, because the list of downloads is that of a run
	id := f.first(t)
	ctx := deadline(t)
	f.open(t, id, s.URL+"/console")
	if _, err := f.WaitDownload(ctx, "d999", id); code(err) != protocol.CodeBadArgument {
		t.Errorf("no such download: %v", err)
	}
	_, _ = f.Navigate(ctx, nobody, id, s.URL+"/file", protocol.WaitLoad, nil)
	d, err := f.WaitDownload(ctx, "", id)
	if err != nil || d.State != "done" || d.Name != "a.bin" || d.Received != 4 {
		t.Fatalf("%+v, %v", d, err)
	}
	if data, err := os.ReadFile(d.Path); err != nil || string(data) != "data" {
		t.Errorf("%q, %v", data, err)
	}
	if list := f.Downloads(); len(list) != 1 || list[0].ID != "d1" {
		t.Errorf("%+v", list)
	}
}

func TestWatchFor(t *testing.T) {
	f, s, id := watching(t)
	f.open(t, id, s.URL+"/console")
	for _, c := range []struct {
		q    protocol.WatchRequest
		then func()
		want string
	}{
		{protocol.WatchRequest{Kind: "text", Value: "Order"}, func() { f.open(t, id, s.URL+"/late") }, "Order complete"},
		{protocol.WatchRequest{Kind: "element", Value: ".done"}, func() {}, "p.done Order complete"},
		{protocol.WatchRequest{Kind: "url", Value: "*/form"}, func() { f.open(t, id, s.URL+"/form") }, s.URL + "/form"},
		{protocol.WatchRequest{Kind: "element", Value: "#b", Gone: true}, func() { f.script(t, id, "b.remove()") }, "#b"},
		{protocol.WatchRequest{Kind: "download", Value: "a.*"}, func() { _, _ = f.Navigate(deadline(t), nobody, id, s.URL+"/file", protocol.WaitLoad, nil) }, fmt.Sprintf("d%d ", len(f.Downloads())+1)},
	} {
		done := make(chan error, 1)
		go func() {
			r, err := f.WatchFor(deadline(t), nobody, id, c.q)
			if err == nil && !strings.HasPrefix(r.What, c.want) {
				err = fmt.Errorf("%+v", r)
			}
			done <- err
		}()
		c.then()
		if err := <-done; err != nil {
			t.Errorf("%+v: %v", c.q, err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := f.WatchFor(ctx, nobody, id, protocol.WatchRequest{Kind: "text", Value: "never there"}); code(err) != protocol.CodeTimeout {
		t.Errorf("in vain: %v", err)
	}
	if _, err := f.WatchFor(deadline(t), nobody, id, protocol.WatchRequest{Kind: "element", Value: ":::"}); code(err) != protocol.CodeBadArgument {
		t.Errorf("no selector: %v", err)
	}
}

// With five tabs at once, everything belongs to its tab.
func TestWatchingSideBySide(t *testing.T) {
	f, s, first := watching(t)
	ids := []protocol.TabID{first}
	for range 4 {
		id, err := f.NewTab(deadline(t), "", true)
		if err != nil {
			t.Fatal(err)
		}
		ids = append(ids, id)
	}
	var wg sync.WaitGroup
	for i, id := range ids {
		wg.Go(func() {
			ctx := deadline(t)
			mark := fmt.Sprintf("tab-%d", i)
			if _, err := f.Network(ctx, id); err != nil {
				t.Error(err)
			}
			if _, err := f.Navigate(ctx, nobody, id, s.URL+"/console?"+mark, protocol.WaitLoad, nil); err != nil {
				t.Error(err)
				return
			}
			if _, err := f.Emulate(ctx, nobody, id, func(e *protocol.Emulation) { e.Headers = map[string]string{"X-Debug": mark} }); err != nil {
				t.Error(err)
			}
			info, err := f.Navigate(ctx, nobody, id, s.URL+"/echo?"+mark, protocol.WaitLoad, nil)
			if err != nil || !strings.HasPrefix(info.Title, mark+"|") {
				t.Errorf("%s: %+v, %v", mark, info, err)
			}
			l, err := f.Network(ctx, id)
			if err != nil {
				t.Error(err)
			}
			for _, e := range l.Entries {
				if strings.Contains(e.URL, "tab-") && !strings.HasSuffix(e.URL, mark) {
					t.Errorf("%s has %s", mark, e.URL)
				}
			}
		})
	}
	wg.Wait()
	for _, tab := range f.Tabs() {
		if tab.Active && tab.ID != first {
			t.Errorf("%s came to the front", tab.ID)
		}
	}
	if err := f.CloseTab(deadline(t), ids[4]); err != nil {
		t.Fatal(err)
	}
	if k := f.kept(ids[4]); k != nil {
		select {
		case <-k.Session().Done:
		case <-deadline(t).Done():
			t.Error("a closed tab is still watched")
		}
	}
}
