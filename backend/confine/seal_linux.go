package confine

import (
	"errors"
	"fmt"
	"math"
	"os"
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// landlockScopes is the first version of Landlock that can close abstract sockets (Linux
// 6.12).
const landlockScopes = 6

// Seal replaces this process by a program that reaches no abstract socket of a program
// outside of its confinement, such as that of X or of a message bus, that has no open
// files but its standard streams, and that puts no text into the input of its terminal,
// which the shell of a user may read next, and reads no key of the kernel's keyrings. Where the kernel cannot close abstract
// sockets, they stay open; see DesktopGap. It runs inside of bubblewrap, which has set
// no_new_privs.
func Seal(path string, args []string) error {
	runtime.LockOSThread() // both belong to the thread, which becomes the program
	// It has its standard streams and nothing else that was open outside.
	if err := unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil && !errors.Is(err, unix.EINVAL) && !errors.Is(err, unix.ENOSYS) {
		return fmt.Errorf("closing open files: %w", err)
	}
	if err := unix.Prctl(unix.PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0); err != nil {
		return fmt.Errorf("giving up privileges: %w", err)
	}
	if landlockVersion() >= landlockScopes {
		if err := closeAbstractSockets(); err != nil {
			return err
		}
	}
	if err := closeCalls(); err != nil {
		return err
	}
	return fmt.Errorf("starting %s: %w", path, unix.Exec(path, append([]string{path}, args...), os.Environ()))
}

// DesktopGap says why a confined program can reach the desktop; nil where it cannot.
func DesktopGap(helper string) *protocol.Error {
	const open = "agents run confined, but programs that listen on abstract sockets stay in reach, such as an X server or a message bus: "
	switch {
	case helper == "":
		return protocol.NewError(protocol.CodeNotConfined, open+"the program pilotfish was not found", "install Pilotfish again")
	case landlockVersion() < landlockScopes:
		return protocol.NewError(protocol.CodeNotConfined, open+"this kernel cannot close them", "use Linux 6.12 or newer with Landlock on (lsm=landlock)")
	}
	return nil
}

// landlockVersion is the version of Landlock of this kernel; 0 for none.
func landlockVersion() int {
	version, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0
	}
	return int(version)
}

func closeAbstractSockets() error {
	// The fields after Scoped are of later versions.
	rules := unix.LandlockRulesetAttr{Scoped: unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET}
	size := unsafe.Offsetof(rules.Scoped) + unsafe.Sizeof(rules.Scoped)
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&rules)), size, 0) //nolint:gosec // the call reads size bytes
	if errno == 0 {
		_, _, errno = unix.Syscall(unix.SYS_LANDLOCK_RESTRICT_SELF, fd, 0, 0)
		_ = unix.Close(int(fd)) // the rules hold without it
	}
	if errno != 0 {
		return fmt.Errorf("closing abstract sockets: %w", errno)
	}
	return nil
}

// terminalCalls are the numbers of ioctl by the kernel's name of the architecture, with
// those of programs of 32 bits.
func terminalCalls() map[uint32][]uint32 {
	const ioctl32 = 54
	switch runtime.GOARCH {
	case "amd64":
		const x32 = 0x40000000
		return map[uint32][]uint32{unix.AUDIT_ARCH_X86_64: {16, x32 + 16, x32 + 514}, unix.AUDIT_ARCH_I386: {ioctl32}}
	case "arm64":
		return map[uint32][]uint32{unix.AUDIT_ARCH_AARCH64: {29}, unix.AUDIT_ARCH_ARM: {ioctl32}}
	}
	return nil
}

// keyringCalls are the numbers of add_key, request_key and keyctl, like terminalCalls.
func keyringCalls() map[uint32][]uint32 {
	switch runtime.GOARCH {
	case "amd64":
		const x32 = 0x40000000
		return map[uint32][]uint32{unix.AUDIT_ARCH_X86_64: {248, 249, 250, x32 + 248, x32 + 249, x32 + 250}, unix.AUDIT_ARCH_I386: {286, 287, 288}}
	case "arm64":
		return map[uint32][]uint32{unix.AUDIT_ARCH_AARCH64: {217, 218, 219}, unix.AUDIT_ARCH_ARM: {309, 310, 311}}
	}
	return nil
}

// closeCalls makes the kernel refuse TIOCSTI and TIOCLINUX, which put text into the input
// of a terminal, and answer as if it had no keyrings: root shares those of every program.
func closeCalls() error {
	const (
		load   = unix.BPF_LD | unix.BPF_W | unix.BPF_ABS
		equal  = unix.BPF_JMP | unix.BPF_JEQ | unix.BPF_K
		answer = unix.BPF_RET | unix.BPF_K
		// The places in what a filter is given: number of the call, architecture, and the
		// lower half of the second argument (these machines are little-endian).
		number, arch, request = 0, 4, 24
		tioclinux             = 0x541c
	)
	var filter []unix.SockFilter
	for name, calls := range terminalCalls() {
		for _, call := range calls {
			filter = append(filter,
				unix.SockFilter{Code: load, K: arch}, unix.SockFilter{Code: equal, K: name, Jf: 6},
				unix.SockFilter{Code: load, K: number}, unix.SockFilter{Code: equal, K: call, Jf: 4},
				unix.SockFilter{Code: load, K: request}, unix.SockFilter{Code: equal, K: unix.TIOCSTI, Jt: 1}, unix.SockFilter{Code: equal, K: tioclinux, Jf: 1},
				unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.EPERM)})
		}
	}
	if filter == nil {
		return nil
	}
	for name, calls := range keyringCalls() {
		for _, call := range calls {
			filter = append(filter,
				unix.SockFilter{Code: load, K: arch}, unix.SockFilter{Code: equal, K: name, Jf: 3},
				unix.SockFilter{Code: load, K: number}, unix.SockFilter{Code: equal, K: call, Jf: 1},
				unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ERRNO | uint32(unix.ENOSYS)})
		}
	}
	filter = append(filter, unix.SockFilter{Code: answer, K: unix.SECCOMP_RET_ALLOW})
	program := unix.SockFprog{Len: uint16(len(filter)), Filter: &filter[0]}
	if err := unix.Prctl(unix.PR_SET_SECCOMP, unix.SECCOMP_MODE_FILTER, uintptr(unsafe.Pointer(&program)), 0, 0); err != nil { //nolint:gosec // the call reads the program
		return fmt.Errorf("closing calls of the kernel: %w", err)
	}
	return nil
}
