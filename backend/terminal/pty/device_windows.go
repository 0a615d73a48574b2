package pty

import (
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/charmbracelet/x/conpty"
	"golang.org/x/sys/windows"
)

// Device is our side of a pseudo console.
type Device struct {
	console *conpty.ConPty
	hangUp  func()
}

// Side is the program's side of a pseudo console.
type Side struct {
	*conpty.ConPty

	hangUp func()
}

// Open returns our side and the program's side of a new pseudo console.
func Open(cols, rows int) (*Device, *Side, error) {
	console, err := conpty.New(cols, rows, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("opening a pseudo console: %w", err)
	}
	// conpty's own Close also closes the pipe from which the last output is read.
	hangUp := sync.OnceFunc(func() { windows.ClosePseudoConsole(windows.Handle(console.Fd())) })
	return &Device{console: console, hangUp: hangUp}, &Side{ConPty: console, hangUp: hangUp}, nil
}

// Name is empty: a pseudo console has no file.
func (*Side) Name() string { return "" }

// Close does nothing: the program's side has no copy of its own here.
func (*Side) Close() error { return nil }

// HangUp closes the pseudo console: its programs are asked to end, and the reader gets the
// rest of the output and then io.EOF.
func (s *Side) HangUp() { s.hangUp() }

// Read waits for output. It returns io.EOF when the pseudo console is closed.
func (d *Device) Read(buf []byte) (int, error) { return d.console.OutPipe().Read(buf) }

// tryWrite writes nothing: a pipe to a pseudo console has no write that does not wait.
func (*Device) tryWrite([]byte) (int, error) { return 0, nil }

// Write writes all of p, waiting while the program does not read.
func (d *Device) Write(p []byte) (int, error) { return d.console.InPipe().Write(p) }

// Resize changes the console's size, which notifies its programs.
func (d *Device) Resize(cols, rows int) error { return d.console.Resize(cols, rows) }

// Foreground fails: a console has no process group that receives its keys.
func (*Device) Foreground() (group int, err error) {
	return 0, fmt.Errorf("finding the foreground program: %w", errors.ErrUnsupported)
}

// Close closes the device. It also ends a blocked read or write.
func (d *Device) Close() error {
	go d.hangUp() // older systems return only when the output is read
	err := errors.Join(d.console.InPipe().Close(), d.console.OutPipe().Close())
	if errors.Is(err, os.ErrClosed) {
		return nil
	}
	return err
}

// interrupts is false: whether Ctrl-C is a signal is the console's matter.
func (*Device) interrupts() bool { return false }

// sendInterrupt is not called, because interrupts is false.
func (*Device) sendInterrupt() error {
	return fmt.Errorf("interrupting the foreground program: %w", errors.ErrUnsupported)
}
