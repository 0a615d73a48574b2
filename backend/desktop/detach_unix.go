//go:build unix

package desktop

import (
	"os/exec"
	"syscall"
)

// detach gives the program a session of its own, so that the end of the app
// does not take the person's file manager along.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
