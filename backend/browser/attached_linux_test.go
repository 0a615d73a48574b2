package browser

import (
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/attach"
	"pilotfish/backend/browser/attach/attachtest"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// usersChrome starts a browser of the user with two pages, and returns the configuration of
// a Browser that attaches to it.
func usersChrome(t *testing.T) (*attachtest.Chrome, Config) {
	t.Helper()
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment; filename=report.txt")
		}
		_, _ = w.Write([]byte("<title>Of the user</title><body style='background:white'><input><button>Go</button>"))
	}))
	chrome := attachtest.New(t, true, nil)
	chrome.Start(server.URL+"/one", server.URL+"/two")
	return chrome, Config{Attach: attach.Browser{Name: "Chromium", Dir: chrome.Dir}, FilesDir: t.TempDir(), ExtensionDir: extensionDir(t)}
}

// look is what somebody else sees of the user's browser.
type look struct {
	tabs       []string // the ends of their addresses
	windows    []string // where they are
	extensions []string
	cookies    []string
	permission string // of the page two, for the location
}

// other is another connection to the user's browser, for which the user is asked.
func other(t *testing.T, chrome *attachtest.Chrome) *devtools.Conn {
	t.Helper()
	type opened struct {
		t   devtools.Transport
		err error
	}
	done := make(chan opened, 1)
	go func() {
		t, err := attach.Open(deadline(t), attach.Browser{Name: "Chromium", Dir: chrome.Dir}, func(protocol.AttachStep) {})
		done <- opened{t, err}
	}()
	chrome.Answer(attachtest.Allow())
	o := <-done
	if o.err != nil {
		t.Fatal(o.err)
	}
	conn := devtools.New(o.t, slog.New(slog.DiscardHandler), nil)
	served := make(chan struct{})
	go func() { _ = conn.Serve(deadline(t)); close(served) }()
	t.Cleanup(func() { _ = o.t.Close(); <-served })
	return conn
}

// ask calls a method that has to succeed.
func ask[P, R any](t *testing.T, s *devtools.Session, m cdp.Command[P, R], params P) R {
	t.Helper()
	res, err := cdp.Call(deadline(t), s, m, params)
	if err != nil {
		t.Fatal(err)
	}
	return res
}

// state looks at the user's browser over another connection.
func state(t *testing.T, chrome *attachtest.Chrome) (l look) {
	t.Helper()
	conn := other(t, chrome)
	root, windows := conn.Root, make(map[string]bool)
	for _, one := range ask(t, root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}}).TargetInfos {
		l.tabs = append(l.tabs, one.URL[strings.LastIndex(one.URL, "/")+1:])
		w := ask(t, root, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: one.TargetID})
		windows[fmt.Sprintf("%d: %d,%d %dx%d %s", w.WindowID, *w.Bounds.Left, *w.Bounds.Top, w.Bounds.Width, w.Bounds.Height, w.Bounds.WindowState)] = true
		if !strings.HasSuffix(one.URL, "/two") {
			continue
		}
		page, err := conn.Attach(deadline(t), one.TargetID)
		if err == nil {
			l.permission, err = devtools.Evaluate[string](deadline(t), page, "navigator.permissions.query({ name: 'geolocation' }).then((one) => one.state)", 0)
		}
		if err != nil {
			t.Error(err)
		}
	}
	for _, one := range ask(t, root, extensions.GetExtensions, cdp.Empty{}).Extensions {
		l.extensions = append(l.extensions, one.Name)
	}
	for _, one := range ask(t, root, storage.GetCookies, storage.GetCookiesParams{}).Cookies {
		l.cookies = append(l.cookies, one.Name+"="+one.Value+" "+one.Domain)
	}
	l.windows = slices.Sorted(maps.Keys(windows))
	slices.Sort(l.tabs)
	slices.Sort(l.cookies)
	return l
}

