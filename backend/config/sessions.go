package config

import (
	"fmt"
	"os"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/protocol"
)

// sessionsIn returns the tables of sessions in a settings file as they are now; the user
// may have changed them since the start. A file that cannot be read has none.
func sessionsIn(path string) map[string]any {
	var f struct {
		Sessions map[string]any `toml:"sessions"`
	}
	data, err := os.ReadFile(path)
	if err != nil || toml.Unmarshal(data, &f) != nil {
		return nil
	}
	return f.Sessions
}

// SaveIdentity writes the table of a session, which the caller has checked; the zero
// value removes it.
func (s *Store) SaveIdentity(name protocol.SessionName, id protocol.SessionIdentity) error {
	encoded, err := toml.Marshal(id)
	if err != nil {
		return fmt.Errorf("encoding the identity of session %s: %w", name, err)
	}
	var table map[string]any
	if err := toml.Unmarshal(encoded, &table); err != nil {
		return fmt.Errorf("encoding the identity of session %s: %w", name, err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	sessions := s.sessions()
	if sessions == nil {
		sessions = map[string]any{}
	}
	if delete(sessions, string(name)); len(table) > 0 {
		sessions[string(name)] = table
	}
	return s.write(s.settings, sessions)
}
