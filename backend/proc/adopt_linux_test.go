package proc

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// adopting returns a command that runs a shell script below Adopt.
func adopting(t *testing.T, script string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0], "-c", script) //nolint:gosec // this very test
	cmd.Env = append(os.Environ(), roleEnv+"=adopt")
	return cmd
}

// What a program leaves behind without a trace of where it came from ends with it, also
// when it handles no signals and starts others.
func TestAdoptEndsWhatIsLeftBehind(t *testing.T) {
	for name, daemon := range map[string]string{
		"a daemon":                    `exec sleep 1000`,
		"one that ignores signals":    `trap "" TERM HUP INT; while :; do sleep 1000; done`,
		"one that starts another one": `trap "env -i setsid sleep 1000 & exit" TERM; sleep 1000 & wait`,
	} {
		t.Run(name, func(t *testing.T) {
			cmd := adopting(t, `env -i PATH="$PATH" setsid sh -c 'sh -c "echo \$\$; `+strings.ReplaceAll(strings.ReplaceAll(daemon, `\`, `\\`), `"`, `\"`)+`" & exit' & read -r _; exit 7`)
			in, err := cmd.StdinPipe()
			if err != nil {
				t.Fatal(err)
			}
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			line := make([]byte, 32)
			n, err := out.Read(line)
			if err != nil {
				t.Fatal(err)
			}
			pid, err := strconv.Atoi(strings.TrimSpace(string(line[:n])))
			if err != nil {
				t.Fatal(err)
			}
			if err := unix.Kill(pid, 0); err != nil {
				t.Fatalf("the daemon does not run: %v", err)
			}
			if _, err := in.Write([]byte("\n")); err != nil {
				t.Fatal(err)
			}
			_ = cmd.Wait() // its code is checked below
			if code := cmd.ProcessState.ExitCode(); code != 7 {
				t.Errorf("exit code %d", code)
			}
			if err := unix.Kill(pid, 0); err == nil {
				t.Error("the daemon outlives its program")
			}
			for _, left := range leftBelow(t, cmd.Process.Pid) {
				t.Errorf("process %d is left", left)
			}
		})
	}
}

// leftBelow returns the processes whose group is that of an ended process.
func leftBelow(t *testing.T, parent int) (left []int) {
	t.Helper()
	table, err := processes()
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range table {
		if p.ppid == parent && !p.zombie {
			left = append(left, p.pid)
		}
	}
	return left
}

// A program that a signal ends is reported as a shell reports it.
func TestAdoptOfAKilledProgram(t *testing.T) {
	cmd := adopting(t, "kill -KILL $$")
	_ = cmd.Run() // its code is checked below
	if code := cmd.ProcessState.ExitCode(); code != 128+int(unix.SIGKILL) {
		t.Errorf("exit code %d", code)
	}
}

// The signals of a terminal are for the program, which must not find them ignored.
func TestAdoptPassesOnNoIgnoredSignal(t *testing.T) {
	out, err := adopting(t, `grep SigIgn /proc/self/status`).Output()
	if err != nil {
		t.Fatal(err)
	}
	_, mask, _ := strings.Cut(strings.TrimSpace(string(out)), "\t")
	ignored, err := strconv.ParseUint(mask, 16, 64)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []unix.Signal{unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU} {
		if ignored&(1<<(s-1)) != 0 {
			t.Errorf("%v is ignored", s)
		}
	}
}
