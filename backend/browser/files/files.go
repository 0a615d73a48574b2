// Package files keeps the files that commands make, each kind in a folder of its own
// that is the user's alone.
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

// Folder is where a session keeps the files of commands; empty for nowhere.
type Folder string

// Of returns one of the session's folders for the files of commands, made
// with mode 0700.
func (root Folder) Of(kind string) (string, error) {
	if root == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for files is set", "")
	}
	dir := filepath.Join(string(root), kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", NotWritable(dir, err)
	}
	return dir, nil
}

// New makes a file with mode 0600 under a name that nobody can guess or
// have planted.
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

// Save writes a whole file; one that cannot be finished is removed.
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

// Replace writes a file with mode 0600, whole or not at all.
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

// NotWritable says that a folder or file cannot be written, and what to do.
func NotWritable(path string, err error) error {
	return journal.NotWritable(path, err, ", or choose another folder in Settings")
}

// nameForm keeps a name usable as a file on every system.
var nameForm = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[a-z0-9][a-z0-9_-]*$`) })

// IsName says whether the name that a caller gives a file is one, and bounds it.
func IsName(name string) bool { return len(name) <= 64 && nameForm().MatchString(name) }
