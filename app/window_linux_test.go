package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/app/e2e/desktop"
	"pilotfish/backend/proc/plainuser"
	"pilotfish/backend/protocol"
)

// artifacts is the folder of the screenshots; it is not committed.
const artifacts = "e2e/artifacts"

// theApp is a running app, played by the test binary.
type theApp struct {
	cmd    *exec.Cmd
	orders *json.Encoder
	calls  chan string
	stderr strings.Builder
}

func startApp(ctx context.Context, t *testing.T, d *desktop.Desktop, env []string, args ...string) *theApp {
	t.Helper()
	orders, ordersIn, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	callsOut, calls, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	a := &theApp{orders: json.NewEncoder(ordersIn), calls: make(chan string, 256)}
	a.cmd = exec.CommandContext(ctx, os.Args[0], args...) //nolint:gosec // this very test
	a.cmd.Env = append(d.Env(), partEnv+"=app", dirEnv+"="+t.TempDir(), windowEnv+"="+built(ctx, t, "pilotfish-window", "pilotfish/app/window"))
	a.cmd.Env = append(a.cmd.Env, env...)
	a.cmd.ExtraFiles = []*os.File{orders, calls}
	a.cmd.Stderr = &a.stderr
	if err := a.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_, _ = orders.Close(), calls.Close()
	go func() {
		defer close(a.calls)
		for lines := bufio.NewScanner(callsOut); lines.Scan(); {
			a.calls <- lines.Text()
		}
	}()
	t.Cleanup(func() {
		_ = a.cmd.Process.Kill()
		_ = a.cmd.Wait()
		_, _ = ordersIn.Close(), callsOut.Close()
		if t.Failed() {
			t.Log(a.stderr.String())
		}
	})
	return a
}

// expect waits for a call and ignores those before it.
func (a *theApp) expect(t *testing.T, want string) {
	t.Helper()
	deadline := time.After(patience)
	for {
		select {
		case got, open := <-a.calls:
			if !open {
				t.Fatalf("the app ended before the call %q", want)
			}
			if got == want {
				return
			}
		case <-deadline:
			t.Fatalf("the call %q did not come", want)
		}
	}
}

func (a *theApp) order(t *testing.T, o order) {
	t.Helper()
	if err := a.orders.Encode(o); err != nil {
		t.Fatal(err)
	}
}

// end waits for the end of the app and returns its exit code.
func (a *theApp) end(t *testing.T) int {
	t.Helper()
	err := a.cmd.Wait()
	if _, failed := errors.AsType[*exec.ExitError](err); err != nil && !failed {
		t.Fatal(err)
	}
	return a.cmd.ProcessState.ExitCode()
}

func newDesktop(t *testing.T, cfg desktop.Config) (context.Context, *desktop.Desktop) {
	t.Helper()
	// Not within the time of the test: a busy machine builds for a minute.
	buildTray(t.Context(), t)
	built(t.Context(), t, "pilotfish-window", "pilotfish/app/window")
	ctx, cancel := context.WithTimeout(t.Context(), 4*patience)
	t.Cleanup(cancel)
	cfg.Dir = t.TempDir()
	d, err := desktop.Start(ctx, cfg)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	if err := os.MkdirAll(artifacts, 0o755); err != nil {
		t.Fatal(err)
	}
	return ctx, d
}

// buildTray builds the real tray program.
func buildTray(ctx context.Context, t *testing.T) string {
	t.Helper()
	return built(ctx, t, "pilotfish-tray", "pilotfish/app/tray")
}

// built returns the path of one of our programs, which is built once per test
// run.
func built(ctx context.Context, t *testing.T, name, room string) string {
	t.Helper()
	program := filepath.Join(builtDir(), name)
	if _, err := os.Stat(program); err == nil {
		return program
	}
	if out, err := exec.CommandContext(ctx, "go", "build", "-tags", "desktop,production,webkit2_41", "-o", program, room).CombinedOutput(); err != nil {
		t.Fatalf("building %s: %v\n%s", name, err, out)
	}
	return program
}

// busy is a session with two tabs and an agent that needs the user.
func busy() *protocol.WindowState {
	started := time.Now().Add(-7 * time.Minute)
	s := sessionInfo("default", protocol.SessionRunning, protocol.AgentNeedsYou)
	s.StartedAt = &started
	s.Browser = &protocol.BrowserInfo{Name: "Chromium", Version: "156.0", Path: "/usr/bin/chromium", PID: 4711, Sandbox: true}
	s.Tabs = []protocol.Tab{
		{ID: "t1", Title: "Welcome to Pilotfish", URL: "http://127.0.0.1/welcome", Active: true, Focused: true},
		{ID: "t2", Title: "Release notes", URL: "https://example.test/", Agent: &protocol.TabAgent{Name: "claude", Status: protocol.AgentNeedsYou}},
	}
	return &protocol.WindowState{Sessions: []protocol.SessionInfo{s}}
}

