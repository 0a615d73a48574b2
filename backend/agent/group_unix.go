//go:build unix

package agent

import (
	"errors"
	"os/exec"
	"syscall"
)

// ownGroup gives the program a session of its own, so that a shell that
// believes itself interactive cannot reach for our terminal, and so that ending
// it ends what it started. It is asked to end and not killed: a profile may hold
// a lock (pyenv's, for one), and with a lock that stays each later shell of the
// person waits. An interactive shell ignores SIGTERM and obeys SIGHUP.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error {
		return errors.Join(syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP), syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM))
	}
}

// killGroup ends what did not end when it was asked to.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually nobody is left
	}
}
