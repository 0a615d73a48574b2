package catalogue

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Uploads decides which files agents give to pages. The app can read more than a confined
// agent, and a page reads a file later than the user allows it.
type Uploads struct {
	// Dir is a folder for copies, which confined agents do not see; empty for none: then
	// pages get the files themselves.
	Dir string
	// Private are folders whose files no agent gives to a page, apart from those in Open.
	Private, Open []string
}

// copies returns copies of an agent's files, for the page: whatever takes the place of a
// file after the user has allowed it, the page does not get that.
func (u Uploads) copies(names []string) ([]string, error) {
	if u.Dir == "" {
		return names, nil
	}
	for _, name := range names {
		if err := u.may(name); err != nil {
			return nil, err
		}
	}
	if err := os.MkdirAll(u.Dir, 0o700); err != nil {
		return nil, fmt.Errorf("making the folder for uploads: %w", err)
	}
	dir, err := os.MkdirTemp(u.Dir, "")
	if err != nil {
		return nil, fmt.Errorf("making a folder for an upload: %w", err)
	}
	out := make([]string, len(names))
	for i, name := range names {
		// Two files of one name are in folders of their own.
		out[i] = filepath.Join(dir, fmt.Sprint(i), filepath.Base(name))
		if err := copyInto(out[i], filepath.Clean(name)); err != nil {
			return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s cannot be read: %v", name, err), "check the path, and that it is a file or a folder of files")
		}
	}
	return out, nil
}

// may returns an error for a file that no agent gives to a page, and for a path that leads
// elsewhere than when the user saw it.
func (u Uploads) may(name string) error {
	to, err := u.real(name)
	if err == nil && to != filepath.Clean(name) {
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s leads to %s by a link now", name, to), "upload that path itself")
	}
	return err
}

// real returns the path of a file without links, or an error for one that no agent gives
// to a page.
func (u Uploads) real(name string) (string, error) {
	name = filepath.Clean(name)
	to, missing := filepath.EvalSymlinks(name)
	if missing != nil {
		to = name
	}
	private := slices.ContainsFunc(u.Private, func(dir string) bool { return inFolder(to, dir) || inFolder(linkTarget(dir), to) })
	if private && !slices.ContainsFunc(u.Open, func(dir string) bool { return inFolder(to, dir) }) {
		return "", protocol.NewError(protocol.CodeForbidden, name+" belongs to Pilotfish itself, and agents may not give it to a page", "the user can choose it in the page")
	}
	if missing != nil {
		return "", protocol.NewError(protocol.CodeBadArgument, "there is no file "+name, "check its path; commas separate several files")
	}
	return to, nil
}

// inFolder reports whether a path without links is a folder or lies in it.
func inFolder(path, dir string) bool {
	dir = linkTarget(dir)
	return path == dir || strings.HasPrefix(path, dir+string(filepath.Separator))
}

// linkTarget returns where a path leads to.
func linkTarget(path string) string {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		return to
	}
	return path
}

// copyInto copies a file, or a folder with all that is in it, without following links.
func copyInto(to, from string) error {
	info, err := os.Lstat(from)
	if err != nil {
		return err
	}
	if !info.IsDir() {
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		file, err := os.Open(from)
		if err != nil {
			return err
		}
		defer file.Close()
		return copyFile(to, file, info)
	}
	root, err := os.OpenRoot(from)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }() // it was only read
	if opened, err := root.Stat("."); err != nil || !os.SameFile(opened, info) {
		return errors.Join(fs.ErrInvalid, err)
	}
	return fs.WalkDir(root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if entry.IsDir() {
			return os.MkdirAll(target, 0o700)
		}
		listed, err := entry.Info()
		if err != nil {
			return err
		}
		if !listed.Mode().IsRegular() {
			return fmt.Errorf("%s is no plain file", name)
		}
		file, err := root.Open(name)
		if err != nil {
			return err
		}
		defer file.Close()
		return copyFile(target, file, listed)
	})
}

// copyFile writes an open file to a new one, which has the same time of change: a page may
// show it. It is an error if the file is no longer the one that info was read of.
func copyFile(to string, from *os.File, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is no plain file", filepath.Base(to))
	}
	if opened, err := from.Stat(); err != nil || !os.SameFile(opened, info) {
		return errors.Join(fs.ErrInvalid, err)
	}
	file, err := os.OpenFile(to, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = io.Copy(file, from)
	return errors.Join(err, file.Close(), os.Chtimes(to, info.ModTime(), info.ModTime()))
}
