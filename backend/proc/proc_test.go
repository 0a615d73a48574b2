//go:build linux

package proc

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"
	"go.uber.org/goleak"
	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// roleEnv makes the test binary act as one of the programs that the tests need.
const roleEnv = "PROC_TEST_ROLE"

func TestMain(m *testing.M) {
	switch os.Getenv(roleEnv) {
	case "":
	case "owner":
		owner()
		return
	case "adopt":
		code, err := Adopt("/bin/sh", os.Args[1:])
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 99
		}
		os.Exit(code)
	case "dumpable":
		dumpable()
		return
	}
	if len(os.Args) == 2 && os.Args[1] == "guard" {
		if err := RunGuard(os.Stdin, os.Stdout); err != nil {
			os.Exit(1)
		}
		return
	}
	goleak.VerifyTestMain(m)
}

func testLogger(t *testing.T) *slog.Logger {
	t.Helper()
	return slog.New(slog.NewTextHandler(t.Output(), nil))
}

// script starts a shell script and returns its process and its output.
func script(t *testing.T, c Config, text string) (*Process, *bufio.Reader) {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	c.Path, c.Args = "/bin/bash", []string{"-c", text}
	c.Env = append(c.Env, "PATH="+os.Getenv("PATH"))
	c.Stdout = w
	c.Logger = testLogger(t)
	p, err := Start(t.Context(), c)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.Stop("the test ended"); err != nil {
			t.Error(err)
		}
	})
	return p, bufio.NewReader(r)
}

func readPID(t *testing.T, r *bufio.Reader) *handle {
	t.Helper()
	line, err := r.ReadString('\n')
	if err != nil {
		t.Fatalf("reading a pid: %v", err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		t.Fatal(err)
	}
	return grab(t, pid)
}

func grab(t *testing.T, pid int) *handle {
	t.Helper()
	start, err := startTime(pid)
	if err != nil {
		t.Fatal(err)
	}
	h, err := openHandle(pid, start)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(h.close)
	return h
}

// patience is when a test gives up. It is longer than the promised 5 s, which
// TestLadderIsShort checks, because a slow machine must not fail the tests.
const patience = 3 * time.Minute

func TestLadderIsShort(t *testing.T) {
	if sum := protocol.StopHangupWait + protocol.StopTerminateWait + stopKillWait; sum >= 5*time.Second {
		t.Errorf("the ladder takes %v", sum)
	}
}

func mustEnd(t *testing.T, handles ...*handle) {
	t.Helper()
	m := make(map[int]*handle)
	for _, h := range handles {
		m[h.pid] = h
	}
	waitHandles(m, patience)
	for _, h := range handles {
		if !h.ended() {
			t.Errorf("process %d is still there", h.pid)
		}
	}
}

func TestExitCodeAndSignal(t *testing.T) {
	p, _ := script(t, Config{}, "exit 7")
	<-p.Done()
	if got := p.Exit(); got != (protocol.Exit{Code: 7}) {
		t.Errorf("exit = %+v", got)
	}
	p, r := script(t, Config{}, "echo $$; exec sleep 988")
	h := readPID(t, r)
	if err := h.signal(unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Exited()
	if got := p.Exit(); got != (protocol.Exit{Code: -1, Signal: "SIGKILL"}) {
		t.Errorf("exit = %+v", got)
	}
}

func TestStopIsQuickForAProgramThatListens(t *testing.T) {
	// This must also work where the tests were started with SIGHUP ignored, as nohup
	// does: an ignored signal is inherited, but a caught one is not.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, unix.SIGHUP)
	defer signal.Stop(caught)
	p, r := script(t, Config{}, "echo $$; exec sleep 988")
	h := readPID(t, r)
	if err := p.Stop("closed by you"); err != nil {
		t.Fatal(err)
	}
	if got := p.Exit(); got != (protocol.Exit{Code: -1, Signal: "SIGHUP", Reason: "closed by you"}) {
		t.Errorf("exit = %+v", got)
	}
	mustEnd(t, h)
}

func TestStopEndsWhatIgnoresEverySignal(t *testing.T) {
	p, r := script(t, Config{}, `trap '' HUP TERM INT; echo $$; sleep 988 & echo $!; while :; do wait; done`)
	a, b := readPID(t, r), readPID(t, r)
	errs := make(chan error)
	for range 8 {
		go func() { errs <- p.Stop("several ask at once") }()
	}
	for range 8 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
	if got := p.Exit().Signal; got != "SIGKILL" {
		t.Errorf("ended by %q", got)
	}
	mustEnd(t, a, b)
}

func TestStopEndsDaemons(t *testing.T) {
	p, r := script(t, Config{}, `
		setsid sleep 988 & echo $!
		setsid bash -c 'trap "" HUP TERM; (sleep 988 & echo $!; wait)' &
		wait`)
	a, b := readPID(t, r), readPID(t, r)
	if err := p.Stop("closed by you"); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, a, b)
}

func TestLeaderThatEndsTakesItsDaemonsAlong(t *testing.T) {
	// The leader ends when its input ends: both daemons are known by then.
	in, end, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer end.Close()
	p, r := script(t, Config{Stdin: in}, `setsid sleep 988 & echo $!; trap '' HUP; sleep 988 & echo $!; read -r _; exit 3`)
	in.Close()
	a, b := readPID(t, r), readPID(t, r)
	end.Close()
	<-p.Exited()
	if got := p.Exit(); got != (protocol.Exit{Code: 3}) {
		t.Errorf("exit = %+v", got)
	}
	<-p.Done()
	mustEnd(t, a, b)
}

func TestStopEndsAStoppedProcess(t *testing.T) {
	p, r := script(t, Config{}, `echo $$; kill -STOP $$; sleep 988`)
	h := readPID(t, r)
	if err := p.Stop("closed by you"); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, h)
}

