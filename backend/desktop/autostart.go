package desktop

import (
	"fmt"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Autostart is the entry that starts the app when the person logs in. It is the
// only thing of ours outside of our own folders, and Disable removes it.
type Autostart struct {
	getenv func(string) string
}

// NewAutostart returns the entry of the user whose environment getenv reads.
func NewAutostart(getenv func(string) string) Autostart { return Autostart{getenv: getenv} }

// command refuses a program that an entry could not start.
func command(program string, args []string) error {
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
