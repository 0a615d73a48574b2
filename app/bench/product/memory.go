package product

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// Resident returns the resident memory of a process, in MB.
func Resident(pid int) (float64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, fmt.Errorf("reading the memory of a process: %w", err)
	}
	for line := range bytes.Lines(status) {
		fields := bytes.Fields(line)
		if len(fields) == 3 && string(fields[0]) == "VmRSS:" {
			kilobytes, err := strconv.ParseFloat(string(fields[1]), 64)
			return kilobytes / 1000, err
		}
	}
	return 0, fmt.Errorf("process %d has no resident memory any more", pid)
}

// ResidentTree returns the resident memory, in MB, of a process with its WebKit
// processes and its children with the given names.
func ResidentTree(pid int, names ...string) (float64, error) {
	total, err := Resident(pid)
	if err != nil {
		return 0, err
	}
	entries, err := os.ReadDir("/proc")
	if err != nil {
		return 0, err
	}
	for _, e := range entries {
		child, err := strconv.Atoi(e.Name())
		if err != nil {
			continue
		}
		stat, err := os.ReadFile(filepath.Join("/proc", e.Name(), "stat"))
		if err != nil {
			continue // the process has ended
		}
		// pid (name) state ppid …; the name is cut to 15 characters.
		name := string(stat[strings.IndexByte(string(stat), '(')+1 : strings.LastIndexByte(string(stat), ')')])
		fields := strings.Fields(string(stat[strings.LastIndexByte(string(stat), ')')+1:]))
		if !strings.HasPrefix(name, "WebKit") && !slices.Contains(names, name) || len(fields) < 2 || fields[1] != strconv.Itoa(pid) {
			continue
		}
		more, err := ResidentTree(child)
		if err != nil {
			return 0, err
		}
		total += more
	}
	return total, nil
}
