//go:build unix

package instance

import (
	"errors"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// openOurs opens a file that only this user could write and read. The error is
// fs.ErrNotExist when there is none, and CodeRefused when others have access.
func openOurs(path string) (*os.File, error) {
	file, err := os.OpenFile(path, os.O_RDONLY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ELOOP) {
		return nil, refused(path + " is a symbolic link")
	}
	if err != nil {
		return nil, fmt.Errorf("reading the endpoint: %w", err)
	}
	info, err := file.Stat()
	if err != nil {
		err = fmt.Errorf("reading the endpoint: %w", err)
	} else if st, ok := info.Sys().(*syscall.Stat_t); !ok || int(st.Uid) != os.Geteuid() {
		err = refused(path + " belongs to another user")
	} else if info.Mode().Perm()&0o077 != 0 {
		err = refused(path + " can be read by others")
	}
	if err != nil {
		_ = file.Close() // nothing was written
		return nil, err
	}
	return file, nil
}
