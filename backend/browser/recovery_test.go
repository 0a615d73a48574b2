package browser

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

func TestTwoTabsInParallel(t *testing.T) {
	s := site(t)
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	other, err := f.NewTab(ctx, first, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, first, s.URL+"/hang", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	// The page of the first tab hangs in a script that never ends.
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	front, _ := f.Browser.tabs.Lookup(first)
	p, err := r.page(ctx, front.Target)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Post(ctx, "Runtime.evaluate", map[string]any{"expression": "for(;;);"}); err != nil {
		t.Fatal(err)
	}
	hung := make(chan error, 1)
	waiting, giveUp := context.WithCancel(ctx)
	defer giveUp()
	go func() {
		_, err := f.Text(waiting, nobody, first, 100)
		hung <- err
	}()
	for range 5 {
		if _, err := f.Navigate(ctx, nobody, other, s.URL+"/two", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		text, err := f.Text(ctx, nobody, other, 100)
		if err != nil || text.Text != "Second page" {
			t.Fatalf("the other tab: %+v, %v", text, err)
		}
	}
	select {
	case err := <-hung:
		t.Fatalf("the hung tab answered: %v", err)
	default:
	}
	giveUp()
	if err := <-hung; err == nil {
		t.Error("the hung tab answered once nobody waited for it")
	}
	short, cancel := context.WithTimeout(ctx, 500*time.Millisecond)
	defer cancel()
	if _, err := f.Text(short, nobody, first, 100); code(err) != protocol.CodeTimeout {
		t.Errorf("the hung tab: %v", err)
	}
	if info, err := f.Page(ctx, nobody, first); err != nil || info.Title != "Hang" {
		t.Errorf("a hung tab's address: %+v, %v", info, err)
	}
	// Another site gets another process, so the tab works again.
	if info, err := f.Navigate(ctx, nobody, first, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/one", protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Errorf("away from the hung page: %+v, %v", info, err)
	}
}

func TestTabCrash(t *testing.T) {
	s := site(t)
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	other, err := f.NewTab(ctx, first, true)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []protocol.TabID{first, other} {
		if _, err := f.Navigate(ctx, nobody, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Navigate(ctx, nobody, other, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/two", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	front, _ := f.Browser.tabs.Lookup(first)
	p, err := r.page(ctx, front.Target)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Post(ctx, "Runtime.evaluate", map[string]any{"expression": "for(;;);"}); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { _, err := f.Text(ctx, nobody, first, 100); waiting <- err }()
	// A page that hangs does not handle Page.crash, so its process is killed.
	if err := syscall.Kill(spinning(t, f), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-waiting; code(err) != protocol.CodeCrashed {
		t.Errorf("who waited for the page: %v", err)
	}
	f.wait(t, "the crash", func() bool {
		return slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == first && t.Crashed })
	})
	if _, err := f.Text(ctx, nobody, first, 100); code(err) != protocol.CodeCrashed {
		t.Errorf("a crashed tab: %v", err)
	}
	if text, err := f.Text(ctx, nobody, other, 100); err != nil || text.Text != "Second page" {
		t.Errorf("the other tab: %+v, %v", text, err)
	}
	if info, err := f.Reload(ctx, nobody, first, protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Errorf("reload: %+v, %v", info, err)
	}
	f.wait(t, "the tab to live", func() bool { return !slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.Crashed }) })
	if text, err := f.Text(ctx, nobody, first, 100); err != nil || !strings.Contains(text.Text, "First page") {
		t.Errorf("after reload: %+v, %v", text, err)
	}
}

// spinning returns the renderer that uses the most CPU time, once the difference
// is clear.
func spinning(t *testing.T, f *fixture) int {
	t.Helper()
	before := rendererTicks(t, f)
	for ctx := deadline(t); ctx.Err() == nil; {
		for pid, ticks := range rendererTicks(t, f) {
			if was, known := before[pid]; known && ticks-was > 20 { // 0.2 s
				return pid
			}
		}
	}
	t.Fatal("no page spins")
	return 0
}

// rendererTicks returns the CPU time of each page's process, in clock ticks.
func rendererTicks(t *testing.T, f *fixture) map[int]int {
	t.Helper()
	all := make(map[int]int)
	for _, pid := range descendants(t, f.Info().PID) {
		cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
		if err != nil || !bytes.Contains(cmdline, []byte("--type=renderer")) || bytes.Contains(cmdline, []byte("--extension-process")) {
			continue
		}
		data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
		if err != nil {
			continue
		}
		fields := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		if ticks, err := strconv.Atoi(fields[11]); err == nil {
			all[pid] = ticks
		}
	}
	return all
}

// A page that crashes while no command uses it is noticed, too.
func TestIdleTabCrash(t *testing.T) {
	s := site(t)
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	if _, err := f.Navigate(ctx, nobody, first, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	front, _ := f.Browser.tabs.Lookup(first)
	p, err := r.page(ctx, front.Target)
	if err != nil {
		t.Fatal(err)
	}
	if err := devtools.Post(ctx, p.Session, cdppage.Crash, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	f.wait(t, "the crash", func() bool { return len(f.tabs) == 1 && f.tabs[0].Crashed })
	if info, err := f.Navigate(ctx, nobody, first, s.URL+"/two", protocol.WaitLoad, nil); err != nil || info.Title != "Two" {
		t.Errorf("goto in a crashed tab: %+v, %v", info, err)
	}
	f.wait(t, "the tab to live", func() bool { return len(f.tabs) == 1 && !f.tabs[0].Crashed })
}

func TestBrowserKilled(t *testing.T) {
	busy, pages := make(chan struct{}), site(t).Config.Handler
	s := serve(t, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/busy" {
			close(busy)
			return
		}
		pages.ServeHTTP(w, r)
	}))
	c := config(t, false)
	c.StartURL = func() string { return s.URL + "/one" }
	f := start(t, c)
	ctx := deadline(t)
	second, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, second, s.URL+"/two", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.ActivateTab(ctx, second); err != nil {
		t.Fatal(err)
	}
	agree(t, f)
	if _, err := f.Act(ctx, nobody, second, protocol.ActRequest{Kind: protocol.ActKeyDown, Text: "Shift"}, nil); err != nil {
		t.Fatal(err)
	}
	pid := f.Info().PID
	f.script(t, second, "onkeydown = () => { fetch('/busy'); for (;;); }")
	call := make(chan error, 2)
	go func() { _, err := f.Navigate(ctx, nobody, "t1", s.URL+"/never", protocol.WaitLoad, nil); call <- err }()
	go func() {
		_, err := f.Act(ctx, nobody, second, protocol.ActRequest{Kind: protocol.ActPress, Text: "b"}, nil)
		call <- err
	}()
	<-busy
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-call; code(err) != protocol.CodeNotRunning {
			t.Errorf("who waited: %v", err)
		}
	}
	err = <-f.ended
	if code(err) != protocol.CodeCrashed || !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("Run returned %v", err)
	}
	if len(f.Tabs()) != 0 {
		t.Errorf("tabs of a dead browser: %+v", f.Tabs())
	}
	// The next start has the same tabs with the same ids, and the same tab in
	// front.
	go func() { f.ended <- f.Run(f.ctx) }()
	f.wait(t, "the tabs to come back", func() bool {
		tabs := f.Tabs()
		return len(tabs) == 2 && tabs[0].ID == "t1" && tabs[1].ID == second && tabs[1].Active
	})
	f.awaitWorker(t)
	if tabs := agree(t, f); tabs[0].URL != s.URL+"/one" || tabs[1].URL != s.URL+"/two" {
		t.Errorf("restored: %+v", tabs)
	}
	// No key is held any more, and the caller is informed.
	e, err := f.Act(ctx, nobody, second, protocol.ActRequest{Kind: protocol.ActPress, Text: "a"}, nil)
	if err != nil || len(e.Held) > 0 || !slices.Equal(e.Released, []string{"Shift"}) {
		t.Errorf("after the restart: held %q, released %q, %v", e.Held, e.Released, err)
	}
	if id, err := f.NewTab(ctx, "", true); err != nil || id == "t1" || id == second {
		t.Errorf("a new tab after the restart: %s, %v", id, err)
	}
}

