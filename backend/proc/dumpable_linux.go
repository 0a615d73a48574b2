package proc

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// SetNotDumpable keeps other processes of the same user from tracing this one, and
// from its memory, environment and descriptors below /proc. It also writes no core
// file. What this process starts is dumpable again.
func SetNotDumpable() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("making the process not dumpable: %w", err)
	}
	return nil
}
