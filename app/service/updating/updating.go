// Package updating is `pilotfish update`: it says whether there is a newer version, and
// installs it where no package manager does.
package updating

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
	"pilotfish/backend/update"
)

// Request is what the command line asks for.
type Request struct {
	// Check says what is new and changes nothing.
	Check bool
	// From and Key set where updates are published, and who signs them; From "none"
	// switches updates off.
	From, Key string
	// Undo puts the version before the last update back.
	Undo bool
	// JSON prints data in place of text.
	JSON bool
}

// Place says where the command runs. Address and Key are those that were built in; the
// address "none" is none.
type Place struct {
	Getenv       func(string) string
	Version      string
	Address, Key string
	// Succeeds runs a command of a package manager and reports whether it succeeds.
	Succeeds func(ctx context.Context, command ...string) bool
}

// chosen is the file in which the user's choice is kept.
type chosen struct {
	Address string `json:"address"`
	Key     string `json:"key"`
}

// said is what is printed.
type said struct {
	Installed string     `json:"installed"`
	Release   string     `json:"release,omitempty"`
	Newer     bool       `json:"newer"`
	Way       update.Way `json:"way"`
	Done      bool       `json:"done"`
	Text      string     `json:"text"`
}

// limit is how long an update may take.
const limit = 15 * time.Minute

// Run carries a request out and prints what was done.
func Run(ctx context.Context, at Place, req Request, out io.Writer) error {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if at.Getenv(protocol.EnvMark) != "" || at.Getenv(protocol.EnvConfined) != "" {
		return protocol.NewError(protocol.CodeRefused, "only the user updates Pilotfish, and an agent asked", "run it in a shell of your own")
	}
	done, err := carryOut(ctx, at, req)
	if err != nil {
		return err
	}
	if req.JSON {
		return say.Object(out, done)
	}
	return say.Text(out, done.Text)
}

func carryOut(ctx context.Context, at Place, req Request) (said, error) {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	if err != nil {
		return said{}, fmt.Errorf("finding this program: %w", err)
	}
	folder := filepath.Dir(own)
	done := said{Installed: at.Version, Way: update.WayOf(folder, func(command ...string) bool {
		return at.Succeeds(ctx, command...)
	})}
	if req.Undo {
		if byHand := other(done.Way, ""); byHand != "" {
			return done, protocol.NewError(protocol.CodeBadArgument, "this Pilotfish was not updated by itself", byHand)
		}
		done.Done, done.Text = true, "The version before is back. `pilotfish update --undo` changes them again."
		return done, update.Restore(folder, runtime.GOOS)
	}
	from, err := source(at, req)
	if err != nil {
		return done, err
	}
	if from.Address == "" {
		done.Text = "Updates are off, and nothing was sent. `pilotfish update --from ADDRESS --key KEY` sets where they are published and the minisign key that signs them."
		return done, nil
	}
	key, err := update.Key(from.Key)
	if err != nil {
		return done, err
	}
	s := update.Source{Address: from.Address, Key: key, Installed: at.Version, OS: runtime.GOOS, Arch: runtime.GOARCH}
	found, err := s.Check(ctx)
	if err != nil {
		return done, err
	}
	done.Release, done.Newer = found.Manifest.Release, found.Newer
	byHand := other(done.Way, done.Release)
	switch {
	case !found.Newer:
		done.Text = fmt.Sprintf("%s is the newest version.", at.Version)
		return done, nil
	case byHand != "":
		done.Text = fmt.Sprintf("%s is there; this is %s. %s", done.Release, at.Version, byHand)
		return done, nil
	case req.Check:
		done.Text = fmt.Sprintf("%s is there; this is %s. `pilotfish update` installs it.", done.Release, at.Version)
		return done, nil
	}
	if err := s.Install(ctx, found.Manifest, folder); err != nil {
		return done, err
	}
	done.Done = true
	done.Text = fmt.Sprintf("%s is installed. What runs goes on with %s until it is started again. `pilotfish update --undo` takes it back.", done.Release, at.Version)
	return done, nil
}

// other says how an installation is renewed that does not renew itself; "" for one that
// does.
func other(way update.Way, release string) string {
	switch way {
	case update.ByDeb:
		return "Install it with the package manager: sudo apt-get update && sudo apt-get install --only-upgrade pilotfish"
	case update.ByRPM:
		return "Install it with the package manager: sudo dnf upgrade pilotfish"
	case update.ByClone:
		if release != "" {
			return "This is a clone: git pull && make build"
		}
		return "This is a clone: git checkout chooses its version"
	case update.ByNPM:
		return "Install it with npm: npm install --global pilotfish@" + cmp.Or(release, "VERSION")
	case update.ByFolder:
	}
	return ""
}

// source returns where updates are published: what the user chose, else what was built
// in. It remembers what the request sets.
func source(at Place, req Request) (chosen, error) {
	dirs, err := config.UserDirs(at.Getenv)
	if err != nil {
		return chosen{}, err
	}
	path := filepath.Join(dirs.Config, "update.json")
	from := chosen{Address: at.Address, Key: at.Key}
	text, err := os.ReadFile(path)
	if err == nil {
		err = json.Unmarshal(text, &from)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return from, protocol.NewError(protocol.CodeBadArgument, path+" cannot be read: "+err.Error(), "remove it, and set the address again")
	}
	if from.Address == "none" {
		from = chosen{}
	}
	if req.From == "" && req.Key == "" {
		return from, nil
	}
	if req.From != "" {
		from.Address = req.From
	}
	if req.Key != "" {
		from.Key = req.Key
	}
	if from.Address == "none" {
		from = chosen{}
	} else if from.Key == "" || from.Address == "" {
		return from, protocol.NewError(protocol.CodeBadArgument, "an address needs the key that signs what is there, and a key an address", "pilotfish update --from ADDRESS --key KEY")
	} else if _, err := update.Key(from.Key); err != nil {
		return from, err
	}
	text, err = json.MarshalIndent(from, "", "  ")
	if err == nil {
		if err = os.MkdirAll(dirs.Config, 0o700); err == nil {
			err = journal.WriteFile(path, append(text, '\n'), 0o600)
		}
	}
	if err != nil {
		return from, fmt.Errorf("remembering where updates are: %w", err)
	}
	return from, nil
}
