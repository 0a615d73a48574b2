// Package files stores the files that commands create. Each kind has its own folder,
// which only the user can read.
package files

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"sync"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Folder is the folder in which a session keeps the files of commands.
type Folder struct {
	// Path is the folder; if it is empty, no file can be saved.
	Path string
	// Mask replaces the values of the user's secrets; nil for none.
	Mask func(string) string
}

// Of returns the folder for one kind of file. It creates the folder with mode 0700.
func (root Folder) Of(kind string) (string, error) {
	if root.Path == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for files is set", "")
	}
	dir := filepath.Join(root.Path, kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", NotWritable(dir, err)
	}
	return dir, nil
}

// New creates a file with mode 0600 under a name that nobody can guess or have
// created before.
func (root Folder) New(kind, name, extension string) (*os.File, error) {
	dir, err := root.Of(kind)
	if err != nil {
		return nil, err
	}
	suffix := make([]byte, 6)
	if _, err := rand.Read(suffix); err != nil {
		return nil, fmt.Errorf("naming a file: %w", err)
	}
	path := filepath.Join(dir, fmt.Sprintf("%s-%s.%s", name, hex.EncodeToString(suffix), extension))
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return nil, NotWritable(dir, err)
	}
	return f, nil
}

// Save writes a whole file; it removes a file that cannot be completed.
func (root Folder) Save(kind, name, extension string, data []byte) (protocol.SavedFile, error) {
	f, err := root.New(kind, name, extension)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return protocol.SavedFile{}, NotWritable(filepath.Dir(f.Name()), err)
	}
	return protocol.SavedFile{Path: f.Name(), Bytes: len(data)}, nil
}

// SaveMasked is Save without the values of the user's secrets.
func (root Folder) SaveMasked(kind, name, extension string, data []byte) (protocol.SavedFile, error) {
	if root.Mask != nil {
		data = []byte(root.Mask(string(data)))
	}
	return root.Save(kind, name, extension, data)
}

// Replace replaces a file atomically, with mode 0600.
func Replace(path string, data []byte) error {
	suffix := make([]byte, 6)
	_, _ = rand.Read(suffix) // never fails
	temp := path + "." + base64.RawURLEncoding.EncodeToString(suffix)
	f, err := os.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return NotWritable(filepath.Dir(path), err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(temp, path)
	}
	if err != nil {
		_ = os.Remove(temp)
		return NotWritable(filepath.Dir(path), err)
	}
	return nil
}

// NotWritable returns an error that says that a folder or file cannot be written, and
// what to do.
func NotWritable(path string, err error) error {
	return journal.NotWritable(path, err, ", or choose another folder in Settings")
}

// nameForm accepts names that are valid file names on every system.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) })

// IsName reports whether a caller's name for a file is valid and at most 64 bytes
// long.
func IsName(name string) bool { return len(name) <= 64 && nameForm().MatchString(name) }
