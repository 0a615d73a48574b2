package browser

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
)

// TestMain starts a display for the package's tests, and fails when goroutines
// are left.
func TestMain(m *testing.M) {
	stop, err := startDisplay()
	if err != nil {
		fmt.Fprintln(os.Stderr, "no display for the tests:", err)
		os.Exit(1)
	}
	code := m.Run()
	if err := endShared(); err != nil {
		fmt.Fprintln(os.Stderr, "a shared browser:", err)
		code = 1
	}
	if err := goleak.Find(); err != nil && code == 0 {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	stop()
	os.Exit(code)
}

// startDisplay starts an Xvfb, which chooses a free display number itself.
func startDisplay() (stop func(), err error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(context.Background(), "Xvfb", "-displayfd", "3", "-screen", "0", "1600x1000x24", "-nolisten", "tcp")
	cmd.ExtraFiles = []*os.File{w}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	_ = w.Close()
	line, err := bufio.NewReader(r).ReadString('\n')
	_ = r.Close()
	if err != nil {
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("reading the display's number: %w", err)
	}
	if err := os.Setenv("DISPLAY", ":"+strings.TrimSpace(line)); err != nil {
		return nil, err
	}
	return func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }, nil
}

// extensionDir returns the folder of the built extension.
func extensionDir(t *testing.T) string {
	t.Helper()
	dir := os.Getenv("PILOTFISH_TEST_EXTENSION")
	if dir == "" {
		dir = filepath.Join("..", "..", "extension", "dist")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "manifest.json")); err != nil {
		t.Fatalf("the extension is not built (make build): %v", err)
	}
	return dir
}

// hangs is after how long a test that waits counts as one that hangs. Only a test
// that fails reaches it: on a busy machine 50 new tabs alone took a minute.
const hangs = 3 * time.Minute

// fixture is a running browser, with what its callbacks have reported.
type fixture struct {
	*Browser
	ctx    context.Context
	cancel context.CancelFunc
	ended  chan error

	mu      sync.Mutex
	changed chan struct{}
	tabs    []protocol.Tab
	panel   bool
	opened  int // times that a first panel opened
	notices []protocol.Error
	signs   chan protocol.TabID // clicks on signs
	pauses  chan protocol.TabID
	steps   chan protocol.AttachStep
	info    protocol.BrowserInfo
	atReady []protocol.Tab // when the browser was ready
}

// config returns the configuration with which every test starts.
func config(t *testing.T, headless bool) Config {
	t.Helper()
	return configIn(t, t.TempDir(), headless)
}

func configIn(t *testing.T, dir string, headless bool) Config {
	t.Helper()
	c := Config{
		ProfileDir:  filepath.Join(dir, "profile"),
		FilesDir:    filepath.Join(dir, "files"),
		DownloadDir: filepath.Join(dir, "downloads"),
		NoSandbox:   os.Geteuid() == 0,
		Headless:    headless,
		// A test that fails shows how its browser ended.
		Logger: slog.New(slog.NewTextHandler(os.Stderr, &slog.HandlerOptions{Level: slog.LevelError})),
	}
	if !headless {
		c.ExtensionDir = extensionDir(t)
	}
	return c
}

// start runs a browser of the test's own until the test ends, and waits for its first
// tab. It is for tests of launching, ending, crashing, profiles and other
// configurations; every other test shares a browser (windowed, headless).
func start(t *testing.T, c Config) *fixture {
	t.Helper()
	f := launchOnly(t, c)
	f.started(t)
	return f
}

// started waits for a new browser's first tab and panel.
func (f *fixture) started(t *testing.T) {
	t.Helper()
	f.wait(t, "a first tab", func() bool { return len(f.tabs) > 0 && f.info.Version != "" })
	if f.config.ExtensionDir != "" {
		f.wait(t, "the panel", func() bool { return f.panel })
	}
}

// launchOnly runs a browser of the test's own until the test ends.
func launchOnly(t *testing.T, c Config) *fixture {
	t.Helper()
	f := launch(t, c)
	t.Cleanup(func() {
		if err := f.end(); err != nil && !errors.Is(err, ErrClosed) && code(err) != protocol.CodeCrashed {
			t.Errorf("the browser ended with %v", err)
		}
	})
	return f
}

