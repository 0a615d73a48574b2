package session

import (
	"context"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// longestTitle is how many characters a session's name may have.
const longestTitle = 64

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
	base := config.FolderName(title)
	name := protocol.SessionName(base)
	for n := 2; m.sessions[name] != nil; n++ {
		name = protocol.SessionName(fmt.Sprintf("%s-%d", base, n))
	}
	dirs, err := m.cfg.Dirs.Session(name)
	if err == nil && title != string(name) {
		err = config.WriteTitle(dirs, title)
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

// called returns the name that the user sees.
func (s *Session) called() string {
	if s.title != "" {
		return s.title
	}
	return string(s.name)
}