// A browser of the user is used after Allow, has our panel, and is as it was when we leave.
func TestAttached(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.started(t)
	f.wait(t, "both tabs", func() bool { return len(f.tabs) == 2 })
	if !f.Info().Attached {
		t.Error("it is not said to be the user's own")
	}
	f.awaitWorker(t)
	mine, err := f.NewTab(f.ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(f.ctx, protocol.Caller{}, mine, f.Tabs()[0].URL+"#mine", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	snapshot, err := f.Snapshot(f.ctx, protocol.Caller{}, mine, protocol.SnapshotRequest{}, nil)
	if err != nil || !strings.Contains(snapshot.Text, "Go") {
		t.Errorf("a snapshot: %v, %v", snapshot.Text, err)
	}
	if _, err := f.GroupTabs(f.ctx, 0, []protocol.TabID{mine, f.first(t)}); err != nil {
		t.Error(err)
	}
	if fresh, err := f.OpenTaskPage(deadline(t)); err != nil || !fresh || len(f.Tabs()) != 3 {
		t.Errorf("the task page: %t, %v, beside %+v", fresh, err, f.Tabs())
	}
	// A download goes into the user's own folder, and is known.
	_, _ = f.Navigate(f.ctx, protocol.Caller{}, mine, strings.Replace(f.Tabs()[0].URL, "/one", "/file", 1), protocol.WaitCommit, nil)
	if d, err := f.WaitDownload(deadline(t), "", mine); err != nil || d.State != "done" || d.Path != filepath.Join(chrome.Downloads(), "report.txt") {
		t.Errorf("a download: %+v, %v", d, err)
	}
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if !chrome.Running() {
		t.Fatal("the user's browser has ended")
	}
	if left := state(t, chrome); !slices.Equal(left.tabs, []string{"one", "two"}) || len(left.extensions) > 0 {
		t.Errorf("left are %+v", left)
	}
}

// The user takes a refusal at its word, and remote debugging may be switched on while the
// session waits.
func TestAttachRefused(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Cancel())
	if err := <-f.ended; code(err) != protocol.CodeRefused {
		t.Errorf("after Cancel: %v", err)
	}
	chrome.Kill()

	// The file of its port is left behind.
	f = launch(t, c)
	defer f.cancel()
	if step := <-f.steps; step != protocol.AttachSwitchOn {
		t.Errorf("without a browser: %q", step)
	}
	chrome.Start("about:blank")
	if step := <-f.steps; step != protocol.AttachAllow {
		t.Errorf("with a browser: %q", step)
	}
	chrome.Asks()
	chrome.Kill()
	if err := <-f.ended; code(err) != protocol.CodeBrowserStart {
		t.Errorf("it ended while it asked: %v", err)
	}
}

// The third button of the dialog refuses, too, and leads to the switch. A session waits for that,
// and asks as soon as it is on again: the browser names its port before it listens there.
func TestAttachSwitchedOff(t *testing.T) {
	if testing.Short() {
		t.Skip("the browser takes 18 s to listen again")
	}
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.TurnOff())
	if err := <-f.ended; code(err) != protocol.CodeRefused {
		t.Errorf("after the settings: %v", err)
	}
	chrome.Switch(false)
	f = launch(t, c)
	defer f.cancel()
	if step := <-f.steps; step != protocol.AttachSwitchOn {
		t.Errorf("switched off: %q", step)
	}
	chrome.Switch(true)
	if step := <-f.steps; step != protocol.AttachAllow {
		t.Errorf("switched on again: %q", step)
	}
	chrome.Answer(attachtest.Allow())
	f.started(t)
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}

// When the user's browser ends, that is as if the user had closed it, and an app that was
// killed leaves its extension only until the next start.
func TestAttachedBrowserEnds(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.started(t)
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	_ = r.pipe.Close() // as a killed app does
	if err := <-f.ended; !errors.Is(err, ErrClosed) {
		t.Errorf("a broken connection: %v", err)
	}
	f = launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.started(t)
	f.awaitWorker(t)
	chrome.Kill()
	if err := <-f.ended; !errors.Is(err, ErrClosed) {
		t.Errorf("the browser was killed: %v", err)
	}
}

