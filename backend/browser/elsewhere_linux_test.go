package browser

import (
	"bytes"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/remote/standin"
	"pilotfish/backend/engine"
	"pilotfish/backend/protocol"
)

// engineConfig is the configuration of a Browser that an engine gives.
func engineConfig(t *testing.T, address string) Config {
	t.Helper()
	e, err := engine.Parse(address, "", "")
	if err != nil {
		t.Fatal(err)
	}
	return Config{Remote: e, FilesDir: t.TempDir(), DownloadDir: t.TempDir()}
}

// again runs the browser of a fixture once more.
func (f *fixture) again(t *testing.T) {
	t.Helper()
	f.update(func() { f.tabs, f.info = nil, protocol.BrowserInfo{} })
	go func() { f.ended <- f.Run(f.ctx) }()
	f.started(t)
}

// A browser of an engine works as one of ours. When its connection breaks, or it ends, the
// tabs come back with their ids; the end leaves nothing of ours.
func TestElsewhere(t *testing.T) {
	large := bytes.Repeat([]byte("0123456789abcdefg"), 400_000) // in several messages
	page := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/file" {
			w.Header().Set("Content-Disposition", "attachment; filename=../report.bin")
			_, _ = w.Write(large)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<title>A page</title><input type=file aria-label=File multiple onchange=\"Promise.all([...files].map(async (f) => f.name + ' ' + f.type + ' ' + await f.text())).then((all) => document.body.append(all.join()))\"><input aria-label=Name><button onclick=\"document.body.append('Pressed')\">Go</button>"))
	}))
	for _, grid := range []bool{true, false} {
		t.Run(fmt.Sprintf("grid %v", grid), func(t *testing.T) {
			e := standin.New(t)
			e.Keeps = true
			address := e.Address()
			if grid {
				address = e.Grid()
			}
			config := engineConfig(t, address)
			config.KeepEvery = 20 * time.Millisecond
			f := launch(t, config)
			defer f.cancel()
			f.started(t)
			if !f.Info().Remote || !strings.HasPrefix(f.Info().Name, "127.0.0.1:") {
				t.Errorf("%+v", f.Info())
			}
			// A context in that browser has cookies of its own, and is there again when the browser is.
			within := contextIn(t, f)
			within.KeepEvery = config.KeepEvery
			b := launch(t, within)
			defer b.cancel()
			b.started(t)
			b.goesTo(t, page.URL+"/b")
			b.says(t, `document.cookie = 'who=bob; max-age=900'; localStorage.who = 'bob'; 0`)
			b.waitStored(t, page.URL)
			bs := b.first(t)
			bothAgain := func() {
				t.Helper()
				if err := <-b.ended; code(err) != protocol.CodeCrashed {
					t.Fatalf("the context ended with %v", err)
				}
				b.update(func() { b.tabs = nil })
				go func() { b.ended <- b.Run(b.ctx) }()
				f.again(t)
				b.wait(t, "the tab", func() bool { return len(b.tabs) == 1 && b.tabs[0].ID == bs && strings.HasSuffix(b.tabs[0].URL, "/b") })
				if got := b.says(t, `document.cookie + localStorage.who`); got != "who=bobbob" {
					t.Errorf("what the context had stored: %s", got)
				}
			}
			var opened []protocol.TabID
			for _, at := range []string{"/one", "/two"} {
				id, err := f.NewTab(f.ctx, "", true)
				if err == nil {
					_, err = f.Navigate(f.ctx, protocol.Caller{}, id, page.URL+at, protocol.WaitLoad, nil)
				}
				if err != nil {
					t.Fatal(err)
				}
				opened = append(opened, id)
			}
			works := func() {
				t.Helper()
				for _, id := range opened {
					snap, err := f.Snapshot(f.ctx, protocol.Caller{}, id, protocol.SnapshotRequest{}, nil)
					if err != nil || !strings.Contains(snap.Text, "Go") {
						t.Fatalf("%s: %q, %v", id, snap.Text, err)
					}
					effect, err := f.Act(f.ctx, protocol.Caller{}, id, protocol.ActRequest{Kind: protocol.ActClick, Target: "role=button"}, nil)
					if err != nil || !strings.Contains(strings.Join(effect.Said, " "), "Pressed") {
						t.Errorf("%s: %+v, %v", id, effect, err)
					}
					if effect, err = f.Act(f.ctx, protocol.Caller{}, id, protocol.ActRequest{Kind: protocol.ActFill, Target: "label=Name", Text: "Ada"}, nil); err != nil {
						t.Errorf("%s: %+v, %v", id, effect, err)
					}
				}
			}
			works()
			// The files of an upload are not on the machine of the browser.
			paths := []string{filepath.Join(t.TempDir(), "a.txt"), filepath.Join(t.TempDir(), "b.html")}
			for i, path := range paths {
				if err := os.WriteFile(path, []byte{'0' + byte(i), 0xc3, 0xa9}, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			up := protocol.ActRequest{Kind: protocol.ActUpload, Target: "label=File", Values: paths}
			tabs := map[*fixture]protocol.TabID{f: opened[0], b: bs}
			for of, tab := range tabs {
				effect, err := of.Act(f.ctx, protocol.Caller{}, tab, up, nil)
				if err != nil || !effect.Untrusted || !strings.Contains(strings.Join(effect.Said, " "), "a.txt text/plain; charset=utf-8 0é,b.html text/html; charset=utf-8 1é") {
					t.Errorf("an upload: %+v, %v", effect, err)
				}
			}
			up.Values = []string{t.TempDir()}
			if _, err := f.Act(f.ctx, protocol.Caller{}, opened[0], up, nil); code(err) != protocol.CodeNotActable {
				t.Errorf("a folder: %v", err)
			}
			// Nor is the file of a download on this one.
			for of, tab := range tabs {
				_, _ = of.Navigate(f.ctx, protocol.Caller{}, tab, page.URL+"/file", protocol.WaitCommit, nil)
				d, err := of.WaitDownload(deadline(t), "", tab)
				data, _ := os.ReadFile(d.Path)
				if err != nil || d.State != "done" || filepath.Dir(d.Path) != of.config.DownloadDir || !bytes.Equal(data, large) || len(of.Downloads()) != 1 {
					t.Errorf("a download: %+v, %v, %d bytes", d, err, len(data))
				}
			}
			if tabs := f.Tabs(); len(tabs) != 3 {
				t.Errorf("the tabs are %+v", tabs)
			}
			back := func() bool {
				return len(f.tabs) == 3 && !slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return slices.Contains(opened, t.ID) && !strings.HasPrefix(t.URL, page.URL) })
			}

			e.Cut()
			if err := <-f.ended; code(err) != protocol.CodeCrashed {
				t.Fatalf("the connection broke: %v", err)
			}
			bothAgain()
			f.wait(t, "the tabs", back)
			works()
			if n := e.Started(); n != 1 {
				t.Errorf("%d browsers were started for one", n)
			}

			if _, err := f.Evaluate(f.ctx, protocol.Caller{}, opened[0], `document.cookie = 'who=ada; max-age=900'; localStorage.setItem('who', 'ada 😀')`); err != nil {
				t.Fatal(err)
			}
			f.waitStored(t, page.URL)
			e.Kill()
			if err := <-f.ended; code(err) != protocol.CodeCrashed {
				t.Fatalf("the browser was killed: %v", err)
			}
			bothAgain()
			f.wait(t, "the tabs", back)
			if v, err := f.Evaluate(f.ctx, protocol.Caller{}, opened[1], `document.cookie + ' ' + (localStorage.getItem('who') === 'ada 😀')`); err != nil || !strings.Contains(string(v.Value), "who=ada true") {
				t.Errorf("what the lost browser had stored: %+v, %v", v, err)
			}
			works()
			if n := e.Started(); n != 2 {
				t.Errorf("%d browsers were started for two", n)
			}

			if err := f.end(); err != nil {
				t.Errorf("it ended with %v", err)
			}
			if ended := e.Ended(); grid != (len(ended) > 0) {
				t.Errorf("the Grid's sessions %q are ended", ended)
			}
			if grid {
				return
			}
			// What was there before stays; what commands opened does not.
			f = launch(t, engineConfig(t, address))
			f.started(t)
			f.wait(t, "what was there alone", func() bool { return len(f.tabs) == 1 && f.tabs[0].URL == "about:blank" })
			_ = f.end()
		})
	}
}

