package config

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// Usable returns the app's folders, ready for use. If one of them cannot be written,
// or other users have access to it, this run works in memory instead: in a folder
// that is removed at its end (see Passing). notice then says so. The user's settings
// and site rules are copied there as far as they can be read.
func Usable(getenv func(string) string) (dirs Dirs, notice *protocol.Error, err error) {
	dirs, err = UserDirs(getenv)
	if err != nil {
		return dirs, nil, err
	}
	err = dirs.Prepare()
	if protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeNotWritable {
		return dirs, nil, err
	}
	passing := Passing(getenv)
	if prepared := passing.Prepare(); prepared != nil {
		return dirs, nil, err // the first error says what to fix
	}
	passing.take(dirs)
	cause := protocol.AsError(err)
	return passing, cause.Saying(cause.Message + "; changes are lost when Pilotfish quits"), nil
}

// Passing returns the folders of a run that keeps nothing. They are in the user's
// runtime folder, which most systems hold in memory. All our programs use the same
// folders, so that the command line finds the app there, too.
func Passing(getenv func(string) string) Dirs {
	base := getenv("XDG_RUNTIME_DIR")
	if !filepath.IsAbs(base) {
		base = os.TempDir()
	}
	// The name is unique for this user and for one of several home folders.
	name := fmt.Sprintf("pilotfish-%d", os.Getuid())
	if home := getenv(protocol.EnvHome); home != "" {
		sum := sha256.Sum256([]byte(home))
		name += "-" + hex.EncodeToString(sum[:6])
	}
	root := filepath.Join(base, name)
	return Dirs{Config: filepath.Join(root, "config"), State: filepath.Join(root, "state"), Passing: root}
}

// take copies settings and site rules from our own folders, as far as they can be
// read. For what cannot be copied, the strict defaults apply.
func (d Dirs) take(from Dirs) {
	_ = copyOurs(from.SettingsFile(), d.SettingsFile())
	names, err := from.Sessions()
	if err != nil {
		return
	}
	for _, name := range names {
		if dirs, err := d.Session(name); err == nil {
			_ = copyOurs(filepath.Join(from.sessionsDir(), string(name), RulesFile), filepath.Join(dirs.Root, RulesFile))
		}
	}
}

// RulesFile is the name of a session's site rules in its folder.
const RulesFile = "rules.json"

// copyOurs copies a file from a folder of ours. It does not read files that another
// user may have created.
func copyOurs(from, to string) error {
	for _, path := range []string{filepath.Dir(from), from} {
		info, err := os.Lstat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case err != nil:
			return fmt.Errorf("looking at %s: %w", path, err)
		case info.Mode()&fs.ModeSymlink != 0 || !ownedByUs(info):
			return protocol.NewError(protocol.CodeNotWritable, path+" can be changed by other users", "")
		}
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return fmt.Errorf("reading %s: %w", from, err)
	}
	return journal.WriteFile(to, data, 0o600)
}

// End removes the folders of a run that keeps nothing; it keeps permanent folders.
func (d Dirs) End() error {
	if d.Passing == "" {
		return nil
	}
	if err := os.RemoveAll(d.Passing); err != nil {
		return fmt.Errorf("removing %s: %w", d.Passing, err)
	}
	return nil
}
