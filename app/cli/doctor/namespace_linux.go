package doctor

import (
	"context"
	"os/exec"
	"syscall"
)

// userNamespace tries what Chromium's sandbox is made of.
func userNamespace(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}
