//go:build unix

package agent

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup gives the program a session of its own, so that a shell that
// believes itself interactive cannot reach for our terminal, and so that ending
// it ends what it started. It is asked to end and not killed: a profile may hold
// a lock (pyenv's, for one), and with a lock that stays each later shell of the
// person waits. An interactive shell ignores SIGTERM and obeys SIGHUP.
//
// It is asked once more later: a shell that hears it just before it starts a
// program waits for that program, which has heard nothing. Not at once, for a
// second signal would end what the first one's cleaning up has started. over is
// called when the program has ended.
func ownGroup(cmd *exec.Cmd) (over func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	ask := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) }
	again := time.AfterFunc(time.Hour, func() { _ = ask() }) // it may have ended by then
	again.Stop()
	cmd.Cancel = func() error {
		again.Reset(endDelay / 2)
		return ask()
	}
	return func() { again.Stop() }
}

// killGroup ends what did not end when it was asked to.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually nobody is left
	}
}