func TestForkStormEnds(t *testing.T) {
	p, r := script(t, Config{}, `trap '' HUP TERM; echo $$
		storm() { trap '' HUP TERM; for i in 1 2 3 4 5 6 7 8 9 10 11 12; do setsid sleep 988 & done; wait; }
		storm & storm & wait`)
	h := readPID(t, r)
	if err := p.Stop("closed by you"); err != nil {
		t.Fatal(err)
	}
	mustEnd(t, h)
	table, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, q := range table {
		if marked(q.pid, p.tree.Mark) {
			t.Errorf("process %d is left", q.pid)
		}
	}
}

func TestNoZombies(t *testing.T) {
	for range 20 {
		p, _ := script(t, Config{}, "sleep 0 & exit 0")
		<-p.Done()
	}
	table, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range table {
		if p.zombie && p.ppid == os.Getpid() {
			t.Errorf("process %d is a zombie", p.pid)
		}
	}
}

func TestContextEndsTheTree(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	p, err := Start(ctx, Config{Path: "/bin/sleep", Args: []string{"988"}})
	if err != nil {
		t.Fatal(err)
	}
	h := grab(t, p.PID())
	cancel()
	<-p.Done()
	mustEnd(t, h)
	if _, err := Start(ctx, Config{Path: "/bin/sleep"}); err == nil {
		t.Error("a process was started after its owner had ended")
	}
}

func TestStartSaysWhatCannotBeStarted(t *testing.T) {
	_, err := Start(t.Context(), Config{Path: "/nonexistent/agent"})
	if err == nil || !strings.Contains(err.Error(), "/nonexistent/agent") {
		t.Errorf("err = %v", err)
	}
}

