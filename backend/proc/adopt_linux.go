package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"time"

	"golang.org/x/sys/unix"
)

// adoptedGrace is how long what a program left behind may take to end by itself.
const adoptedGrace = 500 * time.Millisecond

// Adopt runs a program in place of this process: on its terminal, with its standard
// streams and in its process group. A process that the program leaves behind becomes a
// child of this one, whatever it does with its group, session and environment, so that
// it still belongs to the tree; it ends when the program has ended. Adopt returns the
// exit code of a shell: of a signal, 128 and its number.
func Adopt(path string, args []string) (int, error) {
	if err := unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); err != nil {
		return 0, fmt.Errorf("adopting processes: %w", err)
	}
	// They are for the program, which gets them too. To catch them, and not to ignore
	// them, keeps them as they were in the program.
	caught := make(chan os.Signal, 1)
	signal.Notify(caught, unix.SIGHUP, unix.SIGINT, unix.SIGQUIT, unix.SIGTERM, unix.SIGTSTP, unix.SIGTTIN, unix.SIGTTOU)
	program, err := os.StartProcess(path, append([]string{path}, args...), &os.ProcAttr{Env: os.Environ(), Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}}) //nolint:gosec // the app says which
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", path, err)
	}
	for {
		var status unix.WaitStatus
		pid, err := unix.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("waiting for %s: %w", path, err)
		case pid == program.Pid:
			endAdopted()
			if status.Signaled() {
				return 128 + int(status.Signal()), nil
			}
			return status.ExitStatus(), nil
		}
	}
}

// endAdopted ends what is left of the program's descendants. Each that ends may leave
// children, which are adopted then.
func endAdopted() {
	ended := make(chan os.Signal, 1)
	signal.Notify(ended, unix.SIGCHLD)
	defer signal.Stop(ended)
	signalChildren(unix.SIGTERM)
	patience, over := time.NewTimer(adoptedGrace), time.NewTimer(2*adoptedGrace)
	defer patience.Stop()
	defer over.Stop()
	for killing := false; ; {
		if !reap() {
			return
		}
		select {
		case <-ended: // its children are ours by now
		case <-patience.C:
			killing = true
		case <-over.C:
			return // what survives SIGKILL is the app's to report
		}
		if killing {
			signalChildren(unix.SIGKILL)
		}
	}
}

// reap takes the status of every child that has ended, and says whether any is left.
func reap() bool {
	for {
		pid, err := unix.Wait4(-1, nil, unix.WNOHANG, nil)
		switch {
		case errors.Is(err, unix.EINTR) || pid > 0:
		case err != nil: // there is no child
			return false
		default:
			return true
		}
	}
}

func signalChildren(s unix.Signal) {
	table, err := processes()
	if err != nil {
		return // without /proc there is nothing to go by
	}
	self := os.Getpid()
	for _, p := range table {
		if p.ppid == self && !p.zombie {
			_ = unix.Kill(p.pid, s)            // it may have ended
			_ = unix.Kill(p.pid, unix.SIGCONT) // a stopped process handles no signals
		}
	}
}