func TestWindowAndTray(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{})
	app := startApp(ctx, t, d, []string{trayEnv + "=" + buildTray(ctx, t)})
	app.expect(t, "tray shown")
	app.expect(t, "page loaded")
	app.order(t, order{State: busy()})
	window, err := d.WaitWindow(ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	item, err := d.WaitItem(ctx, 0)
	if err != nil {
		t.Fatal(err)
	}
	belongsToItsEntry(ctx, t, d, window)

	// The tray shows the same as the window.
	if err := item.Click(ctx, "Release notes — claude needs you"); err != nil {
		t.Fatal(err)
	}
	app.expect(t, "show tab default/t2")
	if err := item.Click(ctx, "Stop session"); err != nil {
		t.Fatal(err)
	}
	app.expect(t, "stop default")
	// The page shows a state that was pushed after it had loaded: the amber of
	// "needs you".
	if err := d.ScreenshotWhen(ctx, filepath.Join(artifacts, "window.png"), amberAbove(700)); err != nil {
		t.Fatal(err)
	}

	// The close button ends the window's program with its WebKit, and the tray
	// starts it again.
	program := child(t, app.cmd.Process.Pid, "pilotfish-windo")
	if program == 0 {
		t.Fatal("the window's program does not run")
	}
	ofWindow := descendants(t, program)
	handle, err := unix.PidfdOpen(program, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CloseWindow(ctx, window); err != nil {
		t.Fatal(err)
	}
	for _, member := range append(ofWindow, handle) {
		waitEnded(t, member)
	}
	if err := d.WaitNoWindow(ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := item.Click(ctx, "Open Pilotfish"); err != nil {
		t.Fatal(err)
	}
	app.expect(t, "page loaded")
	if _, err := d.WaitWindow(ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := item.Click(ctx, "Open logs"); err != nil {
		t.Fatal(err)
	}

	// A tray that dies is started again.
	tray, err := os.FindProcess(item.PID(ctx))
	if err != nil {
		t.Fatal(err)
	}
	if err := tray.Kill(); err != nil {
		t.Fatal(err)
	}
	app.expect(t, "tray starting")
	app.expect(t, "tray shown")
	if item, err = d.WaitOtherItem(ctx, tray.Pid); err != nil {
		t.Fatal(err)
	}

	// Quit ends everything.
	if err := item.Click(ctx, "Quit"); err != nil {
		t.Fatal(err)
	}
	app.expect(t, "ended")
	if code := app.end(t); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
	if err := d.WaitNoItem(ctx); err != nil {
		t.Error(err)
	}
}

// belongsToItsEntry checks that a desktop finds the desktop entry of a window,
// for its icon and its place among the favourites.
func belongsToItsEntry(ctx context.Context, t *testing.T, d *desktop.Desktop, window string) {
	t.Helper()
	entry, err := os.ReadFile("../build/linux/pilotfish.desktop")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(entry), "StartupWMClass=")
	class, _, _ := strings.Cut(after, "\n")
	got, err := d.Command(ctx, "xprop", "-id", window, "WM_CLASS")
	if err != nil {
		t.Fatal(err)
	}
	if want := `WM_CLASS(STRING) = "pilotfish", ` + strconv.Quote(class); got != want {
		t.Errorf("the window has %s, want %s", got, want)
	}
}

// However the app ends, nothing of its interface stays: neither the icon, nor the
// window, nor WebKit's processes.
func TestKilledAppLeavesNothing(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{})
	app := startApp(ctx, t, d, []string{trayEnv + "=" + buildTray(ctx, t)})
	app.expect(t, "tray shown")
	app.expect(t, "page loaded")
	if _, err := d.WaitItem(ctx, 0); err != nil {
		t.Fatal(err)
	}
	family := descendants(t, app.cmd.Process.Pid)
	if len(family) < 4 {
		t.Fatalf("the app has the processes %v, want the tray, the window and two of WebKit", family)
	}
	if err := app.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for _, member := range family {
		waitEnded(t, member)
	}
	if err := d.WaitNoItem(ctx); err != nil {
		t.Error(err)
	}
	if left := d.Windows(ctx, "^Pilotfish$"); len(left) > 0 {
		t.Errorf("there is a window: %v", left)
	}
}

// waitEnded waits until the process of a handle has ended, and closes the handle.
func waitEnded(t *testing.T, handle int) {
	t.Helper()
	// The handle is readable when the process has ended.
	n, err := 0, error(unix.EINTR)
	for errors.Is(err, unix.EINTR) { // a signal to us, such as a child's end
		n, err = unix.Poll([]unix.PollFd{{Fd: int32(handle), Events: unix.POLLIN}}, int(patience.Milliseconds()))
	}
	if err != nil || n == 0 {
		t.Errorf("a process has not ended in %s (%v)", patience, err)
	}
	_ = unix.Close(handle)
}

// below returns the descendants of a process.
func below(t *testing.T, pid int) (pids []int) {
	t.Helper()
	tasks, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range tasks {
		list, err := os.ReadFile(path)
		if err != nil {
			continue // the thread has ended
		}
		for _, field := range strings.Fields(string(list)) {
			child, err := strconv.Atoi(field)
			if err != nil {
				t.Fatal(err)
			}
			pids = append(append(pids, child), below(t, child)...)
		}
	}
	return pids
}

// descendants opens a handle of every process below pid, to wait for its end.
func descendants(t *testing.T, pid int) (handles []int) {
	t.Helper()
	for _, child := range below(t, pid) {
		if handle, err := unix.PidfdOpen(child, 0); err == nil { // an error means that it has ended
			handles = append(handles, handle)
		}
	}
	return handles
}

// child returns a process with this name below another; 0 when there is none.
func child(t *testing.T, pid int, name string) int {
	t.Helper()
	for _, pid := range below(t, pid) {
		if comm, err := os.ReadFile(fmt.Sprintf("/proc/%d/comm", pid)); err == nil && strings.TrimSpace(string(comm)) == name {
			return pid
		}
	}
	return 0
}

func TestWithoutAPlaceForIconsTheWindowStays(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	app := startApp(ctx, t, d, []string{trayEnv + "=" + buildTray(ctx, t)})
	app.expect(t, "tray no_host")
	app.expect(t, "page loaded")
	// When the page's process dies, the page is loaded again, because the window
	// would stay empty. When the window's own program dies, it is started again.
	// The kernel cuts the names to 15 characters.
	for _, name := range []string{"WebKitWebProces", "pilotfish-windo"} {
		pid := child(t, app.cmd.Process.Pid, name)
		if pid == 0 {
			t.Fatalf("there is no process %s", name)
		}
		if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
			t.Fatal(err)
		}
		app.expect(t, "page loaded")
	}
	window, err := d.WaitWindow(ctx, "^Pilotfish$")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.CloseWindow(ctx, window); err != nil {
		t.Fatal(err)
	}
	// A minimised window is still in the list of windows and can be found again.
	if err := d.WaitState(ctx, window, "Iconic"); err != nil {
		t.Fatal(err)
	}
	empty := ""
	app.order(t, order{Show: &empty})
	if err := d.WaitState(ctx, window, "Normal"); err != nil {
		t.Fatal(err)
	}
	if err := app.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := app.end(t); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
}

