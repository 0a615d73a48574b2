package instance

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
)

// startTime returns when a process started, in clock ticks since boot: field 22 of
// /proc/PID/stat (proc(5)). The program's name, field 2, may contain spaces and
// brackets, so fields are counted from its last bracket.
func startTime(pid int) (uint64, error) {
	data, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, fmt.Errorf("reading the start time of process %d: %w", pid, err)
	}
	const afterName = 22 - 3 // fields 3 and on follow the name
	fields := bytes.Fields(data[bytes.LastIndexByte(data, ')')+1:])
	if len(fields) <= afterName {
		return 0, fmt.Errorf("reading the start time of process %d: only %d fields", pid, len(fields))
	}
	return strconv.ParseUint(string(fields[afterName]), 10, 64)
}
