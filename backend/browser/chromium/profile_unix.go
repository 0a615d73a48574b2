//go:build unix

package chromium

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"

	"pilotfish/backend/protocol"
)

// free returns an error when a profile's folder belongs to another user, or when a
// running browser uses it.
func free(info fs.FileInfo, dir string) error {
	if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
		return protocol.NewError(protocol.CodeNotWritable, dir+" belongs to another user", "choose another profile folder in Settings")
	}
	target, err := os.Readlink(filepath.Join(dir, "SingletonLock"))
	if err != nil {
		return nil //nolint:nilerr // no lock: nobody has the profile
	}
	// The link's target is "host-pid"; host names can contain dashes, too.
	i := strings.LastIndexByte(target, '-')
	if i < 0 {
		return nil
	}
	pid, err := strconv.Atoi(target[i+1:])
	if err != nil || pid <= 0 {
		return nil //nolint:nilerr // not Chromium's form: Chromium replaces it
	}
	host, err := os.Hostname()
	if err != nil || host != target[:i] || !livesAsBrowser(pid) {
		return nil //nolint:nilerr // of another machine, or of a dead process
	}
	return protocol.NewError(protocol.CodeProfileInUse, fmt.Sprintf("another browser (process %d) uses the profile %s", pid, dir),
		"close that browser, or choose another profile folder in Settings")
}

// livesAsBrowser reports whether a pid is a running browser. A pid that now
// belongs to another program does not hold the profile. Where there is no /proc,
// any running process counts.
func livesAsBrowser(pid int) bool {
	if err := syscall.Kill(pid, 0); err != nil && !errors.Is(err, syscall.EPERM) {
		return false
	}
	cmdline, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "cmdline"))
	if err != nil {
		return runtime.GOOS != "linux"
	}
	return strings.Contains(string(cmdline), "--user-data-dir") || strings.Contains(strings.ToLower(string(cmdline)), "chrom")
}