func TestHiddenStartMakesNoWindowUntilItIsWanted(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	app := startApp(ctx, t, d, nil, "--hidden")
	app.expect(t, "run")
	if found := d.Windows(ctx, "^Pilotfish$"); len(found) > 0 {
		t.Errorf("there is a window: %v", found)
	}
	page := "logs"
	app.order(t, order{Show: &page})
	app.expect(t, "page loaded")
	if _, err := d.WaitWindow(ctx, "^Pilotfish$"); err != nil {
		t.Fatal(err)
	}
	if err := d.ScreenshotWhen(ctx, filepath.Join(artifacts, "window-logs.png"), painted); err != nil {
		t.Fatal(err)
	}
	if err := app.cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if code := app.end(t); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
}

func TestHiddenAppEndsWithoutEverHavingHadAWindow(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	app := startApp(ctx, t, d, nil, "--hidden")
	app.expect(t, "run")
	if err := app.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	if code := app.end(t); code != exitDone {
		t.Errorf("exit code %d, want %d", code, exitDone)
	}
}

func TestAppIsNotDumpable(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	plainuser.Become(t)
	app := startApp(ctx, t, d, nil, "--hidden")
	app.expect(t, "run")
	if plainuser.CanLookInto(app.cmd.Process.Pid) {
		t.Error("a process of the same user may look into the app")
	}
}

// A signal may come while the window is only being made.
func TestSignalDuringTheStart(t *testing.T) {
	ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
	for range 3 {
		app := startApp(ctx, t, d, nil)
		app.expect(t, "run")
		if err := app.cmd.Process.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		if code := app.end(t); code != exitDone {
			t.Errorf("exit code %d, want %d", code, exitDone)
		}
	}
}

