package proc

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"os"
)

// Config describes what to start.
type Config struct {
	// Path is the program; Args are its arguments without the program's name.
	Path string
	Args []string
	// Env is the whole environment; nil is an empty one. Start adds the mark.
	Env []string
	Dir string
	// ExtraFiles become the descriptors 3, 4, … of the process. It inherits no others
	// except 0, 1 and 2. On Windows it inherits their
	// handles, whose numbers the caller tells it.
	ExtraFiles []*os.File
	// Stdin, Stdout and Stderr are as in exec.Cmd: nil is the null device.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	// TTY is the program's side of a terminal. It becomes the controlling terminal
	// and the descriptors 0, 1 and 2. The caller closes its copy after Start.
	TTY TTY
	// Guard, if set, ends the tree when this program dies.
	Guard  *Guard
	Logger *slog.Logger
}

// newMark returns 128 random bits, so that a process with this mark is certainly
// ours.
func newMark() (string, error) {
	b := make([]byte, 16)
	if _, err := rand.Read(b); err != nil {
		return "", fmt.Errorf("making a process mark: %w", err)
	}
	return hex.EncodeToString(b), nil
}

// GuardConfig describes how to start the guard.
type GuardConfig struct {
	// Exe and Args are a program that calls RunGuard(os.Stdin, os.Stdout). It should
	// be small, because it runs as long as the app.
	Exe  string
	Args []string
	// Dir is the folder of the records that Reap reads at the next start; if it is
	// empty, no records are kept. It must exist.
	Dir    string
	Logger *slog.Logger
}
