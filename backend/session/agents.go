package session

import (
	"encoding/json"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// writeAgents writes agents.json.
func (s *Session) writeAgents(agents protocol.AgentsFile) {
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err == nil {
		err = writeJSON(filepath.Join(dirs.Root, "agents.json"), agents)
	}
	if err != nil {
		s.log.Warn("agents.json could not be written", "error", err)
	}
}

// writeJSON writes a file of the state folder atomically.
func writeJSON(path string, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return err
	}
	return journal.WriteFile(path, append(data, '\n'), 0o600)
}