func TestStartProblemsAreShownInTheWindow(t *testing.T) {
	for _, broken := range []string{"wiring", "backend"} {
		t.Run(broken, func(t *testing.T) {
			ctx, d := newDesktop(t, desktop.Config{NoPanel: true})
			// Even a start with --hidden must show a problem.
			var args []string
			if broken == "wiring" {
				args = []string{"--hidden"}
			}
			app := startApp(ctx, t, d, []string{brokenEnv + "=" + broken}, args...)
			if _, err := d.WaitWindow(ctx, "^Pilotfish$"); err != nil {
				t.Fatal(err)
			}
			if err := d.ScreenshotWhen(ctx, filepath.Join(artifacts, "problem-"+broken+".png"), reddish); err != nil {
				t.Fatal(err)
			}
			if err := app.cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if code := app.end(t); code != exitDone {
				t.Errorf("exit code %d, want %d", code, exitDone)
			}
		})
	}
}

func TestWithoutADisplayItSaysSoAndEnds(t *testing.T) {
	for _, display := range []string{"", ":4711"} {
		cmd := exec.CommandContext(t.Context(), os.Args[0]) //nolint:gosec // this very test
		cmd.Env = append(os.Environ(), partEnv+"=app", dirEnv+"="+t.TempDir(), "WAYLAND_DISPLAY=", "DISPLAY="+display,
			windowEnv+"="+built(t.Context(), t, "pilotfish-window", "pilotfish/app/window"))
		// The backend of the test needs its two files.
		null, err := os.OpenFile(os.DevNull, os.O_RDWR, 0)
		if err != nil {
			t.Fatal(err)
		}
		cmd.ExtraFiles = []*os.File{null, null}
		out, err := cmd.CombinedOutput()
		_ = null.Close()
		if exit, ok := errors.AsType[*exec.ExitError](err); !ok || exit.ExitCode() != 3 {
			t.Errorf("DISPLAY=%q: ended with %v, want exit code 3\n%s", display, err, out)
		}
		if !strings.Contains(string(out), "there is no display to open a window on") {
			t.Errorf("DISPLAY=%q: it said\n%s", display, out)
		}
	}
}

func TestFlags(t *testing.T) {
	tests := []struct {
		args []string
		code int
		says string
	}{
		{[]string{"--version"}, exitDone, "Pilotfish dev\n"},
		{[]string{"--help"}, exitDone, "start in the tray"},
		{[]string{"--nonsense"}, exitUsage, "flag provided but not defined"},
		{[]string{"tabs"}, exitUsage, "the command line is `pilotfish tabs`"},
	}
	for _, test := range tests {
		var said strings.Builder
		code := run(t.Context(), test.args, console{out: &said, err: &said}, func(context.Context, console) (parts, error) {
			t.Error("it was wired")
			return parts{}, errAlreadyRunning
		})
		if code != test.code || !strings.Contains(said.String(), test.says) {
			t.Errorf("%q: exit code %d, said %q", test.args, code, said.String())
		}
	}
}

func TestAnotherInstanceEndsQuietly(t *testing.T) {
	t.Setenv("DISPLAY", ":0")
	var said strings.Builder
	code := run(t.Context(), nil, console{out: &said, err: &said}, func(context.Context, console) (parts, error) {
		return parts{}, errAlreadyRunning
	})
	if code != exitDone || said.Len() > 0 {
		t.Errorf("exit code %d, said %q", code, said.String())
	}
}

func TestErrorsReachThePageWithCodeHintAndField(t *testing.T) {
	got := formatError(protocol.NewError(protocol.CodeNoBrowser, "no browser was found", "install Chromium"))
	if want := `{"code":"no_browser","message":"no browser was found","hint":"install Chromium"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	got = formatError(errors.New("plain"))
	if want := `{"code":"internal","message":"plain"}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// reddish reports whether the page shows a problem: its notice is the only large
// reddish area.
func reddish(picture image.Image) bool {
	return count(picture, picture.Bounds().Max.Y, func(r, g, b uint32) bool { return r > g+g/20 && r > b+b/20 && r > 0x4000 }) > 5000
}

// amberAbove reports whether something amber is in the upper part of the screen,
// where the desktop's panel with the tray is not.
func amberAbove(y int) func(image.Image) bool {
	return func(picture image.Image) bool {
		return count(picture, y, func(r, g, b uint32) bool { return r > 0x7000 && r > g+g/3 && g > b+b/3 }) > 50
	}
}

// painted reports whether the page is painted: it has a white surface.
func painted(picture image.Image) bool {
	return count(picture, picture.Bounds().Max.Y, func(r, g, b uint32) bool { return r+g+b == 3*0xffff }) > 100_000
}

// count counts the pixels above a line that satisfy is.
func count(picture image.Image, below int, is func(r, g, b uint32) bool) int {
	bounds, n := picture.Bounds(), 0
	for y := bounds.Min.Y; y < below; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			if r, g, b, _ := picture.At(x, y).RGBA(); is(r, g, b) {
				n++
			}
		}
	}
	return n
}
