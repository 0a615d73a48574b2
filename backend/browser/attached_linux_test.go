package browser

import (
	"errors"
	"log/slog"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
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

// state is what somebody else sees of the browser: the addresses of its tabs, and its
// extensions. The user is asked for it.
func state(t *testing.T, chrome *attachtest.Chrome) (tabs, loaded []string) {
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
	chrome.Answer("Tab", "Return")
	o := <-done
	if o.err != nil {
		t.Fatal(o.err)
	}
	conn := devtools.New(o.t, slog.New(slog.DiscardHandler), nil)
	served := make(chan error, 1)
	go func() { served <- conn.Serve(deadline(t)) }()
	defer func() { _ = o.t.Close(); <-served }()
	targets, err := cdp.Call(deadline(t), conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range targets.TargetInfos {
		tabs = append(tabs, one.URL[strings.LastIndex(one.URL, "/")+1:])
	}
	list, err := cdp.Call(deadline(t), conn.Root, extensions.GetExtensions, cdp.Empty{})
	if err != nil {
		t.Fatal(err)
	}
	for _, one := range list.Extensions {
		loaded = append(loaded, one.Name)
	}
	slices.Sort(tabs)
	return tabs, loaded
}

// A browser of the user is used after Allow, has our panel, and is as it was when we leave.
func TestAttached(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer("Tab", "Return")
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
	tabs, loaded := state(t, chrome)
	if !slices.Equal(tabs, []string{"one", "two"}) || len(loaded) > 0 {
		t.Errorf("left are the tabs %v and the extensions %v", tabs, loaded)
	}
}

// The user takes a refusal at its word, and remote debugging may be switched on while the
// session waits.
func TestAttachRefused(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer("Return")
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

// When the user's browser ends, that is as if the user had closed it, and an app that was
// killed leaves its extension only until the next start.
func TestAttachedBrowserEnds(t *testing.T) {
	chrome, c := usersChrome(t)
	f := launch(t, c)
	defer f.cancel()
	chrome.Answer("Tab", "Return")
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
	chrome.Answer("Tab", "Return")
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
	chrome.Answer("Tab", "Return")
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
	tabs, loaded := state(t, chrome)
	if !slices.Equal(tabs, []string{"alert", "loop", "one", "other"}) || len(loaded) > 0 {
		t.Errorf("left are the tabs %v and the extensions %v", tabs, loaded)
	}
}
