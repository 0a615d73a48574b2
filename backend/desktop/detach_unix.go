//go:build unix

package desktop

import (
	"os/exec"
	"syscall"
)

// detach starts the program in a session of its own, so that the end of the app does
// not end the user's file manager.
func detach(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} }
