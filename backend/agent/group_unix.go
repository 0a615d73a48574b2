//go:build unix

package agent

import (
	"os/exec"
	"syscall"
)

// ownGroup gives the program a session of its own, so that a shell that
// believes itself interactive cannot reach for our terminal, and so that killing
// it kills what it started.
func ownGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
}
