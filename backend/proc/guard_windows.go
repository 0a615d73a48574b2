package proc

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"unsafe"

	"golang.org/x/sys/windows"
)

// Guard has nothing to do here: the kernel ends the jobs of a program that died.
type Guard struct{}

// StartGuard returns a guard without a process.
func StartGuard(context.Context, GuardConfig) (*Guard, error) { return &Guard{}, nil }

// Close does nothing.
func (*Guard) Close() {}

// PID returns 0: there is no process.
func (*Guard) PID() int { return 0 }

// RunGuard refuses: nothing starts a guard here.
func RunGuard(io.Reader, io.WriteCloser) error {
	return fmt.Errorf("running a guard: %w", errors.ErrUnsupported)
}

// Reap has nothing to end: no process of an earlier run is left.
func Reap(context.Context, string) error { return nil }

// Adopt runs a program until it ends and returns its exit code. What it leaves behind is
// in the same job.
func Adopt(path string, args []string) (int, error) {
	cmd := exec.Command(path, args...) //nolint:noctx // it lives as long as this process
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return exit.ExitCode(), nil
	}
	if err != nil {
		return 0, fmt.Errorf("starting %s: %w", path, err)
	}
	return 0, nil
}

// SetNotDumpable does nothing: a program of the same user can read this one's memory, and
// only another user's account would keep it out.
func SetNotDumpable() error { return nil }

// CheckDescriptors returns nil: handles are limited by memory only.
func CheckDescriptors() error { return nil }

// Parent returns the process id of a process's parent.
func Parent(pid int) (int, error) {
	all, err := windows.CreateToolhelp32Snapshot(windows.TH32CS_SNAPPROCESS, 0)
	if err != nil {
		return 0, fmt.Errorf("listing processes: %w", err)
	}
	defer func() { _ = windows.CloseHandle(all) }()
	entry := windows.ProcessEntry32{Size: uint32(unsafe.Sizeof(windows.ProcessEntry32{}))}
	for err = windows.Process32First(all, &entry); err == nil; err = windows.Process32Next(all, &entry) {
		if int(entry.ProcessID) == pid {
			return int(entry.ParentProcessID), nil
		}
	}
	return 0, fmt.Errorf("looking at process %d: %w", pid, err)
}
