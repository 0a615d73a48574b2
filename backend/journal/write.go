//go:build !windows

package journal

import (
	"fmt"
	"io/fs"

	"github.com/google/renameio/v2"
)

// WriteFile replaces the file at path by data, atomically: a reader, and the next
// start after a crash or on a full disk, sees the old content or the new one, never a
// part. perm is the exact mode of the new file, whatever the umask is. A symlink at
// path is replaced, not followed. The temporary file is in the same folder, because a
// rename does not work across file systems.
func WriteFile(path string, data []byte, perm fs.FileMode) error {
	err := renameio.WriteFile(path, data, perm,
		renameio.WithTempDir(dirOf(path)), renameio.IgnoreUmask())
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}
