package browser

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// pairing is the pairing that the tests give to the extension.
var pairing = protocol.Pairing{Version: protocol.Version, Session: "default", Port: 4711, Token: "token-of-the-test", Key: "k", Epoch: 1}

// storedPairing returns the pairing that the extension has stored, read through
// the panel's page.
func storedPairing(t *testing.T, f *fixture) protocol.Pairing {
	t.Helper()
	script := fmt.Sprintf(`new Promise((done) => {
		const look = async () => { const v = (await chrome.storage.session.get(%[1]q))[%[1]q]; if (v) done(JSON.stringify(v)); };
		chrome.storage.session.onChanged.addListener(look); look();
	})`, protocol.PairingKey)
	text, err := devtools.Evaluate[string](deadline(t), panelSession(t, f), script, 0)
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
func panelSession(t *testing.T, f *fixture) *devtools.Session {
	t.Helper()
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	panels := f.Browser.tabs.PanelTargets()
	if len(panels) != 1 {
		t.Fatalf("%d panels are open", len(panels))
	}
	s, err := r.conn.Attach(deadline(t), panels[0])
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// agree waits until our tabs equal those of chrome.tabs, and returns them.
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
		changed := f.Browser.tabs.Changes()
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
	// The panel opens before the worker runs, and does not wait for the page.
	f.wait(t, "the page in front", func() bool {
		return len(f.tabs) == 1 && f.tabs[0].Focused && f.tabs[0].URL == s.URL+"/one"
	})
	tabs := agree(t, f)
	if len(tabs) != 1 || tabs[0].ID != "t1" || !tabs[0].Active || !tabs[0].Focused || tabs[0].URL != s.URL+"/one" {
		t.Errorf("tabs are %+v", tabs)
	}
	info := f.Info()
	if info.Version == "" || info.PID == 0 || info.Sandbox != (os.Geteuid() != 0) {
		t.Errorf("info is %+v", info)
	}
	// A second OpenPanel does not close the panel.
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
	// Before a worker has started, the panel's own page is used.
	r, err := f.running()
	if err != nil {
		t.Fatal(err)
	}
	next.Epoch, next.Token = 3, "by its own page"
	f.Browser.mu.Lock()
	f.paired = &next
	f.Browser.mu.Unlock()
	if err := r.pairBy(deadline(t), f.Browser.tabs.PanelTargets()[0]); err != nil {
		t.Fatal(err)
	}
	if got := storedPairing(t, f); got != next {
		t.Errorf("the panel was paired by its own page with %+v", got)
	}
}

// No other program can connect: there is no listening socket, no port on the
// command line, and only the browser process has the pipe's descriptors.
func TestNoListener(t *testing.T) {
	f := windowed(t)
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

// A process of the same user cannot take part in what the app and the browser say:
// what is in its folder of descriptors cannot be opened again.
func TestPipeCannotBeOpenedAgain(t *testing.T) {
	f := headless(t)
	dir := fmt.Sprintf("/proc/%d/fd/", f.Info().PID)
	for _, fd := range []string{"3", "4"} {
		if _, err := os.Readlink(dir + fd); err != nil {
			t.Fatalf("descriptor %s of the browser: %v", fd, err)
		}
		for _, how := range []int{os.O_RDONLY, os.O_WRONLY, os.O_RDWR} {
			opened, err := os.OpenFile(dir+fd, how|unix.O_NONBLOCK, 0)
			if err == nil {
				_ = opened.Close()
				t.Errorf("descriptor %s of the browser can be opened with %#x", fd, how)
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

// descendants returns a process and all its descendants.
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
	tabs := agree(t, f)
	if len(tabs) != 2 || tabs[1].ID != id || tabs[1].Opener != "" || tabs[1].Active || !tabs[0].Active {
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
	if _, err := f.Page(ctx, nobody, id); code(err) != protocol.CodeUnknownTab {
		t.Errorf("a closed tab: %v", err)
	}
	// The last tab is replaced: the browser keeps running, and no id is assigned
	// twice.
	if err := f.CloseTab(ctx, first); err != nil {
		t.Fatal(err)
	}
	if tabs = agree(t, f); len(tabs) != 1 || tabs[0].ID == first || tabs[0].ID == id {
		t.Errorf("after the last: %+v", tabs)
	}
}

// A screenshot of a background tab shows that tab and leaves the user's tab in
// front.
func TestBackgroundScreenshot(t *testing.T) {
	s := site(t)
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	id, err := f.NewTab(ctx, first, true)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.Navigate(ctx, nobody, id, s.URL+"/blue", protocol.WaitLoad, nil); err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	shot, err := f.Screenshot(ctx, nobody, id, protocol.ScreenshotRequest{Format: "png"})
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
	f := windowed(t)
	first := f.first(t)
	ctx := deadline(t)
	seen := map[protocol.TabID]bool{first: true}
	var mu sync.Mutex
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			id, err := f.NewTab(ctx, first, true)
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
	if tabs := agree(t, f); len(tabs) != 11 {
		t.Errorf("%d tabs are open", len(tabs))
	}
}
