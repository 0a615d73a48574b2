package doctor

import (
	"context"
	"os/exec"
	"syscall"
)

// userNamespace tries to create a user namespace, which Chromium's sandbox needs.
func userNamespace(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "/bin/true")
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWUSER}
	return cmd.Run()
}
