package journal

import (
	"io/fs"
	"syscall"
	"testing"

	"pilotfish/backend/protocol"
)

// The error says why something cannot be written, and what helps: only for a full
// disk this is to free some space.
func TestNotWritable(t *testing.T) {
	for _, c := range []struct {
		err           error
		message, hint string
	}{
		{&fs.PathError{Op: "open", Path: "/x/.probe1", Err: syscall.EACCES}, "/x cannot be written: permission denied", "make it yours (chown, chmod u+rwx), or go elsewhere"},
		{&fs.PathError{Op: "write", Path: "/x/.probe1", Err: syscall.ENOSPC}, "/x cannot be written: the disk is full", "free some space, or go elsewhere"},
		{syscall.EDQUOT, "/x cannot be written: the disk is full", "free some space, or go elsewhere"},
	} {
		if e := NotWritable("/x", c.err, ", or go elsewhere"); e.Code != protocol.CodeNotWritable || e.Message != c.message || e.Hint != c.hint {
			t.Errorf("%v: %+v", c.err, e)
		}
	}
}
