package browser

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/serviceworker"

	"pilotfish/backend/protocol"
)

// pairing is what a test gives the extension.
var pairing = protocol.Pairing{Version: protocol.Version, Session: "default", Port: 4711, Token: "token-of-the-test", Key: "k", Epoch: 1}

// storedPairing asks the extension, from its panel's page, what it was given.
func storedPairing(t *testing.T, f *fixture) protocol.Pairing {
	t.Helper()
	script := fmt.Sprintf(`new Promise((done) => {
		const look = async () => { const v = (await chrome.storage.session.get(%[1]q))[%[1]q]; if (v) done(JSON.stringify(v)); };
		chrome.storage.session.onChanged.addListener(look); look();
	})`, protocol.PairingKey)
	text, err := evaluate[string](deadline(t), panelSession(t, f), script, 0)
	if err != nil {
		t.Fatal(err)
	}
	var p protocol.Pairing
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// panelSession attaches to the page of the side panel.
func panelSession(t *testing.T, f *fixture) *session {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	panels := f.Browser.tabs.panelTargets()
	if len(panels) != 1 {
		t.Fatalf("%d panels are open", len(panels))
	}
	s, err := r.conn.attach(deadline(t), panels[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agree waits until our tabs are those of chrome.tabs, and returns them.
func agree(t *testing.T, f *fixture) []protocol.Tab {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	type chromeTab struct {
		ID, WindowID, Index int
		Active              bool
		URL                 string
	}
	ctx := deadline(t)
	for {
		changed := f.Browser.tabs.changes()
		text, err := callWorker[string](ctx, r, "tell")
		if err == nil {
			var e protocol.BridgeEvent
			if err := json.Unmarshal([]byte(text), &e); err != nil {
				t.Fatal(err)
			}
			var want, got []chromeTab
			for _, b := range e.Tabs {
				want = append(want, chromeTab{b.ChromeTabID, b.WindowID, b.Index, b.Active, b.URL})
			}
			tabs := f.Tabs()
			for _, o := range tabs {
				got = append(got, chromeTab{o.ChromeTabID, o.WindowID, o.Index, o.Active, o.URL})
			}
			slices.SortFunc(want, func(a, b chromeTab) int { return a.ID - b.ID })
			slices.SortFunc(got, func(a, b chromeTab) int { return a.ID - b.ID })
			if slices.Equal(want, got) {
				return tabs
			}
			select {
			case <-ctx.Done():
				t.Fatalf("chrome has\n%+v\nwe have\n%+v", want, got)
			case <-changed:
			}
			continue
		}
		select {
		case <-ctx.Done():
			t.Fatalf("the worker never answered: %v", err)
		case <-changed:
		}
	}
}

func TestStartOpensPanelAndPairs(t *testing.T) {
	s := site(t)
	c := config(t, false)
	c.StartURL = func() string { return s.URL + "/one" }
	f := launchOnly(t, c)
	if err := f.Pair(deadline(t), pairing); err != nil {
		t.Fatal(err)
	}
	f.wait(t, "the panel", func() bool { return f.panel })
	if got := storedPairing(t, f); got != pairing {
		t.Errorf("the extension was given %+v", got)
	}
	tabs := agree(t, f)
	if len(tabs) != 1 || tabs[0].ID != "t1" || !tabs[0].Active || !tabs[0].Focused || tabs[0].URL != s.URL+"/one" {
		t.Errorf("tabs are %+v", tabs)
	}
	t.Logf("timeline: %v", f.Timeline())
	info := f.Info()
	if info.Version == "" || info.PID == 0 || info.Sandbox != (os.Geteuid() != 0) {
		t.Errorf("info is %+v", info)
	}
	// A second opening does not close it.
	if err := f.OpenPanel(deadline(t), "t1"); err != nil {
		t.Error(err)
	}
	if !f.panel {
		t.Error("the panel was closed")
	}
	next := pairing
	next.Epoch, next.Token = 2, "rotated"
	if err := f.Pair(deadline(t), next); err != nil {
		t.Fatal(err)
	}
	// The next change of the storage is the new pairing.
	for storedPairing(t, f) != next {
		if t.Context().Err() != nil {
			t.Fatal("the new pairing never came")
		}
	}
}

// Nobody else finds a way in: no listener, no port in the command line, and the
// pipe's descriptors in the browser process only.
func TestNoListener(t *testing.T) {
	f := start(t, config(t, false))
	pid := f.Info().PID
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	if bytes.Contains(cmdline, []byte("remote-debugging-port")) || !bytes.Contains(cmdline, []byte("--remote-debugging-pipe")) {
		t.Errorf("command line: %q", cmdline)
	}
	if bytes.Contains(cmdline, []byte("--enable-automation")) || bytes.Contains(cmdline, []byte("mock-keychain")) || bytes.Contains(cmdline, []byte("--password-store")) {
		t.Errorf("flags of automation: %q", cmdline)
	}
	listeners := listeningInodes(t)
	for _, p := range descendants(t, pid) {
		fds, err := os.ReadDir(fmt.Sprintf("/proc/%d/fd", p))
		if err != nil {
			continue // it ended
		}
		for _, fd := range fds {
			link, err := os.Readlink(fmt.Sprintf("/proc/%d/fd/%s", p, fd.Name()))
			if err == nil && listeners[link] {
				t.Errorf("process %d listens on %s", p, link)
			}
		}
	}
}

// listeningInodes returns the links of all listening TCP sockets.
func listeningInodes(t *testing.T) map[string]bool {
	t.Helper()
	found := make(map[string]bool)
	for _, name := range []string{"/proc/net/tcp", "/proc/net/tcp6"} {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		for line := range strings.Lines(string(data)) {
			if f := strings.Fields(line); len(f) > 9 && f[3] == "0A" {
				found["socket:["+f[9]+"]"] = true
			}
		}
	}
	return found
}

// descendants returns a process and all below it.
func descendants(t *testing.T, root int) []int {
	t.Helper()
	children := make(map[int][]int)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range stats {
		data, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		pid, _ := strconv.Atoi(strings.Split(name, "/")[2])
		f := strings.Fields(string(data[bytes.LastIndexByte(data, ')')+1:]))
		parent, _ := strconv.Atoi(f[1])
		children[parent] = append(children[parent], pid)
	}
	all := []int{root}
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
	}
	return all
}

func TestNewTabCloseAndActivate(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	id, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	tabs := agree(t, f)
	if len(tabs) != 2 || tabs[1].ID != id || tabs[1].Opener != "t1" || tabs[1].Active || !tabs[0].Active {
		t.Errorf("after a tab in the background: %+v", tabs)
	}
	if err := f.ActivateTab(ctx, id); err != nil {
		t.Fatal(err)
	}
	if tabs = agree(t, f); !tabs[1].Active || tabs[0].Active {
		t.Errorf("after tab: %+v", tabs)
	}
	if err := f.CloseTab(ctx, id); err != nil {
		t.Fatal(err)
	}
	if tabs = agree(t, f); len(tabs) != 1 {
		t.Errorf("after closetab: %+v", tabs)
	}
	if _, err := f.Page(ctx, id); code(err) != protocol.CodeUnknownTab {
		t.Errorf("a closed tab: %v", err)
	}
	// The last tab is replaced: the browser stays, and no id comes twice.
	if err := f.CloseTab(ctx, "t1"); err != nil {
		t.Fatal(err)
	}
	if tabs = agree(t, f); len(tabs) != 1 || tabs[0].ID == "t1" || tabs[0].ID == id {
		t.Errorf("after the last: %+v", tabs)
	}
}

// A picture of a tab in the background shows that tab and leaves the person's
// in front.
func TestBackgroundScreenshot(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	id, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, id, s.URL+"/blue", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	shot, err := f.Screenshot(ctx, id, protocol.ScreenshotRequest{Format: "png"})
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("background screenshot in %v", time.Since(began))
	if img := picture(t, shot.Path); !isBlue(img, 200, 200) {
		t.Errorf("the picture is not of the page: %v", img.At(200, 200))
	}
	if tabs := agree(t, f); !tabs[0].Active || !tabs[0].Focused || tabs[1].Active {
		t.Errorf("the picture moved the person: %+v", tabs)
	}
}

func TestManyTabsAgreeWithChrome(t *testing.T) {
	f := start(t, config(t, false))
	ctx := deadline(t)
	seen := map[protocol.TabID]bool{"t1": true}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 50 {
		wg.Go(func() {
			id, err := f.NewTab(ctx, "t1", true)
			if err != nil {
				t.Error(err)
				return
			}
			mu.Lock()
			if seen[id] {
				t.Errorf("%s was given twice", id)
			}
			seen[id] = true
			mu.Unlock()
			if i%2 == 0 {
				if err := f.CloseTab(ctx, id); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if tabs := agree(t, f); len(tabs) != 26 {
		t.Errorf("%d tabs are open", len(tabs))
	}
}

func TestTwoTabsInParallel(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	other, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, "t1", s.URL+"/hang", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	// The first hangs in a script that never ends.
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	front, _ := f.Browser.tabs.lookup("t1")
	p, err := r.page(ctx, front.target)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.post(ctx, "Runtime.evaluate", map[string]any{"expression": "for(;;);"}); err != nil {
		t.Fatal(err)
	}
	hung := make(chan error, 1)
	go func() {
		short, cancel := context.WithTimeout(ctx, 2*time.Second)
		defer cancel()
		_, err := f.Text(short, "t1", 100)
		hung <- err
	}()
	for range 5 {
		if _, err := f.Navigate(ctx, other, s.URL+"/two", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
		text, err := f.Text(ctx, other, 100)
		if err != nil || text.Text != "Second page" {
			t.Fatalf("the other tab: %+v, %v", text, err)
		}
	}
	select {
	case err := <-hung:
		t.Fatalf("the hung tab answered before its deadline: %v", err)
	default:
	}
	if err := <-hung; code(err) != protocol.CodeTimeout {
		t.Errorf("the hung tab: %v", err)
	}
	if info, err := f.Page(ctx, "t1"); err != nil || info.Title != "Hang" {
		t.Errorf("a hung tab's address: %+v, %v", info, err)
	}
	// Another site gets another process; the tab lives again.
	if info, err := f.Navigate(ctx, "t1", strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/one", protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Errorf("away from the hung page: %+v, %v", info, err)
	}
}

func TestTabCrash(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	other, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []protocol.TabID{"t1", other} {
		if _, err := f.Navigate(ctx, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := f.Navigate(ctx, other, strings.Replace(s.URL, "127.0.0.1", "localhost", 1)+"/two", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	front, _ := f.Browser.tabs.lookup("t1")
	p, err := r.page(ctx, front.target)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.post(ctx, "Runtime.evaluate", map[string]any{"expression": "for(;;);"}); err != nil {
		t.Fatal(err)
	}
	waiting := make(chan error, 1)
	go func() { _, err := f.Text(ctx, "t1", 100); waiting <- err }()
	if err := postCommand(ctx, p.session, cdppage.Crash, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	// A page that spins does not hear Page.crash: its process is killed.
	if err := syscall.Kill(spinning(t, f), syscall.SIGKILL); err != nil {
		t.Logf("the page heard it: %v", err)
	}
	if err := <-waiting; code(err) != protocol.CodeCrashed {
		t.Errorf("who waited for the page: %v", err)
	}
	f.wait(t, "the crash", func() bool {
		return slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == "t1" && t.Crashed })
	})
	if _, err := f.Text(ctx, "t1", 100); code(err) != protocol.CodeCrashed {
		t.Errorf("a crashed tab: %v", err)
	}
	if text, err := f.Text(ctx, other, 100); err != nil || text.Text != "Second page" {
		t.Errorf("the other tab: %+v, %v", text, err)
	}
	if info, err := f.Reload(ctx, "t1", protocol.WaitLoad, nil); err != nil || info.Title != "One" {
		t.Errorf("reload: %+v, %v", info, err)
	}
	f.wait(t, "the tab to live", func() bool { return !slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.Crashed }) })
	if text, err := f.Text(ctx, "t1", 100); err != nil || !strings.Contains(text.Text, "First page") {
		t.Errorf("after reload: %+v, %v", text, err)
	}
}

// spinning finds the renderer that uses the most time.
func spinning(t *testing.T, f *fixture) int {
	t.Helper()
	best, most := 0, -1
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
		if fields[0] != "R" {
			continue
		}
		if ticks, _ := strconv.Atoi(fields[11]); ticks > most {
			best, most = pid, ticks
		}
	}
	return best
}

func TestBrowserKilled(t *testing.T) {
	s := site(t)
	c := config(t, false)
	c.StartURL = func() string { return s.URL + "/one" }
	f := start(t, c)
	ctx := deadline(t)
	second, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, second, s.URL+"/two", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	if err := f.ActivateTab(ctx, second); err != nil {
		t.Fatal(err)
	}
	agree(t, f)
	pid := f.Info().PID
	call := make(chan error, 1)
	go func() { _, err := f.Navigate(ctx, "t1", s.URL+"/never", protocol.WaitLoad, nil); call <- err }()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := <-call; code(err) != protocol.CodeNotRunning && code(err) != protocol.CodeUnknownTab {
		t.Errorf("who waited: %v", err)
	}
	err = <-f.ended
	if code(err) != protocol.CodeCrashed || !strings.Contains(err.Error(), "SIGKILL") {
		t.Errorf("Run returned %v", err)
	}
	if len(f.Tabs()) != 0 {
		t.Errorf("tabs of a dead browser: %+v", f.Tabs())
	}
	// The next start has the same tabs under the same ids, the same in front.
	go func() { f.ended <- f.Run(f.ctx) }()
	f.wait(t, "the tabs to come back", func() bool {
		tabs := f.Tabs()
		return len(tabs) == 2 && tabs[0].ID == "t1" && tabs[1].ID == second && tabs[1].Active
	})
	f.wait(t, "the worker", func() bool { r, err := f.running(); return err == nil && r.worker() != nil })
	if tabs := agree(t, f); tabs[0].URL != s.URL+"/one" || tabs[1].URL != s.URL+"/two" {
		t.Errorf("restored: %+v", tabs)
	}
	if id, err := f.NewTab(ctx, "", true); err != nil || id == "t1" || id == second {
		t.Errorf("a new tab after the restart: %s, %v", id, err)
	}
}

// stopWorker stops our worker as the browser does after 30 idle seconds.
func stopWorker(t *testing.T, f *fixture) {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	s, err := r.conn.attach(deadline(t), f.Browser.tabs.panelTargets()[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(deadline(t), s, serviceworker.Enable, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if _, err := cdp.Call(deadline(t), s, serviceworker.StopAllWorkers, cdp.Empty{}); err != nil {
		t.Fatal(err)
	}
	if err := f.waitTabs(deadline(t), func() bool { return r.worker() == nil }); err != nil {
		t.Fatal(err)
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
	// Commands work without it, and a tab's event brings it back.
	if _, err := f.Navigate(ctx, "t1", s.URL+"/two", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	id, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	tabs := agree(t, f)
	if len(tabs) != 2 || tabs[0].ID != "t1" || tabs[1].ID != id || tabs[0].URL != s.URL+"/two" {
		t.Errorf("after the worker was stopped: %+v", tabs)
	}
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
		func(r *run) error {
			_, err := cdp.Call(deadline(t), r.conn.root, extensions.Uninstall, extensions.UninstallParams{ID: protocol.ExtensionID})
			return err
		},
		func(r *run) error {
			return r.worker().post(deadline(t), "Runtime.evaluate", map[string]any{"expression": "chrome.runtime.reload()"})
		},
	} {
		r, err := f.running()
		if err != nil {
			t.Fatal(err)
		}
		if err := f.waitTabs(deadline(t), func() bool { return r.worker() != nil }); err != nil {
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

// A tab that the browser discards to save memory gets a new target and a new
// number of Chrome's; it is the same tab.
func TestDiscardedTabKeepsItsID(t *testing.T) {
	s := site(t)
	f := start(t, config(t, false))
	ctx := deadline(t)
	id, err := f.NewTab(ctx, "t1", true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, id, s.URL+"/one", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	agree(t, f)
	before, _ := f.Browser.tabs.lookup(id)
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := evaluate[any](ctx, r.worker(), fmt.Sprintf("chrome.tabs.discard(%d).then(() => 1)", before.ChromeTabID), 0); err != nil {
		t.Fatal(err)
	}
	f.wait(t, "the discard", func() bool {
		return slices.ContainsFunc(f.tabs, func(t protocol.Tab) bool { return t.ID == id && t.ChromeTabID != before.ChromeTabID })
	})
	tabs := agree(t, f)
	after, ok := f.Browser.tabs.lookup(id)
	if !ok || after.target == before.target || len(tabs) != 2 {
		t.Errorf("after the discard: %+v", tabs)
	}
	if info, err := f.Reload(ctx, id, protocol.WaitLoad, nil); err != nil || info.Title != "One" {
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
	if _, err := f.Page(t.Context(), "t1"); code(err) != protocol.CodeNotRunning {
		t.Errorf("after the end: %v", err)
	}
}

func TestPersonClosesBrowser(t *testing.T) {
	f := start(t, config(t, false))
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	tab, _ := f.Browser.tabs.lookup("t1")
	if err := r.conn.root.post(deadline(t), "Target.closeTarget", map[string]any{"targetId": tab.target}); err != nil {
		t.Fatal(err)
	}
	if err := <-f.ended; !errors.Is(err, ErrClosed) {
		t.Errorf("Run returned %v", err)
	}
	f.ended <- nil
}