// A tab keeps its history when the browser is killed. What Chromium had not yet
// saved is corrected, and ids stay with their tabs, even where two have the same
// URL.
func TestHistoryAfterCrash(t *testing.T) {
	for _, headless := range modes(t) {
		t.Run(fmt.Sprintf("headless %v", headless), func(t *testing.T) { historyAfterCrash(t, headless) })
	}
}

func historyAfterCrash(t *testing.T, headless bool) {
	t.Helper()
	s := site(t)
	c := config(t, headless)
	if headless { // without a seed, Chromium writes the preferences 10 s after its first start
		if err := chromium.Seed(filepath.Join(c.ProfileDir, "Default", "Preferences")); err != nil {
			t.Fatal(err)
		}
	}
	f := start(t, c)
	ctx := deadline(t)
	open := func(id protocol.TabID, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if _, err := f.Navigate(ctx, nobody, id, s.URL+path, protocol.WaitLoad, nil); err != nil {
				t.Fatal(err)
			}
		}
	}
	tab := func() protocol.TabID {
		t.Helper()
		id, err := f.NewTab(ctx, "", true)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	first, second, third, closed := f.first(t), tab(), tab(), tab()
	open(first, "/blue", "/one", "/two")
	open(second, "/hang", "/one")
	open(third, "/blue", "/one", "/two")
	open(closed, "/one?closed")
	written(t, c.ProfileDir, "/one?closed")
	if err := f.CloseTab(ctx, closed); err != nil {
		t.Fatal(err)
	}
	late := tab()
	open(late, "/one?late")
	open(second, "/two?late")
	// The list learns of an address after the command that opened it.
	f.wait(t, "the last addresses", func() bool {
		return slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == late && t.URL == s.URL+"/one?late" }) &&
			slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == second && t.URL == s.URL+"/two?late" })
	})
	before := f.Tabs()
	if err := syscall.Kill(f.Info().PID, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-f.ended; code(err) != protocol.CodeCrashed {
		t.Fatalf("Run returned %v", err)
	}
	f.mu.Lock()
	f.atReady = nil
	f.mu.Unlock()
	go func() { f.ended <- f.Run(f.ctx) }()
	f.wait(t, "the tabs to come back", func() bool {
		tabs := f.Tabs()
		return len(tabs) == len(before) && !slices.ContainsFunc(before, func(was protocol.Tab) bool {
			return !slices.ContainsFunc(tabs, func(is protocol.Tab) bool { return is.ID == was.ID && is.URL == was.URL })
		})
	})
	back := func(id protocol.TabID, paths ...string) {
		t.Helper()
		for _, path := range paths {
			if info, err := f.Back(deadline(t), nobody, id, protocol.WaitLoad, nil); err != nil || info.URL != s.URL+path {
				t.Errorf("%s went back to %+v, %v; want %s", id, info, err, path)
			}
		}
	}
	back(third, "/one", "/blue")
	back(second, "/one", "/hang")
	back(first, "/one", "/blue")
	ready := 0
	f.wait(t, "the second start", func() bool { ready = len(f.atReady); return f.atReady != nil })
	if ready != len(before) {
		t.Errorf("ready with %d of %d tabs", ready, len(before))
	}
}

