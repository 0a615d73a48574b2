package browser

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// folder returns one of the session's folders for the files of commands, made
// with mode 0700.
func (b *Browser) folder(kind string) (string, error) {
	root := b.config.FilesDir
	if root == "" {
		return "", protocol.NewError(protocol.CodeInternal, "no folder for files is set", "")
	}
	dir := filepath.Join(root, kind)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return "", notWritable(dir, err)
	}
	return dir, nil
}

// newFile makes a file with mode 0600 under a name that nobody can guess or
// have planted.
func (b *Browser) newFile(kind, name, extension string) (*os.File, error) {
	dir, err := b.folder(kind)
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
		return nil, notWritable(dir, err)
	}
	return f, nil
}

// saveFile writes a whole file; one that cannot be finished is removed.
func (b *Browser) saveFile(kind, name, extension string, data []byte) (protocol.SavedFile, error) {
	f, err := b.newFile(kind, name, extension)
	if err != nil {
		return protocol.SavedFile{}, err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		_ = os.Remove(f.Name())
		return protocol.SavedFile{}, notWritable(filepath.Dir(f.Name()), err)
	}
	return protocol.SavedFile{Path: f.Name(), Bytes: len(data)}, nil
}
