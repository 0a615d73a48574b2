package pty

import "golang.org/x/sys/unix"

// interrupts reports whether Ctrl-C is a signal now and not a key like others.
func (d *Device) interrupts() bool {
	on := false
	_ = d.raw.Control(func(fd uintptr) { // a terminal that is gone interrupts nothing
		if t, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			on = t.Lflag&unix.ISIG != 0 && t.Cc[unix.VINTR] == InterruptKey
		}
	})
	return on
}
