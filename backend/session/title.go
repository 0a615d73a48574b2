package session

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/config"
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
	// longestTitle is how many characters a session's name may have.
	longestTitle = 64
	// longestFolder is the length of a folder name made from a title, in bytes. It
	// leaves room for a number at the end.
	longestFolder = 28
)

// CreateTitled creates a stopped session with a name chosen by the user. It
// returns the name of its folder, which is also its name on the command line.
func (m *Manager) CreateTitled(_ context.Context, title string) (protocol.SessionName, error) {
	title = strings.Join(strings.Fields(title), " ")
	switch {
	case title == "":
		return "", protocol.NewError(protocol.CodeBadArgument, "the session has no name", "enter one")
	case utf8.RuneCountInString(title) > longestTitle:
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the name is longer than %d characters", longestTitle), "enter a shorter one")
	case strings.ContainsFunc(title, func(r rune) bool {
		return unicode.IsControl(r) || unicode.In(r, unicode.Bidi_Control) || r == utf8.RuneError
	}):
		return "", protocol.NewError(protocol.CodeBadArgument, "the name has characters that cannot be seen", "enter it again")
	}
	m.mu.Lock()
	for _, s := range m.sessions {
		if s.called() == title {
			m.mu.Unlock()
			return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is a session “%s” already", title), "choose another name")
		}
	}
	base := folderName(title)
	name := protocol.SessionName(base)
	for n := 2; m.sessions[name] != nil; n++ {
		name = protocol.SessionName(fmt.Sprintf("%s-%d", base, n))
	}
	dirs, err := m.cfg.Dirs.Session(name)
	if err == nil && title != string(name) {
		err = writeJSON(titlePath(dirs), titleFile{Version: titleVersion, Title: title})
	}
	if err != nil {
		m.mu.Unlock()
		return "", fmt.Errorf("making the session's folder: %w", err)
	}
	m.sessions[name] = newSession(m, name)
	m.mu.Unlock()
	m.changed()
	return name, nil
}

// folderName makes a name from a title that is valid as a folder name on every
// system.
func folderName(title string) string {
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

func titlePath(dirs config.SessionDirs) string { return filepath.Join(dirs.Root, "title.json") }

// readTitle reads the name that the user gave a session. It is empty when there
// is none or the file cannot be read; the session then has its folder's name.
func readTitle(all config.Dirs, name protocol.SessionName) string {
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

// called returns the name that the user sees.
func (s *Session) called() string {
	if s.title != "" {
		return s.title
	}
	return string(s.name)
}
