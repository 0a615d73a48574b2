package instance

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// noFollow is nothing here: only this user can make links in the user's AppData folder.
const noFollow = 0

func tryLock(file *os.File) error {
	err := lockFirstByte(file, windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) {
		return ErrRunning
	}
	return err
}

func awaitLock(file *os.File) error {
	return lockFirstByte(file, windows.LOCKFILE_EXCLUSIVE_LOCK)
}

func lockFirstByte(file *os.File, flags uint32) error {
	return windows.LockFileEx(windows.Handle(file.Fd()), flags, 0, 1, 0, new(windows.Overlapped))
}
