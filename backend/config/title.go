package config

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// titleFile is the content of title.json in a session's folder: the name that
// the user gave the session.
type titleFile struct {
	Version int    `json:"version"`
	Title   string `json:"title"`
}

const (
	titleVersion = 1
	// longestFolder is the length of a folder name made from a title, in bytes. It
	// leaves room for a number at the end.
	longestFolder = 28
)

// FolderName makes a name from a title that is valid as a folder name on every
// system.
func FolderName(title string) string {
	var b strings.Builder
	for _, r := range strings.ToLower(title) {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '_':
			b.WriteRune(r)
		case b.Len() > 0 && !strings.HasSuffix(b.String(), "-"):
			b.WriteByte('-')
		}
	}
	name := b.String()
	if len(name) > longestFolder {
		name = name[:longestFolder]
	}
	name = strings.Trim(name, "-_")
	if name == "" {
		return "session"
	}
	return name
}

func titlePath(dirs SessionDirs) string { return filepath.Join(dirs.Root, "title.json") }

// ReadTitle reads the name that the user gave a session. It is empty when there
// is none or the file cannot be read; the session then has its folder's name.
func ReadTitle(all Dirs, name protocol.SessionName) string {
	dirs, err := all.Session(name)
	if err != nil {
		return ""
	}
	data, err := os.ReadFile(titlePath(dirs))
	var file titleFile
	if err != nil || json.Unmarshal(data, &file) != nil || file.Version != titleVersion {
		return ""
	}
	return file.Title
}

// WriteTitle writes the name that the user gave a session.
func WriteTitle(dirs SessionDirs, title string) error {
	data, err := json.MarshalIndent(titleFile{Version: titleVersion, Title: title}, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(titlePath(dirs), append(data, '\n'), 0o600)
}
