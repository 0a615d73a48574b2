package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// A start of Chromium costs two to three seconds of processor time. Tests that do
// not need a configuration of their own therefore share one browser with a window and
// one without, each with a new tab for every test. They run one after another,
// because a window has one focus.

// shared are the browsers that tests share, by whether they are headless. A browser
// that a test did not leave clean is ended, and the next test gets a new one.
var shared = map[bool]*fixture{}

// windowed returns the shared browser with a window and the extension, with one empty
// tab in front and an open panel.
func windowed(t *testing.T) *fixture { t.Helper(); return share(t, false) }

// headless returns the shared browser without a window, with one empty tab.
func headless(t *testing.T) *fixture { t.Helper(); return share(t, true) }

// modes returns the values of headless for a test that takes both. With -short it is one
// of them, and the tests take turns.
func modes(t *testing.T) []bool {
	t.Helper()
	if testing.Short() {
		return []bool{len(t.Name())%2 == 0}
	}
	return []bool{true, false}
}

func share(t *testing.T, headless bool) *fixture {
	t.Helper()
	f := shared[headless]
	if f == nil {
		dir, err := os.MkdirTemp("", "pilotfish-shared-") //nolint:usetesting // it outlives the test
		if err != nil {
			t.Fatal(err)
		}
		f = launch(t, configIn(t, dir, headless))
		shared[headless] = f
	}
	// It runs after the cleanups that the test registers later, such as those of its
	// sites.
	t.Cleanup(func() {
		if err := f.tidy(); err != nil {
			t.Errorf("the shared browser is not clean after this test, and is replaced: %v", err)
		}
		if t.Failed() {
			delete(shared, headless)
			_ = f.discard()
		}
	})
	f.started(t)
	f.update(func() { f.opened, f.notices = 0, nil })
	for len(f.signs)+len(f.pauses) > 0 {
		select {
		case <-f.signs:
		case <-f.pauses:
		}
	}
	if !headless {
		// Another test's own window may have taken the focus.
		if err := f.ShowTab(deadline(t), f.first(t)); err != nil {
			t.Fatal(err)
		}
		f.wait(t, "the focus", func() bool { return f.tabs[0].Focused })
	}
	return f
}

// endShared ends the shared browsers.
func endShared() (err error) {
	for _, f := range shared {
		err = errors.Join(err, f.discard())
	}
	return err
}

func (f *fixture) discard() error {
	err := f.end()
	if errors.Is(err, ErrClosed) || code(err) == protocol.CodeCrashed {
		err = nil // the test has failed, and has said why
	}
	return errors.Join(err, os.RemoveAll(filepath.Dir(f.config.ProfileDir)))
}

// tidy makes a shared browser as it was after its start: one empty tab in a normal
// window with an open panel, without data of sites, permissions and files. It returns
// an error that names what is left.
func (f *fixture) tidy() error {
	ctx, cancel := context.WithTimeout(context.Background(), hangs)
	defer cancel()
	r, err := f.running()
	if err != nil {
		return err
	}
	id, err := f.NewTab(ctx, "", false)
	if err != nil {
		return fmt.Errorf("opening an empty tab: %w", err)
	}
	for _, tab := range f.Tabs() {
		if tab.ID == id {
			continue
		}
		if err := f.CloseTab(ctx, tab.ID); err != nil && code(err) != protocol.CodeUnknownTab {
			return fmt.Errorf("closing %s: %w", tab.URL, err)
		}
	}
	if !f.config.Headless {
		if err := f.OpenPanel(ctx, id); err != nil {
			return err
		}
	}
	if err := f.clear(ctx, r, id); err != nil {
		return err
	}
	for _, dir := range []string{f.config.DownloadDir, f.config.FilesDir} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	f.Browser.mu.Lock()
	f.paired = nil
	f.Browser.mu.Unlock()
	return f.left(ctx, r, id)
}

// clear removes the data of sites and their permissions.
func (f *fixture) clear(ctx context.Context, r *run, id protocol.TabID) error {
	tab, _ := f.Browser.tabs.Lookup(id)
	s, err := r.conn.Attach(ctx, tab.Target)
	if err != nil {
		return fmt.Errorf("attaching to the empty tab: %w", err)
	}
	// Without service workers, of which one is our extension's.
	const types = "cookies,file_systems,indexeddb,local_storage,cache_storage,shader_cache,interest_groups,shared_storage"
	_, err = cdp.Call(ctx, s, storage.ClearDataForOrigin, storage.ClearDataForOriginParams{Origin: "*", StorageTypes: types})
	if err != nil {
		return fmt.Errorf("clearing the storage: %w", err)
	}
	if _, err = cdp.Call(ctx, s, network.ClearBrowserCache, cdp.Empty{}); err != nil {
		return fmt.Errorf("clearing the cache: %w", err)
	}
	if _, err = cdp.Call(ctx, r.conn.Root, browser.ResetPermissions, browser.ResetPermissionsParams{}); err != nil {
		return fmt.Errorf("resetting the permissions: %w", err)
	}
	_, err = cdp.Call(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	return err
}

// left returns an error that names everything beside the empty tab.
func (f *fixture) left(ctx context.Context, r *run, id protocol.TabID) error {
	var left []string
	for _, tab := range f.Tabs() {
		if tab.ID != id || tab.URL != "about:blank" {
			left = append(left, fmt.Sprintf("tab %s at %s", tab.ID, tab.URL))
		}
	}
	targets, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{})
	if err != nil {
		return err
	}
	mine, _ := f.Browser.tabs.Lookup(id)
	for _, one := range targets.TargetInfos {
		if one.Type != "tab" && one.TargetID != mine.Target && !strings.HasPrefix(one.URL, workerURL) {
			left = append(left, fmt.Sprintf("%s at %s", one.Type, one.URL))
		}
	}
	cookies, err := cdp.Call(ctx, r.conn.Root, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		return err
	}
	for _, cookie := range cookies.Cookies {
		left = append(left, "cookie "+cookie.Name)
	}
	for _, d := range f.Downloads() {
		if d.State == "running" {
			left = append(left, "download "+d.URL)
		}
	}
	r.mu.Lock()
	for shown := range r.pages {
		if shown != mine.Target {
			left = append(left, "session of "+string(shown))
		}
	}
	r.mu.Unlock()
	if len(left) > 0 {
		slices.Sort(left)
		return errors.New("left are " + strings.Join(left, ", "))
	}
	return nil
}