// written waits until Chromium has saved a URL that contains part for its session
// restore, which it does 2.5 s after a change. No event reports it.
func written(t *testing.T, profile, part string) {
	t.Helper()
	for ctx := deadline(t); ; {
		files, err := filepath.Glob(filepath.Join(profile, "Default", "Sessions", "Session_*"))
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range files {
			if raw, err := os.ReadFile(name); err == nil && bytes.Contains(raw, []byte(part)) {
				return
			}
		}
		select {
		case <-ctx.Done():
			t.Fatalf("%s is in no session file", part)
		case <-time.After(50 * time.Millisecond):
		}
	}
}

// stopWorker stops our worker as the browser does after 30 s without activity.
func stopWorker(t *testing.T, f *fixture) {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	// A worker that has not run yet has registered no event listeners with the
	// browser that could start it again.
	if err := f.Browser.tabs.Await(deadline(t), func() bool { return r.worker() != nil }); err != nil {
		t.Fatal(err)
	}
	worker := r.worker()
	if worker == nil {
		t.Fatal("the worker has stopped by itself")
	}
	crashed := worker.Events(inspector.TargetCrashed.Method)
	defer crashed.Cancel()
	s, err := r.conn.Attach(deadline(t), f.Browser.tabs.PanelTargets()[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(deadline(t), s, serviceworker.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(deadline(t), s, serviceworker.StopAllWorkers, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	// The worker's session may end with it, and a new worker may start before a
	// poll has seen that there was none.
	select {
	case <-crashed.C:
	case <-deadline(t).Done():
		t.Fatal("the worker did not stop")
	}
}

// wakeWorker changes tabs until the worker runs again: Chromium delivers an event
// that arrives while it stops a worker to the worker that is ending, and the next
// event to a new one.
func wakeWorker(t *testing.T, f *fixture, change func()) {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	for ctx := deadline(t); ; {
		change()
		brief, cancel := context.WithTimeout(ctx, time.Second)
		err := f.Browser.tabs.Await(brief, func() bool { w := r.worker(); return w != nil && !w.Ended() })
		if err == nil {
			_, err = callWorker[string](brief, r, "tell")
		}
		cancel()
		if err == nil {
			return
		}
		if ctx.Err() != nil {
			t.Fatalf("the worker did not come back: %v", err)
		}
	}
}

func TestWorkerStopped(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	if err := f.Pair(ctx, pairing); err != nil {
		t.Fatal(err)
	}
	stopWorker(t, f)
	// Commands work without the worker, and an event of a tab starts it again.
	wakeWorker(t, f, func() {
		if _, err := f.Navigate(ctx, nobody, "t1", s.URL+"/two", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	})
	id, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	tabs := agree(t, f)
	if len(tabs) != 2 || tabs[0].ID != "t1" || tabs[1].ID != id || tabs[0].URL != s.URL+"/two" {
		t.Errorf("after the worker was stopped: %+v", tabs)
	}
	// Sometimes Chromium ends the session of a worker that it stops, which looks
	// like a removal: the extension is reinstalled, and its panel opens again.
	f.wait(t, "the panel", func() bool { return f.panel })
	if got := storedPairing(t, f); got != pairing {
		t.Errorf("pairing is %+v", got)
	}
}

func TestExtensionRemovedReloadedDisabled(t *testing.T) {
	f := start(t, config(t, false))
	if err := f.Pair(deadline(t), pairing); err != nil {
		t.Fatal(err)
	}
	for i, harm := range []func(r *run) error{
		func(r *run) error { return disable(t, r) },
		// The protocol installed the extension again, so the protocol can
		// uninstall it.
		func(r *run) error {
			_, err := cdp.Call(deadline(t), r.conn.Root, extensions.Uninstall, extensions.UninstallParams{ID: protocol.ExtensionID})
			return err
		},
		func(r *run) error {
			return r.worker().Post(deadline(t), "Runtime.evaluate", map[string]any{"expression": "chrome.runtime.reload()"})
		},
		// Chromium restarts the worker by itself. That worker ends when the
		// extension is reinstalled, which must not cause another reinstallation.
		func(r *run) error { return killExtension(t, r) },
	} {
		r, err := f.running()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Browser.tabs.Await(deadline(t), func() bool { return r.worker() != nil }); err != nil {
			t.Fatal(err)
		}
		if err := harm(r); err != nil {
			t.Fatal(err)
		}
		f.wait(t, "the notice", func() bool { return len(f.notices) == i+1 })
		f.wait(t, "the panel to come back", func() bool { return f.panel && f.opened == i+2 })
		if got := storedPairing(t, f); got != pairing {
			t.Errorf("%d: pairing is %+v", i, got)
		}
		if tabs := agree(t, f); len(tabs) != 1 || tabs[0].ID != "t1" {
			t.Errorf("%d: tabs are %+v", i, tabs)
		}
	}
}

// killExtension kills the process of the extension's worker and panel.
func killExtension(t *testing.T, r *run) error {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		return err
	}
	for _, path := range paths {
		line, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(line), "--extension-process") || !strings.Contains(string(line), r.b.config.ProfileDir) {
			continue // it ended meanwhile, or is another one
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			return err
		}
		return syscall.Kill(pid, syscall.SIGKILL)
	}
	return errors.New("there is no such process")
}

// A tab that the browser discards to save memory gets a new target and a new
// Chrome tab id; it keeps our id.
func TestDiscardedTabKeepsItsID(t *testing.T) {
	s := site(t)
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	id, err := f.NewTab(ctx, first, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	agree(t, f)
	before, _ := f.Browser.tabs.Lookup(id)
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := devtools.Evaluate[any](ctx, r.worker(), fmt.Sprintf("chrome.tabs.discard(%d).then(() => 1)", before.ChromeTabID), 0); err != nil {
		t.Fatal(err)
	}
	f.wait(t, "the discard", func() bool {
		return slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == id && t.ChromeTabID != before.ChromeTabID })
	})
	tabs := agree(t, f)
	after, ok := f.Browser.tabs.Lookup(id)
	if !ok || after.Target == before.Target || len(tabs) != 2 {
		t.Errorf("after the discard: %+v", tabs)
	}
	if info, err := f.Reload(ctx, nobody, id, protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Errorf("the discarded tab: %+v, %v", info, err)
	}
}

func TestStopEndsEverything(t *testing.T) {
	f := start(t, config(t, false))
	all := descendants(t, f.Info().PID)
	f.cancel()
	if err := <-f.ended; err != nil {
		t.Errorf("Run returned %v", err)
	}
	f.ended <- nil
	for _, pid := range all {
		if cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid)); err == nil && bytes.Contains(cmdline, []byte("chrom")) {
			t.Errorf("process %d is left: %q", pid, cmdline)
		}
	}
	if _, err := f.Page(t.Context(), nobody, "t1"); code(err) != protocol.CodeNotRunning {
		t.Errorf("after the end: %v", err)
	}
}

