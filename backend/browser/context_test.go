package browser

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// contextIn is the configuration of a Browser that is a context in the browser of a fixture.
func contextIn(t *testing.T, f *fixture) Config {
	t.Helper()
	return Config{In: f.Browser, InName: "a", FilesDir: t.TempDir(), DownloadDir: t.TempDir()}
}

// goesTo opens a page in the first tab.
func (f *fixture) goesTo(t *testing.T, address string) {
	t.Helper()
	if _, err := f.Navigate(deadline(t), nobody, f.first(t), address, protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
}

// says evaluates an expression in the first tab.
func (f *fixture) says(t *testing.T, expression string) string {
	t.Helper()
	v, err := f.Evaluate(deadline(t), nobody, f.first(t), expression)
	if err != nil {
		t.Errorf("%s: %v", expression, err)
	}
	return strings.Trim(string(v.Value), `"`)
}

// waitStored waits until what the browser stores for an origin was read: a cookie and an item.
func (f *fixture) waitStored(t *testing.T, origin string) {
	t.Helper()
	for kept := false; !kept; {
		f.Browser.mu.Lock()
		kept = len(f.run.data.cookies) == 1 && len(f.run.data.local[origin]) == 1
		f.Browser.mu.Unlock()
		if f.ctx.Err() != nil {
			t.Fatal("what the browser stores was not read")
		}
		runtime.Gosched()
	}
}

// A browser context is a browser of its own: what the other one has and does is not there, in
// both directions, and its end leaves nothing.
func TestContext(t *testing.T) {
	for _, bare := range modes(t) {
		a := share(t, bare)
		s := site(t)
		b := launch(t, contextIn(t, a))
		t.Cleanup(b.cancel)
		b.started(t)
		if info := b.Info(); info.Name != "Browser of session a" || info.Sandbox != a.Info().Sandbox || !slices.Equal(info.Cannot, []protocol.Capability{protocol.CapabilityLogins, protocol.CapabilityTrace}) {
			t.Errorf("%+v", info)
		}
		both := []*fixture{a, b}
		who := map[*fixture]string{a: "ada", b: "bob"}
		for _, f := range both {
			f.goesTo(t, s.URL+"/one")
			f.says(t, `document.cookie = 'who=`+who[f]+`'; localStorage.who = '`+who[f]+`'; 0`)
		}
		for _, f := range both {
			if got := f.says(t, `document.cookie + localStorage.who`); got != "who="+who[f]+who[f] {
				t.Errorf("%s has %s", who[f], got)
			}
			if got, err := f.Cookies(deadline(t), nobody, f.first(t), "", protocol.CookiesOfAll); err != nil || len(got) != 1 || got[0].Value != who[f] {
				t.Errorf("the cookies of %s: %+v, %v", who[f], got, err)
			}
		}
		// Windows that pages open are those of their browser.
		for _, f := range both {
			if _, err := f.Act(deadline(t), nobody, f.first(t), protocol.ActRequest{Kind: protocol.ActClick, Target: "css=h1"}, nil); err != nil {
				t.Error(err)
			}
			f.says(t, `open('/two'); 0`)
			f.wait(t, "the window", func() bool {
				return len(f.tabs) == 2 && slices.ContainsFunc(f.tabs, func(tab protocol.Tab) bool { return strings.HasSuffix(tab.URL, "/two") })
			})
		}
		for _, f := range both {
			if n := len(f.Tabs()); n != 2 {
				t.Errorf("%s has %d tabs: %+v", who[f], n, f.Tabs())
			}
		}
		// No id of the other's targets opens anything.
		for i, f := range both {
			r, err := f.running()
			if err != nil {
				t.Fatal(err)
			}
			other := both[1-i]
			theirs, _ := other.Browser.tabs.Lookup(other.first(t))
			own, _ := f.Browser.tabs.Lookup(f.first(t))
			onPage, err := r.conn.Attach(deadline(t), own.Target)
			if err != nil {
				t.Fatal(err)
			}
			for _, from := range []*devtools.Session{r.conn.Root, onPage} {
				for method, err := range map[string]error{
					"attachToTarget":   called(t, from, target.AttachToTarget, target.AttachToTargetParams{TargetID: theirs.Target}),
					"closeTarget":      called(t, from, target.CloseTarget, target.CloseTargetParams{TargetID: theirs.Target}),
					"activateTarget":   called(t, from, target.ActivateTarget, target.ActivateTargetParams{TargetID: theirs.Target}),
					"getTargetInfo":    called(t, from, target.GetTargetInfo, target.GetTargetInfoParams{TargetID: theirs.Target}),
					"exposeDevTools":   called(t, from, target.ExposeDevToolsProtocol, target.ExposeDevToolsProtocolParams{TargetID: theirs.Target}),
					"openDevTools":     called(t, from, target.OpenDevTools, target.OpenDevToolsParams{TargetID: theirs.Target}),
					"autoAttachTarget": called(t, from, target.AutoAttachRelated, target.AutoAttachRelatedParams{TargetID: theirs.Target}),
				} {
					if err == nil {
						t.Errorf("%s reached the other's tab by %s", who[f], method)
					}
				}
				list, err := cdp.Call(deadline(t), from, target.GetTargets, target.GetTargetsParams{})
				if err != nil || slices.ContainsFunc(list.TargetInfos, func(i *target.Info) bool { return i.TargetID == theirs.Target }) || !slices.ContainsFunc(list.TargetInfos, func(i *target.Info) bool { return i.TargetID == own.Target }) {
					t.Errorf("%s sees %+v, %v", who[f], list, err)
				}
			}
			if _, err := f.Evaluate(deadline(t), nobody, "t99", "1"); code(err) != protocol.CodeUnknownTab {
				t.Error(err)
			}
			devtools.LetGo(deadline(t), onPage)
		}
		// Downloads and permissions.
		_, _ = b.Navigate(deadline(t), nobody, b.first(t), s.URL+"/file", protocol.WaitCommit, nil)
		d, err := b.WaitDownload(deadline(t), "", b.first(t))
		if err != nil || d.State != "done" || filepath.Dir(d.Path) != b.config.DownloadDir || len(a.Downloads()) != 0 {
			t.Errorf("%+v, %v; of the other: %v", d, err, a.Downloads())
		}
		if _, err := b.SetPermission(deadline(t), nobody, b.first(t), "geolocation", "granted"); err != nil {
			t.Error(err)
		}
		const may = `navigator.permissions.query({name: 'geolocation'}).then((p) => p.state)`
		if ours, theirs := b.says(t, may), a.says(t, may); ours != "granted" || theirs == "granted" {
			t.Errorf("allowed in one: %s, and in the other: %s", ours, theirs)
		}
		if err := b.end(); err != nil {
			t.Error(err)
		}
		if n := len(a.Tabs()); n != 2 || a.says(t, `document.cookie`) != "who=ada" {
			t.Errorf("after the end of the other: %d tabs", n)
		}
	}
}

func called[P, R any](t *testing.T, s *devtools.Session, m cdp.Command[P, R], params P) error {
	t.Helper()
	_, err := cdp.Call(deadline(t), s, m, params)
	return err
}

// When the browser crashes, a context comes back with it, with its tabs and what they stored.
// Headers and logins of the browser's session are not given to pages of the context.
func TestContextComesBack(t *testing.T) {
	seen := make(chan string, 100)
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		seen <- r.URL.Path + " " + r.Header.Get("X-Key")
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<title>" + r.URL.Path + "</title>")) //nolint:gosec // a page of the test
	}))
	l := &logins{changed: make(chan struct{}), origin: s.URL}
	c := config(t, true)
	c.Logins = l
	a := launchOnly(t, c)
	// The context waits for the browser.
	within := contextIn(t, a)
	within.KeepEvery, within.ExtensionDir = 20*time.Millisecond, extensionDir(t)
	within.NoSandbox, within.TemporaryDir = c.NoSandbox, t.TempDir()
	b := launch(t, within)
	defer b.cancel()
	a.started(t)
	b.started(t)
	a.goesTo(t, s.URL+"/a")
	b.goesTo(t, s.URL+"/b")
	for _, want := range []string{"/a for " + s.URL, "/b "} {
		got := <-seen
		for strings.HasPrefix(got, "/favicon") {
			got = <-seen
		}
		if got != want {
			t.Errorf("the server saw %q, want %q", got, want)
		}
	}
	b.says(t, `document.cookie = 'who=bob; max-age=900'; localStorage.who = 'bob'; 0`)
	id := b.first(t)
	if fresh, err := b.OpenTaskPage(deadline(t)); err != nil || !fresh { // in a browser beside it
		t.Errorf("a page for tasks: %v, %v", fresh, err)
	}
	b.waitStored(t, s.URL)
	killed, err := os.FindProcess(a.Info().PID)
	if err == nil {
		err = killed.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range []*fixture{a, b} {
		if err := <-f.ended; code(err) != protocol.CodeCrashed {
			t.Fatalf("the browser was killed: %v", err)
		}
	}
	b.update(func() { b.tabs = nil })
	go func() { b.ended <- b.Run(b.ctx) }()
	a.again(t)
	b.wait(t, "the tab", func() bool { return len(b.tabs) > 0 && b.tabs[0].ID == id && strings.HasSuffix(b.tabs[0].URL, "/b") })
	if got := b.says(t, `document.cookie + localStorage.who`); got != "who=bobbob" {
		t.Errorf("what was stored: %s", got)
	}
	if err := b.end(); err != nil {
		t.Error(err)
	}
}

