// Package saved gives access to the files that commands of a session saved,
// such as screenshots and downloads. The user may read all of them, an agent
// those that its own commands made.
package saved

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"pilotfish/backend/command"
	"pilotfish/backend/config"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// actorFiles is how many files an actor can fetch: the newest that its commands
// made.
const actorFiles = 500

// Files are the files of a session. Its methods are safe for concurrent use.
type Files struct {
	dirs     config.SessionDirs
	commands command.Table

	mu sync.Mutex
	// made holds the files that each actor's commands made, oldest first.
	made map[owner][]string
}

// owner identifies an actor. The other fields of an actor change: the name of a
// conversation has its tab and its agent.
type owner struct {
	kind protocol.ActorKind
	id   string
}

func ownerOf(a protocol.Actor) owner { return owner{a.Kind, a.ID} }

// New returns the files of a session. It knows who made a file only for files
// made from now on.
func New(dirs config.SessionDirs, commands command.Table) *Files {
	return &Files{dirs: dirs, commands: commands, made: map[owner][]string{}}
}

// Image reads a picture, if the actor may read it, and says of which MIME type it is. It
// returns CodeTooLarge for one over protocol.MaxImage bytes.
func (f *Files) Image(actor protocol.Actor, path string) (data []byte, kind string, err error) {
	file, err := f.Open(actor, path)
	if err != nil {
		return nil, "", err
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, protocol.MaxImage+1))
	if err != nil {
		return nil, "", fmt.Errorf("reading a picture: %w", err)
	}
	if len(data) > protocol.MaxImage {
		return nil, "", protocol.NewError(protocol.CodeTooLarge, "it is too large to be shown", "take a part of the page with clip, or a lower quality")
	}
	return data, MediaType(path), nil
}

// Attachment reads a file that a conversation or a step shows, if the actor may read it;
// path is the file's path there. It returns CodeTooLarge beyond protocol.MaxAttachment.
func (f *Files) Attachment(actor protocol.Actor, path string) (protocol.ChatAttachment, error) {
	file, err := f.Open(actor, path)
	if err != nil {
		return protocol.ChatAttachment{}, err
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, protocol.MaxAttachment+1))
	if err != nil {
		return protocol.ChatAttachment{}, fmt.Errorf("reading a file: %w", err)
	}
	if len(data) > protocol.MaxAttachment {
		return protocol.ChatAttachment{}, protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("the file is larger than %d MB", protocol.MaxAttachment>>20), "open it from its folder")
	}
	out := protocol.ChatAttachment{Kind: protocol.AttachFile, Name: filepath.Base(file.Name()), Mime: MediaType(file.Name()), Path: path, Data: base64.StdEncoding.EncodeToString(data)}
	if strings.HasPrefix(out.Mime, "image/") {
		out.Kind = protocol.AttachImage
	}
	return out, nil
}

// MediaType returns the media type of a file that our commands save; any other file is
// application/octet-stream.
func MediaType(name string) string {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".png":
		return "image/png"
	case ".jpg", ".jpeg":
		return "image/jpeg"
	case ".webp":
		return "image/webp"
	case ".gif":
		return "image/gif"
	case ".webm":
		return "video/webm"
	case ".pdf":
		return "application/pdf"
	case ".json", ".har":
		return "application/json"
	default:
		return "application/octet-stream"
	}
}

// Keep records which files a command made, so that an agent may fetch its own.
func (f *Files) Keep(actor protocol.Actor, name string, reply protocol.CommandReply) {
	spec, err := f.commands.Find(name)
	// Only the data of a command with Spec.Files has trusted paths; in other data,
	// a page may have written a path.
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
		list := f.made[ownerOf(actor)]
		if len(list) >= actorFiles {
			list = slices.Clone(list[1:])
		}
		f.made[ownerOf(actor)] = append(list, filepath.Clean(path))
	}
}

// Paths returns the paths of files in the data of a reply: the values of all
// fields with the name path, and the lists with the name paths.
func Paths(data any) []string { return paths(data, nil) }

// paths appends to found the paths in a value; see Paths.
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

// Open opens a file that a command of the session saved, or a file of a
// conversation. It reaches nothing outside those folders, whatever the path
// contains or links to.
func (f *Files) Open(actor protocol.Actor, path string) (*os.File, error) {
	dirs := f.dirs
	path = filepath.Clean(path)
	if !filepath.IsAbs(path) {
		path = filepath.Join(dirs.Root, path)
	}
	if policy.Agent(actor) && !f.has(actor, path) {
		return nil, noFile(path)
	}
	for _, dir := range append([]string{dirs.Screenshots, dirs.Downloads, dirs.Attachments}, earlierAttachments(dirs.Root, path)...) {
		below, err := filepath.Rel(dir, path)
		if err != nil || !filepath.IsLocal(below) {
			continue
		}
		return openBelow(dir, below, path)
	}
	return nil, noFile(path)
}

// earlierAttachments is the folder of files of the conversation that a path lies in,
// from when conversations had them beside their journals; none for another path.
// Nobody is given a journal.
func earlierAttachments(root, path string) []string {
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

// has reports whether an actor's command made a file.
func (f *Files) has(actor protocol.Actor, path string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.made[ownerOf(actor)], path)
}

// openBelow opens a regular file below a folder. No symbolic link leads out of
// the folder.
func openBelow(dir, below, path string) (*os.File, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, fmt.Errorf("opening the folder of a file: %w", err)
	}
	defer func() { _ = root.Close() }() // the opened file stays open
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

// noFile returns the same error for a file that does not exist and for one that
// belongs to another actor, so that an agent cannot find out which files exist.
func noFile(path string) error {
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.300s is not a file that you can have", path), "take a path that a command of yours gave")
}
