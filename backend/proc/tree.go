//go:build unix

package proc

import (
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"pilotfish/backend/protocol"
)

// record identifies a tree, so that another process can find it, now or after a
// restart of the app.
type record struct {
	Mark string `json:"mark"`
	// PID is the leader's pid; 0 before it is known.
	PID int `json:"pid,omitempty"`
	// Start is the leader's start time in the kernel's own unit. It is needed because
	// a pid alone can be reused.
	Start uint64 `json:"start,omitempty"`
	// Boot identifies the boot of the machine in which Start was recorded.
	Boot string `json:"boot,omitempty"`
}

// tree is a leader, its session, and every process with its mark. It is used by one
// goroutine at a time.
type tree struct {
	record
	// held means that the leader is our child and not reaped, so that its pid is not
	// reused even when it is dead.
	held bool
	// seen are the members found so far. A member stays in it when its parent dies
	// and it gets another parent.
	seen map[int]*handle
}

func newTree(r record, held bool) *tree {
	return &tree{record: r, held: held, seen: make(map[int]*handle)}
}

// process is one row of the system's process table.
type process struct {
	pid, ppid, session int
	start              uint64
	zombie             bool
}

// scan adds the members of the tree to seen and removes those that have ended. With an
// error, seen may be incomplete.
func (t *tree) scan() error {
	table, err := processes()
	if err != nil {
		return err
	}
	self := os.Getpid()
	leader := t.held
	children := make(map[int][]process)
	for _, p := range table {
		children[p.ppid] = append(children[p.ppid], p)
		if p.pid == t.PID && p.start == t.Start {
			leader = true
		}
	}
	member := make(map[int]bool)
	var missed error
	var take func(p process)
	take = func(p process) {
		if member[p.pid] || p.pid == self || p.pid <= 1 {
			return
		}
		member[p.pid] = true
		if h := t.seen[p.pid]; (h == nil || h.start != p.start) && !p.zombie {
			missed = errors.Join(missed, t.add(p))
		}
		for _, c := range children[p.pid] {
			take(c)
		}
	}
	for _, p := range table {
		known := t.seen[p.pid]
		switch {
		case known != nil && known.start == p.start,
			leader && t.PID > 0 && p.session == t.PID,
			// A process that is older than the leader cannot descend from it.
			p.start >= t.Start && !p.zombie && marked(p.pid, t.Mark):
			take(p)
		}
	}
	for pid, h := range t.seen {
		if h.ended() {
			h.close()
			delete(t.seen, pid)
		}
	}
	return missed
}

// add adds a process. It returns an error when the process may still run.
func (t *tree) add(p process) error {
	h, err := openHandle(p.pid, p.start)
	if noDescriptor(err) {
		return err
	}
	if err != nil {
		return nil //nolint:nilerr // the process has ended meanwhile
	}
	if old := t.seen[p.pid]; old != nil {
		old.close()
	}
	t.seen[p.pid] = h
	return nil
}

// end runs the stop ladder. The error names what is left.
func (t *tree) end() error {
	ladder := []struct {
		signal unix.Signal
		wait   time.Duration
	}{
		{unix.SIGHUP, protocol.StopHangupWait},
		{unix.SIGTERM, protocol.StopTerminateWait},
		{unix.SIGKILL, stopKillWait},
	}
	var err error
	for _, step := range ladder {
		var gone bool
		if gone, err = t.step(step.signal, time.Now().Add(step.wait)); gone {
			return nil
		}
	}
	if err != nil {
		return err
	}
	left := make([]int, 0, len(t.seen))
	for pid := range t.seen {
		left = append(left, pid)
	}
	return fmt.Errorf("processes %v survive SIGKILL", left)
}

// step sends the signal once to every member, including those that appear later,
// until none is left or the deadline passes. The error says why the last scan failed.
func (t *tree) step(signal unix.Signal, deadline time.Time) (gone bool, err error) {
	signalled := make(map[*handle]bool)
	for first := true; ; first = false {
		err := t.scan()
		if err == nil && len(t.seen) == 0 {
			return true, nil
		}
		if t.held && first {
			// Signalling the group in one call also reaches a process that is being
			// forked, and needs no descriptor.
			deliver(signal, func(s unix.Signal) error { return unix.Kill(-t.PID, s) })
		}
		news := false
		for _, h := range t.seen {
			if !signalled[h] {
				signalled[h], news = true, true
				deliver(signal, h.signal)
			}
		}
		if !news && !time.Now().Before(deadline) {
			return false, err
		}
		if err != nil {
			time.Sleep(scanAgain)
			continue
		}
		waitHandles(t.seen, time.Until(deadline))
	}
}

// deliver sends a signal, also to what is stopped: a stopped process handles no signal
// but SIGKILL.
func deliver(signal unix.Signal, send func(unix.Signal) error) {
	_ = send(signal)
	if signal != unix.SIGKILL {
		_ = send(unix.SIGCONT)
	}
}

func (t *tree) close() {
	for pid, h := range t.seen {
		h.close()
		delete(t.seen, pid)
	}
}