// The tenth context takes at most a fifth of the memory of a browser of its own.
func TestContextMemory(t *testing.T) {
	if testing.Short() || runtime.GOOS != "linux" {
		t.Skip("it starts two browsers")
	}
	s := site(t)
	memory := func(f *fixture) (kilobytes int) {
		for _, pid := range descendants(t, f.Info().PID) {
			data, _ := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid)) // it may have ended
			for line := range strings.Lines(string(data)) {
				if fields := strings.Fields(line); fields[0] == "Pss:" {
					n, _ := strconv.Atoi(fields[1])
					kilobytes += n
				}
			}
		}
		return kilobytes
	}
	host, own := start(t, config(t, true)), start(t, config(t, true))
	own.goesTo(t, s.URL+"/one")
	host.goesTo(t, s.URL+"/one")
	before := 0
	for n := range 10 {
		if n == 9 {
			before = memory(host)
		}
		b := launch(t, contextIn(t, host))
		t.Cleanup(b.cancel)
		b.started(t)
		b.goesTo(t, s.URL+"/one")
	}
	tenth, whole := memory(host)-before, memory(own)
	t.Logf("the tenth context: %d MB, a browser: %d MB", tenth/1024, whole/1024)
	if tenth*5 > whole {
		t.Errorf("the tenth context has %d kB, a browser %d kB", tenth, whole)
	}
}
