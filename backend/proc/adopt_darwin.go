package proc

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// Adopt replaces this process by a program. This system has no way to adopt what a
// program leaves behind.
func Adopt(path string, args []string) (int, error) {
	err := unix.Exec(path, append([]string{path}, args...), os.Environ())
	return 0, fmt.Errorf("starting %s: %w", path, err)
}
