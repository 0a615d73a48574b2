//go:build unix

package proc

import (
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Look returns the path of a program on the PATH, and prefers one that other programs of
// this user cannot replace: an agent can write in the user's home folder, and folders of
// it often come first on the PATH.
func Look(name string) (string, error) {
	first, err := exec.LookPath(name)
	if err != nil || filepath.Base(name) != name || !Replaceable(first) {
		return first, err
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if !filepath.IsAbs(dir) {
			continue
		}
		if path, err := exec.LookPath(filepath.Join(dir, name)); err == nil && !Replaceable(path) {
			return path, nil
		}
	}
	return first, nil
}

// Replaceable reports whether other programs of this user can put another file in the
// place of a program. Where this user is root, they can in any case, and only what every
// user can replace counts.
func Replaceable(program string) bool {
	at, err := filepath.EvalSymlinks(program)
	if err != nil {
		return true
	}
	me := os.Geteuid()
	for {
		var stat unix.Stat_t
		if err := unix.Stat(at, &stat); err != nil {
			return true
		}
		sticky := stat.Mode&unix.S_ISVTX != 0 // others remove and rename nothing in it
		if !sticky && stat.Mode&0o002 != 0 || me != 0 && (int(stat.Uid) == me || !sticky && unix.Access(at, unix.W_OK) == nil) {
			return true
		}
		up := filepath.Dir(at)
		if up == at {
			return false
		}
		at = up
	}
}
