package desktop

import (
	"fmt"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// LoginEntry is the entry that starts the app when the user logs in. It is the only
// file of ours outside our own folders, and Disable removes it.
type LoginEntry struct {
	getenv func(string) string
}

// NewLoginEntry returns the login entry of the user whose environment getenv reads.
func NewLoginEntry(getenv func(string) string) LoginEntry { return LoginEntry{getenv: getenv} }

// startable refuses a program that an entry could not start.
func startable(program string, args []string) error {
	if !filepath.IsAbs(program) {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%q is not an absolute path", program), "")
	}
	for _, s := range append([]string{program}, args...) {
		for _, r := range s {
			if r < ' ' || r == 0x7f {
				return protocol.NewError(protocol.CodeBadArgument, "a command line with control characters cannot be started at login", "install Pilotfish in a folder with a plain name")
			}
		}
	}
	return nil
}

func notWritable(path string, err error) error { return journal.NotWritable(path, err, "") }
