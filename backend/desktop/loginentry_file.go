//go:build linux || darwin

package desktop

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/google/renameio/v2"

	"pilotfish/backend/protocol"
)

// On these platforms the entry is a file. Each platform defines its path, its
// contents, and when it is active (entryPath, entryText and entryStarts).

// path returns the path of the entry's file. With protocol.EnvHome the file is in
// that folder, where no desktop looks: a portable installation or a test changes
// nothing of the user's.
func (e LoginEntry) path() (string, error) {
	path := entryPath(e.getenv)
	if !filepath.IsAbs(path) {
		return "", protocol.NewError(protocol.CodeNotWritable, "your home folder is not known", "set HOME")
	}
	return path, nil
}

// Enable starts program with args at the next login.
func (e LoginEntry) Enable(program string, args ...string) error {
	path, err := e.path()
	if err != nil {
		return err
	}
	if err := startable(program, args); err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return notWritable(path, err)
	}
	if err := renameio.WriteFile(path, entryText(append([]string{program}, args...)), 0o600); err != nil {
		return notWritable(path, err)
	}
	return nil
}

// Disable removes the entry. It is not an error if there is none.
func (e LoginEntry) Disable() error {
	path, err := e.path()
	if err != nil {
		return err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return notWritable(path, err)
	}
	return nil
}

// Enabled reports whether the desktop would start the app: an entry that the user
// switched off in the desktop's own settings is not enabled.
func (e LoginEntry) Enabled() (bool, error) {
	path, err := e.path()
	if err != nil {
		return false, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the login entry: %w", err)
	}
	return entryStarts(data), nil
}
