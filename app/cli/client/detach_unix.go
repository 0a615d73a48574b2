//go:build unix

package client

import (
	"fmt"
	"os"
	"os/exec"
	"syscall"

	"golang.org/x/sys/unix"
)

// noFollow refuses a symlink in the place of the log.
const noFollow = unix.O_NOFOLLOW

// exe is how the name of a program ends.
const exe = ""

// detach gives the program a process session of its own, so that it does not end with
// this shell, and the pipe to report on: the first descriptor after the standard ones.
func detach(cmd *exec.Cmd, said *os.File) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", envReady, 3+len(cmd.ExtraFiles)))
	cmd.ExtraFiles = append(cmd.ExtraFiles, said)
}

func keepFromChildren(fd uintptr) { syscall.CloseOnExec(int(fd)) }

// Become replaces this process by a program. It returns only when that fails. argv
// begins with the program's name.
func Become(path string, argv, env []string) error {
	return unix.Exec(path, argv, env)
}
