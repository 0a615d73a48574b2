// Package saved gives out the files that commands of a session saved, such as
// screenshots and downloads: the user all of them, an agent those that commands of its
// own made.
package saved

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// actorFiles is how many files of an actor's commands it can still fetch.
const actorFiles = 500

// Config is what Files need. All fields are required.
type Config struct {
	// Dirs are the folders of the session.
	Dirs func() (Dirs, error)
	// Find finds a command.
	Find func(name string) (command.Spec, error)
}

// Dirs are the folders of a session that has files.
type Dirs struct{ Root, Screenshots, Downloads string }

// Files are those of a session. Their methods are safe for concurrent use.
type Files struct {
	cfg Config

	mu sync.Mutex
	// made are the files of each actor's commands, oldest first.
	made map[protocol.Actor][]string
}

// New returns the files of a session. Who made which is known from now on.
func New(cfg Config) *Files { return &Files{cfg: cfg, made: map[protocol.Actor][]string{}} }

// Keep notes which files a command made: an agent may fetch those of its
// own.
func (f *Files) Keep(actor protocol.Actor, name string, reply protocol.CommandReply) {
	spec, err := f.cfg.Find(name)
	// Only a command that says so gives paths; in the data of another one a page
	// may have written some.
	if err != nil || !reply.OK || !spec.Files {
		return
	}
	var data any
	if json.Unmarshal(reply.Data, &data) != nil {
		return
	}
	made := Paths(data)
	if len(made) == 0 {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, path := range made {
		list := f.made[actor]
		if len(list) >= actorFiles {
			list = slices.Clone(list[1:])
		}
		f.made[actor] = append(list, filepath.Clean(path))
	}
}

// Paths are the paths of files in the data of a reply: the values of all fields that
// are called path, or are lists called paths.
func Paths(data any) []string { return paths(data, nil) }

// paths are the values of all fields that are called path, or are lists called
// paths.
func paths(v any, found []string) []string {
	switch v := v.(type) {
	case map[string]any:
		for name, inner := range v {
			path, text := inner.(string)
			list, many := inner.([]any)
			switch {
			case name == "path" && text && path != "":
				found = append(found, path)
			case name == "paths" && many:
				for _, one := range list {
					if path, text := one.(string); text && path != "" {
						found = append(found, path)
					}
				}
			default:
				found = paths(inner, found)
			}
		}
	case []any:
		for _, inner := range v {
			found = paths(inner, found)
		}
	}
	return found
}

// Open opens a file that a command of the session saved. Nothing outside the
// session's screenshots and downloads is reached, whatever the path says or
// links to.
func (f *Files) Open(actor protocol.Actor, path string) (*os.File, error) {
	dirs, err := f.cfg.Dirs()
	if err != nil {
		return nil, err
	}
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dirs.Root, path)
	}
	if policy.Agent(actor) && !f.has(actor, path) {
		return nil, noFile(path)
	}
	for _, dir := range append([]string{dirs.Screenshots, dirs.Downloads}, conversationFiles(dirs.Root, path)...) {
		below, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		return openBelow(dir, below, path)
	}
	return nil, noFile(path)
}

// conversationFiles is the folder of files of the conversation that a path lies
// in; none for another path. The journal beside it is given to nobody.
func conversationFiles(root, path string) []string {
	below, err := filepath.Rel(filepath.Join(root, "chat"), path)
	if err != nil || !filepath.IsLocal(below) {
		return nil
	}
	parts := strings.Split(filepath.ToSlash(below), "/")
	if len(parts) != 3 || parts[1] != "files" {
		return nil
	}
	return []string{filepath.Join(root, "chat", parts[0], "files")}
}

// has says whether a file is one of an actor's commands.
func (f *Files) has(actor protocol.Actor, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.made[actor], path)
}

// openBelow opens a regular file below a folder; no link leads out of it.
func openBelow(dir, below, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of a file: %w", err)
	}
	defer func() { _ = root.Close() }() // what is open stays open
	info, err := root.Stat(below)
	if err != nil || !info.Mode().IsRegular() {
		return nil, noFile(path)
	}
	f, err := root.Open(below)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, noFile(path)
	}
	if err != nil {
		return nil, fmt.Errorf("opening a file: %w", err)
	}
	return f, nil
}

// noFile is the same error for a file that is not there and for one that is not
// the caller's: the difference is nobody's business.
func noFile(path string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.300s is not a file that you can have", path), "take a path that a command of yours gave")
}
