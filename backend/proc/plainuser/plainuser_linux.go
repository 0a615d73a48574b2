// Package plainuser makes a test a plain process of its user, also when it runs as
// root: root may look into every process, and so would prove nothing.
package plainuser

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"testing"

	"golang.org/x/sys/unix"
)

// Become takes the capabilities of root from the thread of the calling goroutine, and
// from what it starts. The thread ends with the test.
func Become(t *testing.T) {
	t.Helper()
	runtime.LockOSThread()
	if os.Geteuid() != 0 {
		return
	}
	for c := range unix.CAP_LAST_CAP + 1 {
		if err := unix.Prctl(unix.PR_CAPBSET_DROP, uintptr(c), 0, 0, 0); err != nil && !errors.Is(err, unix.EINVAL) { // one that this kernel lacks
			t.Fatal("dropping capabilities from the bounding set:", err)
		}
	}
	var none [2]unix.CapUserData
	if err := unix.Capset(&unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}, &none[0]); err != nil {
		t.Fatal("dropping the capabilities:", err)
	}
}

// CanLookInto says whether this thread may read a process's environment, which stands
// for its descriptors and its memory: one rule of the kernel is about all of them.
func CanLookInto(pid int) bool {
	_, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	return err == nil
}
