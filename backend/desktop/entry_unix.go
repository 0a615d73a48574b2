//go:build unix

package desktop

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"
)

// writeEntry writes an entry that is a file.
func writeEntry(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return notWritable(path, err)
	}
	if err := renameio.WriteFile(path, data, 0o600); err != nil {
		return notWritable(path, err)
	}
	return nil
}

// removeEntry removes an entry that is a file; that there is none is no error.
func removeEntry(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return notWritable(path, err)
	}
	return nil
}