// launch runs a browser until its end is called.
func launch(t *testing.T, c Config) *fixture {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	f := &fixture{ctx: ctx, cancel: cancel, ended: make(chan error, 1), changed: make(chan struct{})}
	f.signs, f.pauses, f.steps = make(chan protocol.TabID, 100), make(chan protocol.TabID, 100), make(chan protocol.AttachStep, 100) // their senders must not block
	c.Events = hub.New[any](1)
	c.Events.Observe(func(event any) {
		f.update(func() {
			switch e := event.(type) {
			case protocol.BrowserInfo:
				f.info, f.atReady = e, f.Tabs()
			case []protocol.Tab:
				f.tabs = e
			case Panel:
				if f.panel = e.Open; f.panel {
					f.opened++
				}
			case protocol.Error:
				f.notices = append(f.notices, e)
			case SignClicked:
				f.signs <- e.Tab
			case Pause:
				f.pauses <- e.Tab
			case protocol.Attaching:
				f.steps <- e.Step
			}
		})
	})
	b, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	f.Browser = b
	go func() { f.ended <- b.Run(ctx) }()
	return f
}

// update changes what the callbacks have reported, and wakes wait.
func (f *fixture) update(set func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	set()
	close(f.changed)
	f.changed = make(chan struct{})
}

// end ends the browser and returns what Run returned.
func (f *fixture) end() error {
	f.cancel()
	select {
	case err := <-f.ended:
		return err
	case <-time.After(hangs):
		return errors.New("it did not end")
	}
}

// wait waits until ok returns true; it calls ok after every callback. The
// deadline is reached only in a test that fails.
func (f *fixture) wait(t *testing.T, what string, ok func() bool) {
	t.Helper()
	deadline := time.After(hangs)
	for {
		f.mu.Lock()
		changed, done := f.changed, ok()
		f.mu.Unlock()
		if done {
			return
		}
		select {
		case <-changed:
		case err := <-f.ended:
			f.ended <- err
			t.Fatalf("the browser ended while waiting for %s: %v", what, err)
		case <-deadline:
			f.mu.Lock()
			state := fmt.Sprintf("tabs %+v, panel %v, notices %v", f.tabs, f.panel, f.notices)
			f.mu.Unlock()
			t.Fatalf("waited too long for %s; %s", what, state)
		}
	}
}

// awaitWorker waits until the extension's worker has reported. The panel may open
// before that, and no callback says so.
func (f *fixture) awaitWorker(t *testing.T) {
	t.Helper()
	err := f.Browser.tabs.Await(deadline(t), func() bool { r, err := f.running(); return err == nil && r.worker() != nil })
	if err != nil {
		t.Fatalf("waiting for the worker: %v", err)
	}
}

// first returns the first tab.
func (f *fixture) first(t *testing.T) protocol.TabID {
	t.Helper()
	tabs := f.Tabs()
	if len(tabs) == 0 {
		t.Fatal("there is no tab")
	}
	return tabs[0].ID
}

// deadline returns a context that ends a test that hangs.
func deadline(t *testing.T) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), hangs)
	t.Cleanup(cancel)
	return ctx
}

// serve runs a server until the test ends. Its end does not wait for requests of pages
// that a shared browser still shows.
func serve(t *testing.T, handler http.Handler) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(handler)
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// site serves the small web site of the tests.
func site(t *testing.T) *httptest.Server {
	t.Helper()
	pages := map[string]string{
		"/one":   "<title>One</title><h1>First page</h1><p>Hello</p>",
		"/two":   "<title>Two</title><h1>Second page</h1>",
		"/blue":  "<title>Blue</title><body style='margin:0;background:#0000ff;height:3000px'>blue</body>",
		"/hang":  "<title>Hang</title><p>busy</p>",
		"/alert": "<title>Alert</title><script>setTimeout(() => alert('who are you'), 0)</script>",
	}
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		body, ok := pages[r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, "<!doctype html>", body)
	})
	mux.HandleFunc("/redirect", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Location", r.URL.Query().Get("to"))
		w.WriteHeader(http.StatusFound)
	})
	mux.HandleFunc("/slow", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprint(w, "<!doctype html><title>Slow</title><p>soon<img src=/never>")
	})
	mux.HandleFunc("/never", func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	mux.HandleFunc("/nothing", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("/file", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=a.bin")
		fmt.Fprint(w, "data")
	})
	s := serve(t, mux)
	return s
}

// code returns the code of a protocol error.
func code(err error) protocol.Code {
	if err == nil {
		return ""
	}
	return protocol.AsError(err).Code
}
