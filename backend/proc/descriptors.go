//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

const (
	// spareDescriptors is how many descriptors must be free before a program is
	// started. What already runs needs them: for its connections, its files, and to be
	// ended.
	spareDescriptors = 32
	// scanAgain is the pause before the process table is read again after there was no
	// descriptor for it. No event reports that one is free.
	scanAgain = 50 * time.Millisecond
)

// CheckDescriptors returns an error when this process has too few free descriptors to
// start another program.
func CheckDescriptors() error {
	var limit unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return nil //nolint:nilerr // a limit that is not known is not enforced
	}
	used, err := openDescriptors()
	switch {
	case err == nil && uint64(used)+spareDescriptors <= limit.Cur:
		return nil
	case err != nil && !noDescriptor(err):
		return nil // the number is not known
	}
	return protocol.NewError(protocol.CodeBusy,
		fmt.Sprintf("almost all of the %d files that Pilotfish may have open are in use", limit.Cur),
		"close terminals, conversations or sessions that you do not need, or start Pilotfish again with a higher limit (ulimit -n)")
}

// openDescriptors returns how many descriptors this process has.
func openDescriptors() (int, error) {
	dir, err := os.Open("/dev/fd")
	if err != nil {
		return 0, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	return len(names) - 1, err // without dir itself
}

// noDescriptor reports whether err says that no descriptor is free.
func noDescriptor(err error) bool {
	return errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE)
}
