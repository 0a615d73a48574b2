package journal

import (
	"errors"
	"io/fs"
	"syscall"

	"pilotfish/backend/protocol"
)

// IsFull says whether something could not be written because there is no room
// left, on the disk or for this user.
func IsFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}

// Reason says in a few words why something could not be written, for a sentence
// that a person reads: a full disk by that name, else the system's own word,
// without the path.
func Reason(err error) string {
	if IsFull(err) {
		return "the disk is full"
	}
	if at, ok := errors.AsType[*fs.PathError](err); ok {
		return at.Err.Error()
	}
	return err.Error()
}

// NotWritable says of a file or folder that it could not be written, why, and what
// to do. instead is what else can be done, for the end of that sentence: ", or …".
func NotWritable(path string, err error, instead string) *protocol.Error {
	todo := "make it yours (chown, chmod u+rwx)"
	if IsFull(err) {
		todo = "free some space"
	}
	return protocol.NewError(protocol.CodeNotWritable, path+" cannot be written: "+Reason(err), todo+instead)
}
