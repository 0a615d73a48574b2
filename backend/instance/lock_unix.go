//go:build unix

package instance

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// ErrRunning is returned by Acquire when another instance holds the lock.
var ErrRunning = errors.New("another instance is running")

// Lock is held for as long as the app runs.
type Lock struct{ file *os.File }

// Acquire takes the lock at path, or returns ErrRunning. The kernel gives the
// lock up when the process ends, so a crash leaves none behind.
func Acquire(path string) (*Lock, error) {
	// A symlink planted in the lock's place is refused.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotWritable, fmt.Sprintf("the lock %s cannot be opened (%v)", path, err), "make its folder yours, or set "+protocol.EnvHome+" to another one")
	}
	if err := unix.Flock(int(file.Fd()), unix.LOCK_EX|unix.LOCK_NB); err != nil {
		_ = file.Close() // it was only tried
		if errors.Is(err, unix.EWOULDBLOCK) {
			return nil, ErrRunning
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return &Lock{file: file}, nil
}

// Release gives the lock up. The file stays: removing it would let two others
// lock two files of the same name.
func (l *Lock) Release() error { return l.file.Close() }
