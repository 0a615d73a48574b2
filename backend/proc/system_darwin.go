package proc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// szomb is the state of a zombie in sys/proc.h.
const szomb = 5

// processes returns the process table.
func processes() ([]process, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, fmt.Errorf("listing processes: %w", err)
	}
	table := make([]process, 0, len(all))
	for i := range all {
		table = append(table, processOf(&all[i]))
	}
	return table, nil
}

func processOf(k *unix.KinfoProc) process {
	pid := int(k.Proc.P_pid)
	session, err := unix.Getsid(pid)
	if err != nil {
		session = int(k.Eproc.Pgid)
	}
	t := k.Proc.P_starttime
	return process{
		pid:     pid,
		ppid:    int(k.Eproc.Ppid),
		session: session,
		start:   uint64(t.Sec)*1e6 + uint64(t.Usec),
		zombie:  k.Proc.P_stat == szomb,
	}
}

// startTime returns when a process started, in microseconds of the wall clock.
func startTime(pid int) (uint64, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	return processOf(k).start, nil
}

// Parent returns the process id of a process's parent.
func Parent(pid int) (int, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return 0, fmt.Errorf("looking at process %d: %w", pid, err)
	}
	return processOf(k).ppid, nil
}

// bootID names this boot of the machine.
func bootID() string {
	id, _ := unix.Sysctl("kern.bootsessionuuid") // without it no record is trusted by its pid
	return id
}

// marked reports whether the process was started with the mark. It is false for a
// process whose environment we may not read.
func marked(pid int, mark string) bool {
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return false
	}
	// The buffer holds argc, the program's path, zeros, argc arguments, then the
	// environment.
	argc := int(binary.NativeEndian.Uint32(b))
	want := []byte(protocol.EnvMark + "=" + mark)
	for i, v := range bytes.Split(b[4:], []byte{0}) {
		if i > argc && bytes.Equal(v, want) {
			return true
		}
	}
	return false
}

// handle identifies a process by pid and start time.
type handle struct {
	pid   int
	start uint64
}

func openHandle(pid int, start uint64) (*handle, error) {
	h := &handle{pid: pid, start: start}
	if h.ended() {
		return nil, fmt.Errorf("process %d has ended", pid)
	}
	return h, nil
}

func (h *handle) signal(s unix.Signal) error {
	if h.ended() {
		return unix.ESRCH
	}
	return unix.Kill(h.pid, s)
}

// ended reports whether the process has ended; a zombie has.
func (h *handle) ended() bool {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", h.pid)
	if err != nil {
		return true
	}
	p := processOf(k)
	return p.zombie || p.start != h.start
}

func (h *handle) close() {}

// waitHandles returns when all processes have ended or d has passed.
func waitHandles(handles map[int]*handle, d time.Duration) {
	deadline := time.Now().Add(d)
	for _, h := range handles {
		if !h.ended() {
			_, _ = awaitExit(h.pid, time.Until(deadline))
		}
	}
}

// awaitExit waits for a process's end by kqueue; with d below 0 it waits without
// limit.
func awaitExit(pid int, d time.Duration) (unix.WaitStatus, error) {
	kq, err := unix.Kqueue()
	if err != nil {
		return 0, err
	}
	defer unix.Close(kq)
	unix.CloseOnExec(kq)
	change := []unix.Kevent_t{{
		Ident:  uint64(pid),
		Filter: unix.EVFILT_PROC,
		Flags:  unix.EV_ADD | unix.EV_ONESHOT,
		Fflags: unix.NOTE_EXIT | unix.NOTE_EXITSTATUS,
	}}
	var timeout *unix.Timespec
	if d >= 0 {
		t := unix.NsecToTimespec(d.Nanoseconds())
		timeout = &t
	}
	events := make([]unix.Kevent_t, 1)
	for {
		n, err := unix.Kevent(kq, change, events, timeout)
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			return 0, err
		}
		return unix.WaitStatus(events[0].Data), nil
	}
}

// waitExit waits until a child has ended, without reaping it.
func waitExit(pid int) protocol.Exit {
	ws, err := awaitExit(pid, -1)
	if err != nil {
		return protocol.Exit{Code: -1}
	}
	return exitOf(ws)
}

// closeOnExec sets close-on-exec for the descriptors above 2 that a library may have
// opened.
func closeOnExec() {
	const usual = 1024
	for fd := 3; fd < usual; fd++ {
		unix.CloseOnExec(fd)
	}
}
