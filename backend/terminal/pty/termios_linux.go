package pty

import "golang.org/x/sys/unix"

// interrupts reports whether Ctrl-C currently sends a signal, instead of being an
// ordinary key.
func (d *Device) interrupts() bool {
	on := false
	_ = d.raw.Control(func(fd uintptr) { // a closed terminal reports false
		if t, err := unix.IoctlGetTermios(int(fd), unix.TCGETS); err == nil {
			on = t.Lflag&unix.ISIG != 0 && t.Cc[unix.VINTR] == InterruptKey
		}
	})
	return on
}
