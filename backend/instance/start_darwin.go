package instance

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// startTime returns when a process started, in microseconds since 1970.
func startTime(pid int) (uint64, error) {
	info, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, fmt.Errorf("reading the start time of process %d: %w", pid, err)
	}
	start := info.Proc.P_starttime
	return uint64(start.Sec)*1e6 + uint64(start.Usec), nil //nolint:gosec // both are positive
}
