package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// ReplaceFile replaces the file at path by data. As with WriteFile, concurrent
// readers see the old content or the new one, never a part, and a full disk keeps the
// old one. But it does not wait for the disk, which can take a tenth of a second, so
// the file may be empty after a power failure. It is for files of one run, which the
// next start creates again.
func ReplaceFile(path string, data []byte, perm fs.FileMode) (err error) {
	f, err := os.CreateTemp(dirOf(path), "."+filepath.Base(path)+"-*")
	if err != nil {
		return fmt.Errorf("replace %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("replace %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Chmod(perm)
	}
	err = errors.Join(err, f.Close())
	if err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
