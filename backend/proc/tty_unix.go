//go:build unix

package proc

import "os"

// TTY is the program's side of a terminal.
type TTY = *os.File
