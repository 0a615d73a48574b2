package session

import (
	"context"
	"fmt"

	"pilotfish/backend/config"
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
)

// CreateTitled creates a stopped session with a name chosen by the user. It
// returns the name of its folder, which is also its name on the command line.
func (m *Manager) CreateTitled(_ context.Context, title string) (protocol.SessionName, error) {
	title, err := identity.Title(title)
	if err != nil {
		return "", err
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
	m.counted()
	return name, nil
}

// called returns the name that the user sees.
func (s *Session) called() string {
	if s.title != "" {
		return s.title
	}
	return string(s.name)
}