// A dialog that is open, a page that never answers and another profile hold up neither the
// start nor the end, and are left as they are.
func TestAttachedBesideHardTabs(t *testing.T) {
	server := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		script := map[string]string{"/alert": "alert('of the user')", "/loop": "onload = () => setTimeout(() => { for (;;); }, 500)"}[r.URL.Path]
		_, _ = w.Write([]byte("<title>A page</title><body style='background:white'><script>" + script + "</script>"))
	}))
	chrome := attachtest.New(t, true, nil)
	chrome.Start(server.URL + "/one")
	chrome.Profile("Profile 1", server.URL+"/other", server.URL+"/loop", server.URL+"/alert")
	c := Config{Attach: attach.Browser{Name: "Chromium", Dir: chrome.Dir}, FilesDir: t.TempDir(), ExtensionDir: extensionDir(t)}
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.started(t)
	f.awaitWorker(t)
	var seen []string
	for _, tab := range f.Tabs() {
		seen = append(seen, tab.URL[strings.LastIndex(tab.URL, "/")+1:])
	}
	slices.Sort(seen)
	if !slices.Equal(seen, []string{"alert", "loop", "other"}) {
		t.Errorf("it sees the tabs %v, and not those of the profile in front alone", seen)
	}
	mine, err := f.NewTab(f.ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(f.ctx, protocol.Caller{}, mine, server.URL+"/mine", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if left := state(t, chrome); !slices.Equal(left.tabs, []string{"alert", "loop", "one", "other"}) || len(left.extensions) > 0 {
		t.Errorf("left are %+v", left)
	}
}

// With everything that commands set, an attached browser is afterwards as it was: tabs, windows,
// extensions, cookies and permissions, and of its settings only those have changed that change in
// any run of it.
func TestAttachedLeavesEverything(t *testing.T) {
	chrome, c := usersChrome(t)
	var pages []string
	for _, one := range ask(t, other(t, chrome).Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}}).TargetInfos {
		pages = append(pages, one.URL)
	}
	slices.Sort(pages)
	chrome.Quit()
	first := chrome.Settings()
	chrome.Start(pages...)
	state(t, chrome) // allowing does not count
	chrome.Quit()
	usual := changed(first, chrome.Settings())

	chrome.Start(pages...)
	before := state(t, chrome)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.started(t)
	f.awaitWorker(t)
	mine, err := f.NewTab(f.ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	by := protocol.Caller{}
	if _, err := f.Navigate(f.ctx, by, mine, pages[0], protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	window, err := f.NewWindow(f.ctx, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.SetPermission(f.ctx, by, mine, "geolocation", "granted"); err != nil {
		t.Error(err)
	}
	if _, err := f.Emulate(f.ctx, by, mine, func(e *protocol.Emulation) { e.Scheme, e.Locale = "dark", "de-DE" }); err != nil {
		t.Error(err)
	}
	if _, err := f.GroupTabs(f.ctx, 0, []protocol.TabID{mine}); err != nil {
		t.Error(err)
	}
	_, _ = f.Navigate(f.ctx, by, window, strings.Replace(pages[0], "/one", "/file", 1), protocol.WaitCommit, nil)
	if _, err := f.WaitDownload(deadline(t), "", window); err != nil {
		t.Error(err)
	}
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if _, err := os.Stat(filepath.Join(c.FilesDir, "opened-tabs.json")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it is not known that the tabs are closed: %v", err)
	}
	if after := state(t, chrome); !reflect.DeepEqual(before, after) {
		t.Errorf("before: %+v\nafter:  %+v", before, after)
	}
	chrome.Quit()
	for name, now := range changed(first, chrome.Settings()) {
		if _, is := usual[name]; !is && usersSetting(name) {
			t.Errorf("%s is %s", name, now)
		}
	}
}

// usersSetting reports whether a setting is one that users make. The others are counters, times
// of jobs, and checksums, also of extensions that were removed.
func usersSetting(name string) bool {
	_, in, _ := strings.Cut(name, "references/")
	return strings.HasPrefix(name, "Local State/devtools/") || slices.ContainsFunc([]string{
		"bookmark_bar/", "browser/", "default_apps", "devtools/", "download/", "extensions/pinned_extensions", "extensions/settings/", "extensions/ui/", "homepage",
		"intl/", "net/", "profile/content_settings/exceptions/automatic_downloads/", "profile/content_settings/exceptions/geolocation/",
		"profile/default_content_setting_values/", "proxy", "savefile/", "search/", "session/", "webkit/",
	}, func(prefix string) bool { return strings.HasPrefix(in, prefix) })
}

// changed returns the settings that are other ones now.
func changed(before, now map[string]string) map[string]string {
	diff := make(map[string]string)
	for name := range before {
		if _, is := now[name]; !is {
			diff[name] = "gone"
		}
	}
	for name, value := range now {
		if old, was := before[name]; !was || old != value {
			diff[name] = value
		}
	}
	return diff
}

// A tab that the browser has put to sleep is listed, stays asleep, and holds up neither the start nor the end.
func TestAttachedBesideADiscardedTab(t *testing.T) {
	chrome, c := usersChrome(t)
	for _, do := range []string{"chrome.tabs.query({ active: false }).then(([one]) => chrome.tabs.discard(one.id))", ""} {
		f := launch(t, c)
		t.Cleanup(f.cancel)
		chrome.Answer(attachtest.Allow())
		f.started(t)
		f.awaitWorker(t)
		both := func() bool {
			return len(f.tabs) == 2 && strings.HasSuffix(f.tabs[0].URL, "/one") && strings.HasSuffix(f.tabs[1].URL, "/two") && !f.tabs[0].Loading && !f.tabs[1].Loading
		}
		f.wait(t, "both tabs", both)
		r, err := f.running()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := devtools.Evaluate[any](deadline(t), r.worker(), do, 0); err != nil {
			t.Fatal(err)
		}
		if _, err := f.NewTab(f.ctx, "", true); err != nil {
			t.Error(err)
		}
		asleep, err := devtools.Evaluate[[]string](deadline(t), r.worker(), "chrome.tabs.query({ discarded: true }).then((all) => all.map(({ url }) => new URL(url).pathname))", 0)
		if err != nil || !slices.Equal(asleep, []string{"/two"}) {
			t.Errorf("after %q these tabs are asleep: %v, %v", do, asleep, err)
		}
		f.mu.Lock()
		listed := f.tabs
		f.mu.Unlock()
		if !slices.ContainsFunc(listed, func(tab protocol.Tab) bool { return strings.HasSuffix(tab.URL, "/two") }) {
			t.Errorf("the tabs are %+v", listed)
		}
		if err := f.end(); err != nil {
			t.Errorf("it ended with %v", err)
		}
	}
}

// Where an administrator forbids extensions, everything but the panel works, and the user is
// told once which folder to load. A panel that the user loads later is used.
func TestAttachedWithoutExtensions(t *testing.T) {
	server := site(t)
	chrome := attachtest.New(t, true, nil)
	chrome.Policy(map[string]any{"ExtensionInstallBlocklist": []string{"*"}})
	chrome.Start(server.URL + "/one")
	c := Config{Attach: attach.Browser{Name: "Chromium", Dir: chrome.Dir}, FilesDir: t.TempDir(), ExtensionDir: extensionDir(t)}
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.wait(t, "the notice", func() bool { return len(f.notices) > 0 && len(f.tabs) > 0 })
	mine, err := f.NewTab(f.ctx, "", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(f.ctx, protocol.Caller{}, mine, server.URL+"/two", protocol.WaitLoad, nil); err != nil {
		t.Error(err)
	}
	snapshot, err := f.Snapshot(f.ctx, protocol.Caller{}, mine, protocol.SnapshotRequest{}, nil)
	if err != nil || !strings.Contains(snapshot.Text, "Second page") {
		t.Errorf("a snapshot: %v, %v", snapshot.Text, err)
	}
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
	if len(f.notices) != 1 || !strings.Contains(f.notices[0].Hint, c.ExtensionDir) {
		t.Errorf("the notices are %+v", f.notices)
	}
}

// A user may load the panel that the browser refused to load for us.
func TestAttachedPanelByHand(t *testing.T) {
	chrome, c := usersChrome(t)
	dir := c.ExtensionDir
	c.ExtensionDir = t.TempDir() // nothing is in it
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer(attachtest.Allow())
	f.wait(t, "the notice", func() bool { return len(f.notices) > 0 && strings.Contains(f.notices[0].Hint, c.ExtensionDir) })
	ask(t, other(t, chrome).Root, extensions.LoadUnpacked, extensions.LoadUnpackedParams{Path: dir})
	f.started(t)
	f.awaitWorker(t)
	if err := f.end(); err != nil || len(f.notices) != 1 {
		t.Errorf("it ended with %v, after %+v", err, f.notices)
	}
}