// A connection that breaks while the tabs come back is opened once more; a browser that does not
// answer twice is given back, and the tabs come back in another one.
func TestBreaksAgain(t *testing.T) {
	e := standin.New(t)
	e.Keeps = true
	f := launch(t, engineConfig(t, e.Grid()))
	defer f.cancel()
	f.started(t)
	page := pages(t, map[string]string{"/": "Here"})
	id := f.first(t)
	f.goesTo(t, page)
	for breaks, browsers := range []int{1, 1, 2} {
		e.Break(breaks)
		for range breaks + 1 {
			if err := <-f.ended; err == nil {
				t.Fatal("it goes on")
			}
			f.update(func() { f.tabs = nil })
			go func() { f.ended <- f.Run(f.ctx) }()
		}
		f.wait(t, "the tab", func() bool { return len(f.tabs) == 1 && f.tabs[0].ID == id && f.tabs[0].URL == page+"/" })
		see := "new Promise((done) => { const see = () => document.body?.textContent.trim() ? done(document.body.textContent.trim()) : setTimeout(see, 5); see() })"
		if got := f.says(t, see); got != "Here" || e.Started() != browsers {
			t.Errorf("after %d: %q in browser %d", breaks, got, e.Started())
		}
	}
}

// A connection that is open, and brings nothing, is given up for another one.
func TestASilentEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("an engine may be silent for 20 s")
	}
	e := standin.New(t)
	e.Keeps = true
	config := engineConfig(t, e.Address())
	config.KeepEvery = 20 * time.Millisecond
	f := launch(t, config)
	defer f.cancel()
	f.started(t)
	f.first(t)
	within := contextIn(t, f)
	within.KeepEvery = config.KeepEvery
	b := launch(t, within)
	defer b.cancel()
	b.started(t)
	address := site(t).URL
	b.goesTo(t, address+"/one")
	e.Silence()
	for _, of := range []*fixture{f, b} {
		if err := <-of.ended; code(err) != protocol.CodeCrashed {
			t.Fatalf("it ended with %v", err)
		}
	}
	// The browser still had the context of before, whose tab is not one of this session.
	f.again(t)
	f.wait(t, "the tab", func() bool { return len(f.tabs) == 1 && f.tabs[0].URL == "about:blank" })
	f.goesTo(t, address+"/two")
	if tabs := f.Tabs(); len(tabs) != 1 {
		t.Errorf("the tabs are %+v", tabs)
	}
	if n := e.Started(); n != 1 {
		t.Errorf("%d browsers were started for one", n)
	}
	if err := f.end(); err != nil {
		t.Error(err)
	}
}

