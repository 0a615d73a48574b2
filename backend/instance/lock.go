package instance

import (
	"context"
	"errors"
	"fmt"
	"os"

	"pilotfish/backend/protocol"
)

// ErrRunning is returned by Acquire when another instance holds the lock.
var ErrRunning = errors.New("another instance is running")

// Lock is held for as long as the app runs.
type Lock struct{ file *os.File }

// Acquire takes the lock at path, or returns ErrRunning. The kernel releases the lock
// when the process ends, so a crash leaves no lock behind.
func Acquire(path string) (*Lock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	if err := tryLock(file); err != nil {
		_ = file.Close() // the lock was not taken
		if errors.Is(err, ErrRunning) {
			return nil, err
		}
		return nil, fmt.Errorf("locking %s: %w", path, err)
	}
	return &Lock{file: file}, nil
}

// AcquireNext takes the lock at path as soon as its holder releases it or ends, or
// returns ErrRunning when ctx ends first.
func AcquireNext(ctx context.Context, path string) (*Lock, error) {
	file, err := openLock(path)
	if err != nil {
		return nil, err
	}
	locked := make(chan error, 1)
	go func() { locked <- awaitLock(file) }()
	select {
	case err := <-locked:
		if err != nil {
			return nil, fmt.Errorf("locking %s: %w", path, errors.Join(err, file.Close()))
		}
		return &Lock{file: file}, nil
	case <-ctx.Done():
		// The kernel offers no way to cancel the wait: the goroutine gets the lock at
		// some time and releases it, or ends with this process.
		go func() { _ = errors.Join(<-locked, file.Close()) }() // nobody is left to receive the error
		return nil, ErrRunning
	}
}

func openLock(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR|noFollow, 0o600)
	if err != nil {
		return nil, protocol.NewError(protocol.CodeNotWritable, fmt.Sprintf("the lock %s cannot be opened (%v)", path, err), "make its folder yours, or set "+protocol.EnvHome+" to another one")
	}
	return file, nil
}

// Release releases the lock. The file stays: removing it would let two other
// processes lock two files of the same name.
func (l *Lock) Release() error { return l.file.Close() }
