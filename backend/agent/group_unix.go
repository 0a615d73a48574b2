//go:build unix

package agent

import (
	"os/exec"
	"syscall"
	"time"
)

// ownGroup gives the program a process session of its own. A shell that
// believes itself interactive then cannot access our terminal, and ending the
// group also ends what the shell started. The program is asked to end, and not
// killed at once: a profile may hold a lock (pyenv's, for one), and if the lock
// stays, each later shell of the user waits for it. An interactive shell
// ignores SIGTERM, but ends on SIGHUP.
//
// SIGHUP is sent once more later: a shell that receives it just before it
// starts a program waits for that program, which has received nothing. It is
// not repeated at once, because a second signal would end the cleanup that the
// first one started. The caller calls over when the program has ended.
func ownGroup(cmd *exec.Cmd) (over func()) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	ask := func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGHUP) }
	again := time.AfterFunc(time.Hour, func() { _ = ask() }) // the group may have ended by then
	again.Stop()
	cmd.Cancel = func() error {
		again.Reset(endDelay / 2)
		return ask()
	}
	return func() { again.Stop() }
}

// killGroup kills what did not end when asked to.
func killGroup(cmd *exec.Cmd) {
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // usually no process is left
	}
}
