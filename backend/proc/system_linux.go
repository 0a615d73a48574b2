package proc

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"os"
	"strconv"
	"strings"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// processes returns the process table.
func processes() ([]process, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	table := make([]process, 0, len(names))
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		p, err := readStat(pid)
		switch {
		case err == nil:
			table = append(table, p)
		case noDescriptor(err):
			return nil, fmt.Errorf("listing processes: %w", err)
		}
	}
	return table, nil
}

// readStat reads /proc/PID/stat, see proc_pid_stat(5).
func readStat(pid int) (process, error) {
	b, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return process{}, err
	}
	// The second field is the name in parentheses, which may contain anything.
	f := strings.Fields(string(b[bytes.LastIndexByte(b, ')')+1:]))
	const state, ppid, session, start = 0, 1, 3, 19
	if len(f) <= start {
		return process{}, fmt.Errorf("process %d: stat has %d fields", pid, len(f))
	}
	p := process{pid: pid, zombie: f[state] == "Z" || f[state] == "X"}
	if p.ppid, err = strconv.Atoi(f[ppid]); err != nil {
		return process{}, err
	}
	if p.session, err = strconv.Atoi(f[session]); err != nil {
		return process{}, err
	}
	p.start, err = strconv.ParseUint(f[start], 10, 64)
	return p, err
}

// startTime returns when a process started, in clock ticks since boot.
func startTime(pid int) (uint64, error) {
	p, err := readStat(pid)
	return p.start, err
}

// Parent returns the process id of a process's parent.
func Parent(pid int) (int, error) {
	p, err := readStat(pid)
	return p.ppid, err
}

// bootID names this boot of the machine.
func bootID() string {
	b, _ := os.ReadFile("/proc/sys/kernel/random/boot_id") // without it no record is trusted by its pid
	return strings.TrimSpace(string(b))
}

// marked reports whether the process was started with the mark. It is false for a
// process whose environment we may not read.
func marked(pid int, mark string) bool {
	env, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/environ")
	if err != nil {
		return false
	}
	want := []byte(protocol.EnvMark + "=" + mark)
	for v := range bytes.SplitSeq(env, []byte{0}) {
		if bytes.Equal(v, want) {
			return true
		}
	}
	return false
}

// handle identifies a process, even if its pid is reused later.
type handle struct {
	pid   int
	start uint64
	fd    int
}

func openHandle(pid int, start uint64) (*handle, error) {
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		return nil, fmt.Errorf("opening process %d: %w", pid, err)
	}
	// The pid may have been reused between the scan and the open.
	now, err := startTime(pid)
	if err != nil || now != start {
		_ = unix.Close(fd)
		return nil, errors.Join(fmt.Errorf("process %d has ended", pid), err)
	}
	return &handle{pid: pid, start: start, fd: fd}, nil
}

func (h *handle) signal(s unix.Signal) error {
	return unix.PidfdSendSignal(h.fd, s, nil, 0)
}

// ended reports whether the process has ended; a zombie has.
func (h *handle) ended() bool {
	fds := []unix.PollFd{{Fd: int32(h.fd), Events: unix.POLLIN}}
	n, err := unix.Poll(fds, 0)
	return err == nil && n > 0
}

func (h *handle) close() { _ = unix.Close(h.fd) }

// waitHandles returns when all processes have ended or d has passed.
func waitHandles(handles map[int]*handle, d time.Duration) {
	deadline := time.Now().Add(d)
	fds := make([]unix.PollFd, 0, len(handles))
	for _, h := range handles {
		fds = append(fds, unix.PollFd{Fd: int32(h.fd), Events: unix.POLLIN})
	}
	for len(fds) > 0 {
		left := time.Until(deadline)
		if left <= 0 {
			return
		}
		if _, err := unix.Poll(fds, int(left.Milliseconds())+1); err != nil && err != unix.EINTR {
			return
		}
		alive := fds[:0]
		for _, fd := range fds {
			if fd.Revents == 0 {
				alive = append(alive, fd)
			}
		}
		fds = alive
	}
}

// waitExit waits until a child has ended, without reaping it.
func waitExit(pid int) protocol.Exit {
	var info unix.Siginfo
	for {
		err := unix.Waitid(unix.P_PID, pid, &info, unix.WEXITED|unix.WNOWAIT, nil)
		if err == nil {
			break
		}
		if err != unix.EINTR {
			return protocol.Exit{Code: -1}
		}
	}
	// si_status follows si_pid and si_uid in a union that begins at the next
	// pointer-aligned offset after three ints; x/sys does not name it.
	const union = (12 + unsafe.Sizeof(uintptr(0)) - 1) &^ (unsafe.Sizeof(uintptr(0)) - 1)
	status := *(*int32)(unsafe.Add(unsafe.Pointer(&info), union+8)) //nolint:gosec // see above
	const cldExited = 1
	if info.Code == cldExited {
		return protocol.Exit{Code: int(status)}
	}
	return exitOf(unix.WaitStatus(status & 0x7f))
}

// closeOnExec sets close-on-exec for every descriptor above 2 of this process.
func closeOnExec() {
	if unix.CloseRange(3, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC) == nil {
		return
	}
	// For kernels before 5.11.
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		return
	}
	for _, e := range entries {
		if fd, err := strconv.Atoi(e.Name()); err == nil && fd > 2 {
			unix.CloseOnExec(fd)
		}
	}
}
