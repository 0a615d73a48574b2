package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// WriteFile replaces the file at path by data. On Windows a rename over an
// existing file is atomic on NTFS; perm has no meaning there, the folder's
// access list protects the file.
func WriteFile(path string, data []byte, perm fs.FileMode) (err error) {
	f, err := os.CreateTemp(dirOf(path), ".write-*")
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	defer func() {
		if err != nil {
			err = fmt.Errorf("write %s: %w", path, errors.Join(err, os.Remove(f.Name())))
		}
	}()
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	if err = os.Chmod(f.Name(), perm); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}
