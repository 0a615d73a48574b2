package journal

import (
	"errors"
	"io/fs"
	"syscall"
)

// Reason says in a few words why something could not be written, for a sentence
// that a person reads: a full disk by that name, else the system's own word,
// without the path.
func Reason(err error) string {
	if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) {
		return "the disk is full"
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}