// On a connection of 25 ms each way, what an agent does most takes few round trips.
func TestRoundTrips(t *testing.T) {
	page := serve(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write([]byte("<title>A page</title><input aria-label=Name><button onclick=\"document.body.append('Pressed')\">Go</button>"))
	}))
	e := standin.New(t)
	e.Delay = 25 * time.Millisecond
	f := launch(t, engineConfig(t, e.Address()))
	defer f.cancel()
	f.started(t)
	id := f.first(t)
	act := func(q protocol.ActRequest) error {
		_, err := f.Act(f.ctx, protocol.Caller{}, id, q, nil)
		return err
	}
	load := func() error {
		_, err := f.Navigate(f.ctx, protocol.Caller{}, id, page.URL, protocol.WaitLoad, nil)
		return err
	}
	look := func() error {
		_, err := f.Snapshot(f.ctx, protocol.Caller{}, id, protocol.SnapshotRequest{}, nil)
		return err
	}
	for _, c := range []struct {
		name  string
		most  int
		first func() error // what is not counted; nil for nothing
		run   func() error
	}{
		// Its document, what it says and who listens, those who do, and what it says then.
		{"first snapshot", 4, load, look},
		{"snapshot", 1, nil, look},
		{"goto", 2, nil, load}, // where our world is in the tab's documents since the first snapshot
		{"click", 3, nil, func() error { return act(protocol.ActRequest{Kind: protocol.ActClick, Target: "role=button"}) }},
		{"fill", 3, nil, func() error {
			return act(protocol.ActRequest{Kind: protocol.ActFill, Target: "label=Name", Text: "Ada"})
		}},
	} {
		best := 100
		for range 4 { // the first finds a page without our world, and another may be beside a change of the tabs
			if c.first != nil {
				if err := c.first(); err != nil {
					t.Fatal(c.name, err)
				}
			}
			before := e.Trips()
			if err := c.run(); err != nil {
				t.Fatal(c.name, err)
			}
			best = min(best, e.Trips()-before)
		}
		if t.Logf("%s: %d round trips", c.name, best); best > c.most {
			t.Errorf("%s takes %d round trips, and not %d", c.name, best, c.most)
		}
	}
	if err := f.end(); err != nil {
		t.Error(err)
	}
}

