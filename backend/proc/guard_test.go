//go:build linux

package proc

import (
	"bufio"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// startOwner starts this binary as an app and returns the app, its children and its
// guard.
func startOwner(t *testing.T, dir string) (app *exec.Cmd, children []*handle, guard *handle) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	app = exec.CommandContext(t.Context(), exe)
	app.Env = append(os.Environ(), roleEnv+"=owner", "PROC_TEST_DIR="+dir)
	out, err := app.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := app.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = app.Process.Kill() })
	r := bufio.NewReader(out)
	for range 5 { // four children and the guard, in any order
		h := readPID(t, r)
		cmdline, err := os.ReadFile("/proc/" + strconv.Itoa(h.pid) + "/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(string(cmdline), "\x00guard\x00") {
			guard = h
		} else {
			children = append(children, h)
		}
	}
	if guard == nil || len(children) != 4 {
		t.Fatalf("guard %v, %d children", guard, len(children))
	}
	return app, children, guard
}

func TestGuardEndsEverythingWhenTheAppIsKilled(t *testing.T) {
	app, children, guard := startOwner(t, "")
	session, err := unix.Getsid(guard.pid)
	if err != nil || session != guard.pid {
		t.Errorf("the guard is in session %d, %v", session, err)
	}
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM} {
		if err := guard.signal(s); err != nil {
			t.Fatal(err)
		}
	}
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait()
	mustEnd(t, append(children, guard)...)
}

func TestGuardHoldsOnlyItsPipe(t *testing.T) {
	fd, err := unix.Open("/dev/zero", unix.O_RDONLY, 0) // inheritable, as a careless library would open it
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	g := startGuard(t, "")
	dir := "/proc/" + strconv.Itoa(g.PID())
	entries, err := os.ReadDir(dir + "/fd")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		target, err := os.Readlink(dir + "/fd/" + e.Name())
		if err != nil {
			continue // closed meanwhile
		}
		switch {
		case e.Name() == "0" && strings.HasPrefix(target, "pipe:"):
		case target == "/dev/null":
		case strings.HasPrefix(target, "anon_inode:"): // opened by the Go runtime
		default:
			t.Errorf("descriptor %s is %s", e.Name(), target)
		}
	}
}

func startGuard(t *testing.T, dir string) *Guard {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	g, err := StartGuard(t.Context(), GuardConfig{Exe: exe, Args: []string{"guard"}, Dir: dir, Logger: testLogger(t)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(g.Close)
	return g
}

func TestGuardThatIsKilledIsReplacedAndKnowsEverything(t *testing.T) {
	g := startGuard(t, "")
	p, r := script(t, Config{Guard: g}, `trap '' HUP TERM; echo $$; while :; do sleep 988; done`)
	h := readPID(t, r)
	first := grab(t, g.PID())
	if err := first.signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	// The next process that is started must reach a guard; wait until there is a new
	// one.
	for g.PID() == first.pid {
		waitHandles(map[int]*handle{h.pid: h}, 5*time.Millisecond)
	}
	g.Close() // as if this program had died: the guard ends the running processes
	mustEnd(t, h)
	<-p.Done()
	if got := p.Exit().Signal; got != "SIGKILL" {
		t.Errorf("ended by %q", got)
	}
}

func TestGuardLeavesWhatHasEndedAlone(t *testing.T) {
	g := startGuard(t, "")
	p, _ := script(t, Config{Guard: g}, `exit 0`)
	<-p.Done()
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.live) != 0 {
		t.Errorf("the guard is still to end %v", g.live)
	}
}

func TestReapEndsWhatTheGuardCouldNot(t *testing.T) {
	dir := t.TempDir()
	app, children, guard := startOwner(t, dir)
	if err := guard.signal(unix.SIGSTOP); err != nil { // not even a new guard is started for it
		t.Fatal(err)
	}
	if err := app.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = app.Wait()
	if err := guard.signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	records, err := os.ReadDir(dir)
	if err != nil || len(records) != 2 {
		t.Fatalf("%d records, %v", len(records), err)
	}
	for _, e := range records {
		info, err := e.Info()
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has mode %v, %v", e.Name(), info.Mode(), err)
		}
	}
	if err := Reap(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, children...)
	if left, _ := os.ReadDir(dir); len(left) != 0 {
		t.Errorf("%d records are left", len(left))
	}
}
