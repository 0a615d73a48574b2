package browser

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Conditions under which Chromium would exit at once are reported before it is
// started, and its own output is kept when it exits.
func TestStartErrors(t *testing.T) {
	run := func(t *testing.T, change func(*Config)) error {
		t.Helper()
		c := config(t, true)
		change(&c)
		b, err := New(c)
		if err != nil {
			t.Fatal(err)
		}
		return b.Run(deadline(t))
	}
	script := func(t *testing.T, text string) string {
		t.Helper()
		path := filepath.Join(t.TempDir(), "chromium")
		if err := os.WriteFile(path, []byte("#!/bin/sh\n"+text+"\n"), 0o700); err != nil {
			t.Fatal(err)
		}
		return path
	}
	t.Run("no browser", func(t *testing.T) {
		if err := run(t, func(c *Config) { c.Path = "/no/such" }); code(err) != protocol.CodeNoBrowser {
			t.Error(err)
		}
	})
	t.Run("root", func(t *testing.T) {
		err := run(t, func(c *Config) { c.NoSandbox = false; c.Path = script(t, "exit 3") })
		want := protocol.CodeBrowserStart
		if os.Geteuid() == 0 {
			want = protocol.CodeNoSandbox
		}
		if code(err) != want || protocol.AsError(err).Hint == "" {
			t.Error(err)
		}
	})
	t.Run("no display", func(t *testing.T) {
		t.Setenv("DISPLAY", "")
		t.Setenv("WAYLAND_DISPLAY", "")
		if err := run(t, func(c *Config) { c.Headless = false }); code(err) != protocol.CodeNoDisplay {
			t.Error(err)
		}
	})
	t.Run("a display that is not there", func(t *testing.T) {
		t.Setenv("DISPLAY", ":9999")
		if err := run(t, func(c *Config) { c.Headless = false }); code(err) != protocol.CodeNoDisplay {
			t.Error(err)
		}
	})
	t.Run("ends while starting", func(t *testing.T) {
		err := run(t, func(c *Config) { c.Path = script(t, "echo first >&2; echo the reason >&2; exit 3") })
		if code(err) != protocol.CodeBrowserStart || !strings.Contains(err.Error(), "the reason") || !strings.Contains(err.Error(), "code 3") {
			t.Error(err)
		}
	})
	t.Run("profile is a file", func(t *testing.T) {
		err := run(t, func(c *Config) {
			c.ProfileDir = filepath.Join(t.TempDir(), "file")
			if err := os.WriteFile(c.ProfileDir, nil, 0o600); err != nil {
				t.Fatal(err)
			}
		})
		if code(err) != protocol.CodeNotWritable {
			t.Error(err)
		}
	})
}

func TestProfileInUse(t *testing.T) {
	c := config(t, true)
	f := start(t, c)
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	if err := b.Run(deadline(t)); code(err) != protocol.CodeProfileInUse {
		t.Errorf("a second browser on a profile: %v", err)
	}
	// The lock of a dead browser does not count.
	f.cancel()
	if err := <-f.ended; err != nil {
		t.Fatal(err)
	}
	f.ended <- nil
	host, err := os.Hostname()
	if err != nil {
		t.Fatal(err)
	}
	lock := filepath.Join(c.ProfileDir, "SingletonLock")
	_ = os.Remove(lock)
	if err := os.Symlink(host+"-999999", lock); err != nil {
		t.Fatal(err)
	}
	start(t, c)
}

// A headless browser restores several tabs, two of them with the same URL. Each
// has its id and its page again, in order, and the same tab is in front.
func TestHeadlessRestore(t *testing.T) {
	s := site(t)
	c := config(t, true)
	c.Restore = []tabs.RestoreTab{
		{ID: "t4", URL: s.URL + "/one"},
		{ID: "t2", URL: "javascript:1"},
		{ID: "t7", URL: "about:blank", Active: true},
		{ID: "t5", URL: s.URL + "/two"},
		{ID: "t9", URL: "about:blank"},
	}
	f := start(t, c)
	want := []tabs.RestoreTab{{ID: "t4", URL: s.URL + "/one"}, {ID: "t7", URL: "about:blank"}, {ID: "t5", URL: s.URL + "/two"}, {ID: "t9", URL: "about:blank"}}
	f.wait(t, "the tabs with their pages", func() bool {
		return len(f.tabs) == len(want) && f.tabs[1].Active && !slices.ContainsFunc(want, func(w tabs.RestoreTab) bool {
			return !slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == w.ID && t.URL == w.URL })
		})
	})
	if len(f.atReady) != len(want) {
		t.Errorf("ready with %d of %d tabs", len(f.atReady), len(want))
	} else if !f.atReady[1].Active {
		t.Errorf("ready before the tab in front was there: %+v", f.atReady)
	}
	for i, tab := range f.Tabs() {
		if tab.ID != want[i].ID {
			t.Errorf("tab %d is %s, want %s", i, tab.ID, want[i].ID)
		}
	}
	if id, err := f.NewTab(deadline(t), "", true); err != nil || id != "t10" {
		t.Errorf("the next tab is %s, %v; want t10", id, err)
	}
}

// The socket by which a browser takes orders, and the memory of pages that crashed, lie in a
// folder of its own, which only its user can enter, and which goes with the browser
// (threats 12, 54).
func TestTemporaryFolder(t *testing.T) {
	c := config(t, false)
	dir, err := os.MkdirTemp("", "pf") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	c.TemporaryDir = dir
	t.Run("while it runs", func(t *testing.T) {
		f := start(t, c)
		socket, err := os.Readlink(filepath.Join(c.ProfileDir, "SingletonSocket"))
		if err != nil {
			t.Fatal(err)
		}
		own, _, _ := strings.Cut(strings.TrimPrefix(socket, dir+"/"), "/")
		if info, err := os.Stat(filepath.Join(dir, own)); !strings.HasPrefix(socket, dir+"/") || err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("the socket is %s: %v, %v", socket, info, err)
		}
		ctx := deadline(t)
		r, err := f.running()
		if err != nil {
			t.Fatal(err)
		}
		at, _ := f.Browser.tabs.Lookup(f.first(t))
		p, err := r.page(ctx, at.Target)
		if err != nil {
			t.Fatal(err)
		}
		if err := devtools.Post(ctx, p.Session, cdppage.Crash, cdp.Empty{}); err != nil {
			t.Fatal(err)
		}
		// No event says that the report is written.
		tick := time.NewTicker(20 * time.Millisecond)
		defer tick.Stop()
		for {
			if found, _ := filepath.Glob(filepath.Join(dir, own, "*", "pending", "*.dmp")); len(found) > 0 {
				break
			}
			select {
			case <-tick.C:
			case <-ctx.Done():
				t.Fatal("the report of a crash lies elsewhere")
			}
		}
	})
	if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
		t.Errorf("it leaves %v, %v", left, err)
	}
}