func TestChildGetsNoOtherDescriptors(t *testing.T) {
	// As a careless library would: a descriptor without O_CLOEXEC.
	fd, err := unix.Open("/dev/null", unix.O_RDONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer unix.Close(fd)
	extra, err := os.Open("/dev/zero")
	if err != nil {
		t.Fatal(err)
	}
	defer extra.Close()
	p, r := script(t, Config{ExtraFiles: []*os.File{extra}}, `for i in {0..99}; do [ -e /proc/$$/fd/$i ] && echo -n "$i "; done; readlink /proc/$$/fd/3`)
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := strings.TrimSpace(string(out)); got != "0 1 2 3 /dev/zero" {
		t.Errorf("the child has %q", got)
	}
}

func TestEnvironmentIsTheGivenOneWithOurMark(t *testing.T) {
	t.Setenv("PROC_TEST_SECRET", "x")
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := Start(t.Context(), Config{Path: "/usr/bin/env", Env: []string{"A=b", protocol.EnvMark + "=theirs"}, Stdout: w})
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	out, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if want := "A=b\n" + protocol.EnvMark + "=" + p.tree.Mark + "\n"; string(out) != want {
		t.Errorf("environment %q, want %q", out, want)
	}
}

func TestTerminalBecomesControlling(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	p, err := Start(t.Context(), Config{
		Path: "/bin/bash",
		Args: []string{"-c", `trap 'echo interrupted; exit 4' INT; test -t 0 -a -t 1 -a -t 2; echo tty $?; : </dev/tty && echo opened; while :; do sleep 0.01; done`},
		Env:  []string{"PATH=" + os.Getenv("PATH")},
		TTY:  slave,
	})
	slave.Close()
	if err != nil {
		t.Fatal(err)
	}
	var seen bytes.Buffer
	buf := make([]byte, 4096)
	for !strings.Contains(seen.String(), "opened") {
		n, err := master.Read(buf)
		if err != nil {
			t.Fatalf("after %q: %v", seen.String(), err)
		}
		seen.Write(buf[:n])
	}
	if !strings.Contains(seen.String(), "tty 0") {
		t.Errorf("no terminal: %q", seen.String())
	}
	if _, err := master.Write([]byte{3}); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	if got := p.Exit(); got.Code != 4 {
		t.Errorf("after Ctrl-C: %+v", got)
	}
}

func TestReusedNumberIsSpared(t *testing.T) {
	stranger, err := Start(t.Context(), Config{Path: "/bin/sleep", Args: []string{"988"}})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = stranger.Stop("the test ended") }()
	h := grab(t, stranger.PID())
	dir := t.TempDir()
	mark := strings.Repeat("a", 32)
	for name, r := range map[string]record{
		"an earlier start": {Mark: mark, PID: h.pid, Start: h.start - 1, Boot: bootID()},
		"another boot":     {Mark: mark, PID: h.pid, Start: h.start, Boot: "before"},
		"no boot":          {Mark: mark, PID: h.pid, Start: h.start},
	} {
		if err := writeRecord(dir, r); err != nil {
			t.Fatal(err)
		}
		if err := Reap(t.Context(), dir); err != nil {
			t.Fatal(err)
		}
		if h.ended() {
			t.Fatalf("%s: the stranger was ended", name)
		}
		if left, _ := os.ReadDir(dir); len(left) != 0 {
			t.Errorf("%s: %d records are left", name, len(left))
		}
	}
	if err := Reap(t.Context(), dir+"/none"); err != nil {
		t.Error(err)
	}
	if err := os.WriteFile(dir+"/"+mark+".json", []byte(`{"mark":"aa`), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Reap(t.Context(), dir); err != nil {
		t.Error(err)
	}
}

// owner is an app: it starts a guard and trees that resist ending, prints their pids,
// and runs until it is killed.
func owner() {
	ctx := context.Background()
	exe, err := os.Executable()
	if err != nil {
		panic(err)
	}
	g, err := StartGuard(ctx, GuardConfig{Exe: exe, Args: []string{"guard"}, Dir: os.Getenv("PROC_TEST_DIR")})
	if err != nil {
		panic(err)
	}
	for _, text := range []string{
		`trap '' HUP TERM INT; echo $$; sleep 988 & echo $!; while :; do wait; done`,
		`echo $$; setsid bash -c 'trap "" HUP TERM; echo $$; while :; do sleep 988; done' & wait`,
	} {
		if _, err := Start(ctx, Config{Path: "/bin/bash", Args: []string{"-c", text}, Env: []string{"PATH=" + os.Getenv("PATH")}, Stdout: os.Stdout, Guard: g}); err != nil {
			panic(err)
		}
	}
	fmt.Println(g.PID())
	select {}
}
