package confine

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/creack/pty"

	"pilotfish/backend/protocol"
)

// A machine on which nothing can be confined says why. The tests' machine can: the
// packages that the tests install have bubblewrap.
func TestTry(t *testing.T) {
	if err := Try(t.Context(), os.Args[0]); err != nil {
		t.Fatalf("%v (%s)", err, err.Hint)
	}
	t.Setenv("PATH", t.TempDir())
	err := Try(t.Context(), os.Args[0])
	if err == nil || err.Code != protocol.CodeNotConfined || !strings.Contains(err.Hint, "apt install bubblewrap") {
		t.Errorf("without bubblewrap: %v", err)
	}
}

// Who waits for the answer gets it, or the reason why it waits no longer.
func TestProbe(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	probe := NewProbe()
	if err := probe.Problem(); err != nil {
		t.Errorf("before it is known: %v", err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := probe.Wait(gone); !errors.Is(err, context.Canceled) {
		t.Errorf("given up: %v", err)
	}
	probe.Run(t.Context(), "")
	problem, err := probe.Wait(t.Context())
	if err != nil || problem == nil || probe.Problem() != problem {
		t.Errorf("%v, %v, %v", problem, err, probe.Problem())
	}
}

// fakeBubblewrap makes a script the only program on the PATH.
func fakeBubblewrap(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, bubblewrap), []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
}

// A bubblewrap that fails, as where the kernel forbids namespaces, is reported with
// what it says.
func TestProbeOfABubblewrapThatFails(t *testing.T) {
	fakeBubblewrap(t, "echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n")
	err := Try(t.Context(), os.Args[0])
	if err == nil || !strings.Contains(err.Message, "setting up uid map: Permission denied") || !strings.Contains(err.Hint, "apparmor_restrict_unprivileged_userns") {
		t.Errorf("%v", err)
	}
}

// One that does not answer is no reason to change the kernel's settings.
func TestProbeOfABubblewrapThatHangs(t *testing.T) {
	fakeBubblewrap(t, "read line\n")
	ctx, cancel := context.WithDeadline(t.Context(), time.Now())
	defer cancel()
	err := Try(ctx, os.Args[0])
	if err == nil || !strings.Contains(err.Message, "did not answer") || strings.Contains(err.Hint, "sysctl") {
		t.Errorf("%v", err)
	}
}

// world is a home with Pilotfish's folders in it.
type world struct {
	t                           *testing.T
	state, work, shots, outside string
}

func newWorld(t *testing.T) world {
	t.Helper()
	home := t.TempDir()
	w := world{t, filepath.Join(home, "state"), filepath.Join(home, "state", "sessions", "a", "work"), filepath.Join(home, "state", "sessions", "a", "shots"), filepath.Join(home, "project")}
	for _, dir := range []string{w.work, w.shots, w.outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{filepath.Join(w.state, "pilotfish.json"), filepath.Join(w.shots, "a.png"), filepath.Join(w.outside, "notes")} {
		if err := os.WriteFile(file, []byte("content of "+filepath.Base(file)), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return w
}

// helper is this program, see TestMain.
func helper(t *testing.T) string {
	t.Helper()
	path, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// command is a shell script that runs confined in this world.
func (w world) command(script string, env ...string) *exec.Cmd {
	w.t.Helper()
	p := Wrap(Program{Path: "/bin/bash", Args: []string{"-c", script}, Env: append([]string{"PATH=" + os.Getenv("PATH"), "STATE=" + w.state, "WORK=" + w.work, "SHOTS=" + w.shots, "PROJECT=" + w.outside}, env...), Dir: w.work},
		Folders{Hidden: []string{w.state, filepath.Join(w.state, "not-there")}, Writable: []string{w.work}, ReadOnly: []string{w.shots}, Helper: helper(w.t)})
	cmd := exec.CommandContext(w.t.Context(), p.Path, p.Args...)
	cmd.Env, cmd.Dir = p.Env, p.Dir
	return cmd
}

// run returns what a script prints.
func (w world) run(script string, env ...string) string {
	w.t.Helper()
	out, err := w.command(script, env...).CombinedOutput()
	if err != nil {
		w.t.Fatalf("%s: %v: %s", script, err, out)
	}
	return strings.TrimSpace(string(out))
}

// What a confined program sees of files: nothing of Pilotfish but what it is given.
func TestFiles(t *testing.T) {
	w := newWorld(t)
	if got := w.run(`ls -A "$STATE" "$STATE/sessions/a"; cat "$STATE/pilotfish.json" 2>&1; true`); strings.Contains(got, "content of") || strings.Contains(got, "pilotfish.json\n") {
		t.Errorf("the state folder has %s", got)
	}
	if got := w.run(`pwd; cat "$SHOTS/a.png"; echo; cat "$PROJECT/notes"`); got != w.work+"\ncontent of a.png\ncontent of notes" {
		t.Errorf("what it is given: %s", got)
	}
	w.run(`echo mine > "$WORK/mine"; echo mine > "$PROJECT/mine"; echo lost > "$STATE/pilotfish.json"`)
	for _, path := range []string{filepath.Join(w.work, "mine"), filepath.Join(w.outside, "mine")} {
		if data, err := os.ReadFile(path); err != nil || string(data) != "mine\n" {
			t.Errorf("%s has %q, %v", path, data, err)
		}
	}
	if data, err := os.ReadFile(filepath.Join(w.state, "pilotfish.json")); err != nil || string(data) != "content of pilotfish.json" {
		t.Errorf("the state became %q, %v", data, err)
	}
	if got := w.run(`(echo x > "$SHOTS/a.png") 2>/dev/null || echo refused`); got != "refused" {
		t.Errorf("writing a screenshot: %s", got)
	}
	// The ways around a mount: to take it away, or to mount the root anew.
	if got := w.run(`umount "$STATE" 2>/dev/null; mount --bind / /mnt 2>/dev/null; unshare -rm sh -c 'umount "$STATE"' 2>/dev/null; cat "$STATE/pilotfish.json" "/mnt$STATE/pilotfish.json" 2>/dev/null; ls /proc/1/root"$STATE" 2>/dev/null; true`); strings.Contains(got, "content of") {
		t.Errorf("after trying to undo the mount: %s", got)
	}
}

// What a confined program sees of processes: its own.
func TestProcesses(t *testing.T) {
	w := newWorld(t)
	other := exec.CommandContext(t.Context(), "sleep", "1000")
	other.Env = []string{"SECRET=of another process"}
	if err := other.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = other.Process.Kill(); _ = other.Wait() }()
	if got := w.run(`cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep SECRET; cat /proc/[0-9]*/cmdline | tr '\0' ' ' | grep -c '[s]leep 1000'; true`); got != "0" {
		t.Errorf("it sees %s", got)
	}
	// A signal to everybody reaches the program itself, and nobody outside.
	_ = w.command(`trap '' TERM; kill -TERM -1; true`).Run() // how it ends is not the question
	if state, err := os.ReadFile("/proc/" + itoa(other.Process.Pid) + "/stat"); err != nil || bytes.Contains(state, []byte(") Z ")) {
		t.Errorf("the other process is gone: %s, %v", state, err)
	}
}

// The desktop's services act as the user: neither their addresses nor their sockets
// are there. The agent that holds the user's keys is.
func TestDesktop(t *testing.T) {
	w := newWorld(t)
	env := []string{"DISPLAY=:7", "XAUTHORITY=/home/x", "DBUS_SESSION_BUS_ADDRESS=unix:path=/run/x", "WAYLAND_DISPLAY=wayland-0", "SSH_AUTH_SOCK=" + filepath.Join(w.outside, "ssh"), "EDITOR=vi"}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(w.outside, "ssh"))
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if got := w.run(`env | grep -E '^(DISPLAY|XAUTHORITY|DBUS|WAYLAND|EDITOR|PILOTFISH_CONFINED)' | sort; [ -S "$SSH_AUTH_SOCK" ] && echo keys`, env...); got != "EDITOR=vi\nPILOTFISH_CONFINED=1\nkeys" {
		t.Errorf("its environment has %s", got)
	}
	if got := w.run(`ls -A /tmp/.X11-unix /run/dbus 2>/dev/null | grep -v : ; true`); got != "" {
		t.Errorf("it reaches %s", got)
	}
	args := Wrap(Program{Path: "/bin/true", Env: []string{"SSH_AUTH_SOCK=/run/user/" + itoa(os.Getuid()) + "/keyring/ssh"}, Dir: "/"}, Folders{}).Args
	if !slices.Contains(args, "/run/user/"+itoa(os.Getuid())+"/keyring/ssh") {
		t.Errorf("the ssh agent of the desktop is not bound: %q", args)
	}
}

// Loopback, exit codes and the standard streams are as without confinement.
func TestTheRestIsAsBefore(t *testing.T) {
	w := newWorld(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	go func() {
		if conn, err := listener.Accept(); err == nil {
			_, _ = conn.Write([]byte("hello\n"))
			_ = conn.Close()
		}
	}()
	_, port, _ := net.SplitHostPort(listener.Addr().String())
	if got := w.run(`cat < /dev/tcp/127.0.0.1/` + port); got != "hello" {
		t.Errorf("loopback says %q", got)
	}
	cmd := w.command(`cat; echo err >&2; exit 7`)
	cmd.Stdin = strings.NewReader("in")
	var out, failed strings.Builder
	cmd.Stdout, cmd.Stderr = &out, &failed
	if err := cmd.Run(); cmd.ProcessState.ExitCode() != 7 || out.String() != "in" || failed.String() != "err\n" {
		t.Errorf("%v, %q, %q", err, out.String(), failed.String())
	}
	if got := w.run(`touch /tmp/pilotfish-$$ && rm /tmp/pilotfish-$$ && echo "$(echo x | tee /dev/null)" && bash -c 'exit 0' && echo nested`); got != "x\nnested" {
		t.Errorf("/tmp, /dev and subprocesses: %s", got)
	}
}

// A confined shell in a terminal has job control: a job is stopped, continued and
// interrupted, and hears of a new size.
func TestJobControl(t *testing.T) {
	w := newWorld(t)
	cmd := w.command(`exec bash --norc --noprofile -i`, "TERM=dumb", "HISTFILE=")
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	screen := &expecter{t: t, from: terminal}
	const prompt = "bash-"
	screen.send("", prompt)
	screen.send("sh -c 'echo star''ted; exec sed -u s/i/o/'\n", "started")
	screen.send("\x1a", "Stopped", prompt)
	screen.send("jobs\n", "Stopped", prompt)
	screen.send("fg\nping\n", "pong")
	screen.send("\x03", "^C", prompt)
	if err := pty.Setsize(terminal, &pty.Winsize{Rows: 30, Cols: 99}); err != nil {
		t.Fatal(err)
	}
	screen.send("stty size\n", "30 99", prompt)
	screen.send("tty\n", "/dev/console", prompt) // no other terminal is there
	screen.send("exit 3\n", "exit")
	_, _ = io.Copy(io.Discard, terminal) // the shell waits until what it says was read
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("it ended with %v", err)
	}
}

// A program can confine its own children, as the sandboxes of agents do.
func TestNestedSandbox(t *testing.T) {
	w := newWorld(t)
	proc := "--proc /proc"
	if os.Getuid() == 0 {
		proc = "" // with /proc/sys read-only, the kernel gives a namespace below no /proc of its own
	}
	if got := w.run(`bwrap --ro-bind / / --dev /dev --unshare-all ` + proc + ` sh -c 'echo $$; cat "$STATE/pilotfish.json" 2>/dev/null; true'`); got != "2" {
		t.Errorf("nested: %s", got)
	}
}

func itoa(n int) string { return strconv.Itoa(n) }

// expecter reads from a terminal until it has said what is expected.
type expecter struct {
	t    *testing.T
	from *os.File
	seen []byte // what was read and not yet expected
}

// send types text and returns when the terminal has said each of wants after it, in
// their order.
func (e *expecter) send(text string, wants ...string) {
	e.t.Helper()
	if _, err := e.from.WriteString(text); err != nil {
		e.t.Fatal(err)
	}
	buf := make([]byte, 4096)
	for _, want := range wants {
		at := bytes.Index(e.seen, []byte(want))
		for ; at < 0; at = bytes.Index(e.seen, []byte(want)) {
			n, err := e.from.Read(buf)
			if err != nil {
				e.t.Fatalf("%q was not answered by %q but by %q: %v", text, want, e.seen, err)
			}
			e.seen = append(e.seen, buf[:n]...)
		}
		e.seen = e.seen[at+len(want):]
	}
}

// Nobody puts another folder in the place of a hidden one: the folders around it cannot be
// renamed or mounted over, and the next program sees nothing either.
func TestFoldersAroundStay(t *testing.T) {
	w := newWorld(t)
	home := filepath.Dir(w.state)
	for _, attempt := range []string{
		`mv "$STATE" "$STATE.old"`, `mv "$UP" "$UP.old" && mkdir -p "$STATE"`, `mv "$(dirname "$UP")" "$UP.old"`, `rm -rf "$UP/project"; rmdir "$UP"`,
		`umount -l "$UP" && mv "$UP" "$UP.old"`, `unshare -rm mv "$UP" "$UP.old"`, `python3 -c 'import os; os.rename(os.environ["UP"], os.environ["UP"] + ".old")'`,
	} {
		_ = w.command(attempt, "UP="+home).Run() // it may fail in any way
		if data, err := os.ReadFile(filepath.Join(w.state, "pilotfish.json")); err != nil || string(data) != "content of pilotfish.json" {
			t.Fatalf("after %s: the state is %q, %v", attempt, data, err)
		}
	}
	if got := w.run(`cat "$STATE/pilotfish.json" "$STATE.old/pilotfish.json" "$UP.old/state/pilotfish.json" 2>/dev/null; true`, "UP="+home); got != "" {
		t.Errorf("the next program sees %s", got)
	}
}

// A confined program reaches no abstract socket of another program, and still those of its
// own children.
func TestAbstractSockets(t *testing.T) {
	if gap := DesktopGap(helper(t)); gap != nil {
		t.Skip(gap.Message)
	}
	if gap := DesktopGap(""); gap == nil || gap.Code != protocol.CodeNotConfined {
		t.Errorf("without the program that closes them: %v", gap)
	}
	w := newWorld(t)
	listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", "@"+rand.Text())
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	const script = `import os, socket
def reached(name):
    try:
        socket.socket(socket.AF_UNIX).connect(name)
        return "reached"
    except PermissionError:
        return "refused"
print(reached(b"\0" + os.environ["NAME"].encode()))
own = socket.socket(socket.AF_UNIX)
own.bind(b"\0own" + os.environ["NAME"].encode())
own.listen()
print(reached(b"\0own" + os.environ["NAME"].encode()))`
	got := w.run(`python3 -c "$SCRIPT"; unshare -rm python3 -c "$SCRIPT"`, "SCRIPT="+script, "NAME="+strings.TrimPrefix(listener.Addr().String(), "@"))
	if got != "refused\nreached\nrefused\nreached" {
		t.Errorf("%s", got)
	}
}

// A confined program puts no text into the input of the terminal that it shares with the
// shell that has started it.
func TestTerminalInput(t *testing.T) {
	w := newWorld(t)
	cmd := w.command(`python3 -c "import fcntl, termios
for request in termios.TIOCSTI, 0x541c:
    try:
        fcntl.ioctl(0, request, b'x')
        print('typed')
    except PermissionError:
        print('refused')
"; stty size`)
	terminal, err := pty.StartWithSize(cmd, &pty.Winsize{Rows: 24, Cols: 80})
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	(&expecter{t: t, from: terminal}).send("", "refused", "refused", "24 80")
	if err := cmd.Wait(); err != nil {
		t.Error(err)
	}
}

// Shared memory, control groups and the programs of the app are out of reach.
func TestTheRestOfTheMachine(t *testing.T) {
	w := newWorld(t)
	programs := filepath.Join(w.outside, "bin")
	if err := os.Mkdir(programs, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Link(helper(t), filepath.Join(programs, "pilotfish")); err != nil {
		t.Fatal(err)
	}
	folders := Folders{Helper: filepath.Join(programs, "pilotfish")}
	shared, err := os.CreateTemp("/dev/shm", "pilotfish-test-*")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Remove(shared.Name()) }()
	for _, attempt := range []string{
		`mv "$BIN/pilotfish" "$BIN/x"`, `rm -f "$BIN/pilotfish"`, `echo >"$BIN/pilotfish"`, `mv "$BIN" "$BIN.x"`, `mv "$(dirname "$BIN")" "$BIN.x"`,
		`test -e "$SHARED"`, `ipcmk -M 64 >/dev/null && [ "$(wc -l </proc/sysvipc/shm)" -gt 2 ]`,
		`for f in $(find /sys/fs/cgroup -name cgroup.procs); do (exec 9>>"$f") 2>/dev/null && exit 0; done; exit 1`,
		`(exec 9>/sys/kernel/mm/transparent_hugepage/enabled)`,
	} {
		p := Wrap(Program{Path: "/bin/bash", Args: []string{"-c", attempt}, Env: append(os.Environ(), "BIN="+programs, "SHARED="+shared.Name()), Dir: "/"}, folders)
		cmd := exec.CommandContext(t.Context(), p.Path, p.Args...)
		cmd.Env = p.Env
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("%s succeeded: %s", attempt, out)
		}
	}
	if got := w.run(`echo x >"$PROJECT/bin/other" && touch /dev/shm/own && rm /dev/shm/own && echo fine`); got != "fine" {
		t.Errorf("what it may do: %s", got)
	}
}

// A runtime folder outside of /run/user is hidden like that one, but for the user's keys;
// what contains the program's own files is not.
func TestRuntimeFolder(t *testing.T) {
	w := newWorld(t)
	dir := filepath.Join(w.outside, "run")
	if err := os.MkdirAll(filepath.Join(dir, "gnupg"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"wayland-0", "keys"} {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() }) // nobody was served
	}
	if got := w.run(`ls "$XDG_RUNTIME_DIR"`, "XDG_RUNTIME_DIR="+dir, "SSH_AUTH_SOCK="+filepath.Join(dir, "keys"), "HOME=/nowhere"); got != "gnupg\nkeys" {
		t.Errorf("it sees %q", got)
	}
	if got := w.run(`ls "$XDG_RUNTIME_DIR" | wc -l`, "XDG_RUNTIME_DIR="+w.outside, "HOME="+filepath.Join(w.outside, "home")); got == "0" {
		t.Error("its home is hidden")
	}
}

// A confined program reaches no terminal but its own, and can make new ones.
func TestOtherTerminals(t *testing.T) {
	w := newWorld(t)
	other, name, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	defer name.Close()
	if got := w.run(`ls /dev/pts; (echo forged > "$OTHER") 2>/dev/null && echo written; true`, "OTHER="+name.Name()); got != "ptmx" {
		t.Errorf("it sees %q", got)
	}
	if got := w.run(`script -qec 'tty' /dev/null < /dev/null`); !strings.Contains(got, "/dev/pts/") {
		t.Errorf("a terminal of its own: %q", got)
	}
}

// The files that lead to the desktop cannot be read, wherever the desktop has put them.
func TestDesktopFiles(t *testing.T) {
	w := newWorld(t)
	keys, home := filepath.Join(w.outside, "keys"), filepath.Join(w.outside, ".Xauthority")
	for _, path := range []string{keys, home} {
		if err := os.WriteFile(path, []byte("cookie"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	bus, err := new(net.ListenConfig).Listen(t.Context(), "unix", filepath.Join(w.outside, "a bus"))
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	address := "unix:abstract=/x,guid=1;unix:path=" + strings.ReplaceAll(filepath.Join(w.outside, "a bus"), " ", "%20") + ",guid=2"
	got := w.run(`cat "$PROJECT/keys" "$PROJECT/.Xauthority" 2>/dev/null; [ -S "$PROJECT/a bus" ] && echo bus; true`, "XAUTHORITY="+keys, "HOME="+w.outside, "DBUS_SESSION_BUS_ADDRESS="+address)
	if got != "" {
		t.Errorf("it reaches %s", got)
	}
}

// A message bus that the environment does not name is found by its socket.
func TestOtherBuses(t *testing.T) {
	dir, err := os.MkdirTemp("", "pf") //nolint:usetesting // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	var all []string
	for _, name := range []string{"dbus-x Y", "other"} {
		path := filepath.Join(dir, name)
		listener, err := net.Listen("unix", path) //nolint:noctx // it ends with the test
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = listener.Close() })
		all = append(all, path)
	}
	if found := otherBuses(); !slices.Contains(found, all[0]) || slices.Contains(found, all[1]) {
		t.Errorf("of %q there are %q", all, found)
	}
}