func TestUserClosesBrowser(t *testing.T) {
	f := start(t, config(t, false))
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := f.Browser.tabs.Lookup("t1")
	if err := r.conn.Root.Post(deadline(t), "Target.closeTarget", map[string]any{"targetId": tab.Target}); err != nil {
		t.Fatal(err)
	}
	if err := <-f.ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Run returned %v", err)
	}
	f.ended <- nil
}

// disable turns off the extension on the browser's extensions page, as a user
// does.
func disable(t *testing.T, r *run) error {
	t.Helper()
	ctx := deadline(t)
	made, err := cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "chrome://extensions"})
	if err != nil {
		return err
	}
	flat := true
	attached, err := cdp.Call(ctx, r.conn.Root, target.AttachToTarget, target.AttachToTargetParams{TargetID: made.TargetID, Flatten: &flat})
	if err != nil {
		return err
	}
	page := r.conn.Session(attached.SessionID)
	for {
		// The target shows an empty page until the extensions page is loaded.
		done, err := devtools.Evaluate[bool](ctx, page, `typeof chrome === "object" && !!chrome.management && chrome.management.setEnabled("`+protocol.ExtensionID+`", false).then(() => true)`, 0)
		if err != nil {
			return err
		}
		if done {
			break
		}
	}
	_, err = cdp.Call(ctx, r.conn.Root, target.CloseTarget, target.CloseTargetParams(made))
	return err
}
