package client

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"syscall"

	"golang.org/x/sys/windows"
)

// noFollow is nothing here: only this user can make links in the user's AppData folder.
const noFollow = 0

// exe is how the name of a program ends.
const exe = ".exe"

// detach starts the program without this console, so that it does not end with it. The
// pipe to report on is inherited as a handle: exec.Cmd has no ExtraFiles here.
func detach(cmd *exec.Cmd, said *os.File) {
	handle := syscall.Handle(said.Fd())
	_ = windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, windows.HANDLE_FLAG_INHERIT) // without it the start says that the session ended
	cmd.SysProcAttr = &syscall.SysProcAttr{
		CreationFlags:              windows.DETACHED_PROCESS | windows.CREATE_NEW_PROCESS_GROUP,
		AdditionalInheritedHandles: []syscall.Handle{handle},
	}
	cmd.Env = append(cmd.Env, fmt.Sprintf("%s=%d", envReady, handle))
}

func keepFromChildren(handle uintptr) {
	_ = windows.SetHandleInformation(windows.Handle(handle), windows.HANDLE_FLAG_INHERIT, 0) // at worst a child keeps the pipe open, which its reader does not wait for
}

// Become runs a program in the place of this one and exits with its code: Windows cannot
// replace a process. It returns only when the program cannot be started. argv begins
// with the program's name.
func Become(path string, argv, env []string) error {
	// The program receives Ctrl-C as well, and says how it ends.
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(path, argv[1:]...) //nolint:noctx // it lives as long as this process
	cmd.Env = env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		os.Exit(exit.ExitCode())
	}
	if err == nil {
		os.Exit(0)
	}
	return err
}