// The task page of a browser elsewhere is in one of ours beside it, which starts with the first
// task. It is replaced when it is lost, ends with the last task or the connection, and leaves
// nothing.
func TestTaskPageElsewhere(t *testing.T) {
	if testing.Short() {
		t.Skip("TestTasksElsewhere meets it")
	}
	e := standin.New(t)
	e.Keeps = true
	config := engineConfig(t, e.Address())
	config.ExtensionDir, config.TemporaryDir, config.NoSandbox = extensionDir(t), t.TempDir(), os.Geteuid() == 0
	f := launch(t, config)
	defer f.cancel()
	f.started(t)
	opens := func(fresh bool) (own *Browser, pid int) {
		t.Helper()
		if was, err := f.OpenTaskPage(deadline(t)); err != nil || was != fresh {
			t.Fatalf("it is new: %t, %v", was, err)
		}
		r, err := f.running()
		if err != nil {
			t.Fatal(err)
		}
		own, err = r.beside.running(deadline(t), f.Browser)
		if err != nil {
			t.Fatal(err)
		}
		return own, own.Info().PID
	}
	nothing := func(when string) {
		t.Helper()
		if left, err := os.ReadDir(config.TemporaryDir); err != nil || len(left) > 0 {
			t.Errorf("%s there is %v, %v", when, left, err)
		}
	}
	if panel, err := f.TaskPanel(deadline(t), f.first(t)); err != nil || panel {
		t.Errorf("a panel is there: %t, %v", panel, err)
	}
	if err := f.Pair(deadline(t), protocol.Pairing{Session: "one", Token: "first"}); err != nil {
		t.Fatal(err)
	}
	nothing("before a task")
	own, pid := opens(true)
	if again, same := opens(false); again != own || same != pid {
		t.Error("it is not the same")
	}
	for _, token := range []string{"first", "second"} {
		script := fmt.Sprintf(`chrome.storage.session.get(%q).then((all) => JSON.stringify(all))`, protocol.PairingKey)
		if got, err := devtools.Evaluate[string](deadline(t), own.run.taskPage.now.Load().Session, script, 0); err != nil || !strings.Contains(got, `"`+token+`"`) {
			t.Errorf("it is paired with %s, %v", got, err)
		}
		if err := f.Pair(deadline(t), protocol.Pairing{Session: "one", Token: "second"}); err != nil {
			t.Fatal(err)
		}
	}
	if tabs := f.Tabs(); len(tabs) != 1 {
		t.Errorf("tabs are %+v", tabs)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	_, pid = opens(true)
	e.Cut()
	if err := <-f.ended; code(err) != protocol.CodeCrashed {
		t.Fatalf("the connection broke: %v", err)
	}
	if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
		t.Errorf("after the connection broke it runs: %v", err)
	}
	nothing("after the connection broke")
	f.again(t)
	opens(true)
	for range 2 {
		if err := f.CloseTaskPage(deadline(t)); err != nil {
			t.Error(err)
		}
		nothing("after the last task")
	}
	if err := f.end(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
