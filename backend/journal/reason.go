package journal

import (
	"errors"
	"io/fs"
	"syscall"

	"pilotfish/backend/protocol"
)

// IsFull reports whether a write failed because there is no space left, on the disk
// or in the user's quota.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Reason returns in a few words why something could not be written, for a sentence
// that a user reads: "the disk is full", or else the system's message without the
// path.
func Reason(err error) string {
	if IsFull(err) {
		return "the disk is full"
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// NotWritable returns an error that says that a file or folder could not be written,
// why, and what to do. instead is another possibility, for the end of that sentence:
// ", or …".
func NotWritable(path string, err error, instead string) *protocol.Error {
	todo := "make it yours (chown, chmod u+rwx)"
	if IsFull(err) {
		todo = "free some space"
	}
	return protocol.NewError(protocol.CodeNotWritable, path+" cannot be written: "+Reason(err), todo+instead)
}
