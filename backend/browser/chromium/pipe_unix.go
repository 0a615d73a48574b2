//go:build unix

package chromium

import (
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// pipe returns our end and the browser's end of one direction. It is a pair of sockets
// and no pipe: any process of the same user could open a pipe again through
// /proc/PID/fd, and a socket it cannot. It carries both ways, so that it does not matter who writes.
func pipe(bool) (ours, theirs *os.File, err error) {
	// macOS has no SOCK_CLOEXEC, so that nothing may fork in between.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("making the browser's pipe: %w", err)
	}
	unix.CloseOnExec(pair[0])
	unix.CloseOnExec(pair[1])
	// A descriptor that does not block is read without a thread of its own.
	if err := unix.SetNonblock(pair[0], true); err != nil {
		_, _ = unix.Close(pair[0]), unix.Close(pair[1])
		return nil, nil, fmt.Errorf("making the browser's pipe: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "browser pipe"), os.NewFile(uintptr(pair[1]), "browser pipe"), nil
}

// pipeFlags are none: the browser takes the descriptors 3 and 4.
func pipeFlags(_, _ *os.File) []string { return nil }
