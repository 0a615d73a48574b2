//go:build unix

// Package pty is the pseudo terminal that a program runs in: its output, its size, the
// foreground program, and the input that waits while the program does not read.
package pty

import (
	"fmt"
	"io"
	"os"
	"syscall"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Device is our side of a pseudo terminal.
type Device struct {
	file *os.File
	raw  syscall.RawConn
}

// Open returns our side and the program's side of a new pseudo terminal. The caller
// closes both.
func Open(cols, rows int) (*Device, *os.File, error) {
	master, slave, err := pty.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pseudo terminal: %w", err)
	}
	d, err := newDevice(master)
	if err == nil {
		err = d.Resize(cols, rows)
	}
	if err != nil {
		if d != nil {
			_ = d.Close()
		}
		_ = slave.Close()
		return nil, nil, fmt.Errorf("opening a pseudo terminal: %w", err)
	}
	return d, slave, nil
}

// newDevice takes master over. creack/pty leaves it blocking, and a read that
// blocks holds a thread and cannot be ended by Close.
func newDevice(master *os.File) (*Device, error) {
	defer master.Close()
	raw, err := master.SyscallConn()
	if err != nil {
		return nil, err
	}
	fd, dupErr := -1, error(nil)
	if err := raw.Control(func(m uintptr) {
		if fd, dupErr = unix.FcntlInt(m, unix.F_DUPFD_CLOEXEC, 0); dupErr == nil {
			dupErr = unix.SetNonblock(fd, true)
		}
	}); err != nil {
		return nil, err
	}
	if dupErr != nil {
		return nil, dupErr
	}
	file := os.NewFile(uintptr(fd), master.Name())
	d := &Device{file: file}
	if d.raw, err = file.SyscallConn(); err != nil {
		_ = file.Close()
		return nil, err
	}
	return d, nil
}

// fullRead is what one read returns at most while the program is ahead of us
// (N_TTY_BUF_SIZE less one on Linux; smaller elsewhere, which only costs
// batching): after it there is more, and asking again costs no latency.
const fullRead = 4095

// Read waits for output and then takes what is there until a read comes back
// short: many small frames would halve the throughput, and an echo, which is
// short, still leaves at once. It returns io.EOF when the program's side is
// closed everywhere.
func (d *Device) Read(buf []byte) (n int, err error) {
	waitErr := d.raw.Read(func(fd uintptr) bool {
		for n < len(buf) {
			m, e := unix.Read(int(fd), buf[n:])
			switch {
			case e == unix.EINTR:
				continue
			case e == unix.EAGAIN:
				return n > 0
			case e != nil || m <= 0:
				err = io.EOF // EIO: the last one that had it open is gone
				return true
			}
			n += m
			if m < fullRead {
				return true
			}
		}
		return true
	})
	if n > 0 {
		return n, nil
	}
	if waitErr != nil {
		return 0, waitErr
	}
	return 0, err
}

// tryWrite writes what the program's side takes at once, which may be nothing.
func (d *Device) tryWrite(p []byte) (n int, err error) {
	waitErr := d.raw.Write(func(fd uintptr) bool {
		n, err = unix.Write(int(fd), p)
		return true
	})
	if err == unix.EAGAIN || err == unix.EINTR {
		n, err = 0, nil
	}
	if waitErr != nil {
		return 0, waitErr
	}
	return max(n, 0), err
}

// Write writes all of p, waiting while the program does not read.
func (d *Device) Write(p []byte) (int, error) { return d.file.Write(p) }

// Resize gives the terminal another size and tells the foreground program.
func (d *Device) Resize(cols, rows int) error {
	var err error
	size := &unix.Winsize{Col: uint16(cols), Row: uint16(rows)}
	if e := d.raw.Control(func(fd uintptr) { err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) }); e != nil {
		return e
	}
	return err
}

// Foreground returns the process group that the terminal's keys go to.
func (d *Device) Foreground() (group int, err error) {
	if e := d.raw.Control(func(fd uintptr) { group, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }); e != nil {
		return 0, e
	}
	return group, err
}

// Close also ends a read and a write that wait.
func (d *Device) Close() error { return d.file.Close() }

// sendInterrupt does what the terminal does for Ctrl-C, without the input's
// queue: the signal reaches a program that reads nothing.
func (d *Device) sendInterrupt() error {
	var err error
	if e := d.raw.Control(func(fd uintptr) { err = unix.IoctlSetInt(int(fd), unix.TIOCSIG, int(unix.SIGINT)) }); e != nil {
		return e
	}
	return err
}
