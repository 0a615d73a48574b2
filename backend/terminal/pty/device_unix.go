//go:build unix

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

// newDevice duplicates master as a non-blocking file and closes master. creack/pty
// leaves it blocking; a blocking read holds a thread and cannot be ended by Close.
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

// fullRead is the most that one read returns while the program writes faster than we
// read (N_TTY_BUF_SIZE less one on Linux; smaller elsewhere, which only reduces
// batching). After such a read more data is available, so reading again adds no
// latency.
const fullRead = 4095

// Read waits for output and then reads until a read returns less than fullRead: many
// small frames would halve the throughput, while a short echo is still returned at
// once. It returns io.EOF when no process has the program's side open.
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
				err = io.EOF // EIO: the last process that had it open is gone
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

// tryWrite writes what the program's side accepts without blocking, which may be
// nothing.
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

// Resize changes the terminal's size, which notifies the foreground program.
func (d *Device) Resize(cols, rows int) error {
	var err error
	size := &unix.Winsize{Col: uint16(cols), Row: uint16(rows)}
	if e := d.raw.Control(func(fd uintptr) { err = unix.IoctlSetWinsize(int(fd), unix.TIOCSWINSZ, size) }); e != nil {
		return e
	}
	return err
}

// Foreground returns the process group that receives the terminal's keys.
func (d *Device) Foreground() (group int, err error) {
	if e := d.raw.Control(func(fd uintptr) { group, err = unix.IoctlGetInt(int(fd), unix.TIOCGPGRP) }); e != nil {
		return 0, e
	}
	return group, err
}

// Close closes the device. It also ends a blocked read or write.
func (d *Device) Close() error { return d.file.Close() }

// sendInterrupt sends SIGINT as the terminal does for Ctrl-C, but without the input
// queue: the signal also reaches a program that does not read.
func (d *Device) sendInterrupt() error {
	var err error
	if e := d.raw.Control(func(fd uintptr) { err = unix.IoctlSetInt(int(fd), unix.TIOCSIG, int(unix.SIGINT)) }); e != nil {
		return e
	}
	return err
}
