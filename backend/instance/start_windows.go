package instance

import (
	"fmt"

	"golang.org/x/sys/windows"
)

// startTime returns when a process started, in nanoseconds since 1970.
func startTime(pid int) (uint64, error) {
	process, err := windows.OpenProcess(windows.PROCESS_QUERY_LIMITED_INFORMATION, false, uint32(pid))
	if err != nil {
		return 0, fmt.Errorf("reading the start time of process %d: %w", pid, err)
	}
	defer func() { _ = windows.CloseHandle(process) }() // it was only read
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(process, &created, &exited, &kernel, &user); err != nil {
		return 0, fmt.Errorf("reading the start time of process %d: %w", pid, err)
	}
	// A process that has ended is still found while somebody holds a handle of it.
	if exited.Nanoseconds() > created.Nanoseconds() {
		return 0, fmt.Errorf("process %d has ended", pid)
	}
	return uint64(created.Nanoseconds()), nil //nolint:gosec // it is after 1970
}
