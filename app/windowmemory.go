package main

import (
	"encoding/json"
	"os"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// windowMemory stores the window's place between starts. The window's program
// receives it on its command line, and reports each change.
type windowMemory struct{ dir string }

func (m windowMemory) path() string { return filepath.Join(m.dir, "window.json") }

// read returns the stored place as JSON, or "" when none is known.
func (m windowMemory) read() string {
	data, err := os.ReadFile(m.path())
	var place protocol.WindowPlacement
	if err != nil || json.Unmarshal(data, &place) != nil {
		return ""
	}
	return string(data)
}

func (m windowMemory) write(place *protocol.WindowPlacement) error {
	if place == nil || m.dir == "" {
		return nil
	}
	data, err := json.Marshal(place)
	if err != nil {
		return err
	}
	return journal.WriteFile(m.path(), data, 0o600)
}

// args returns the command line of the window's program. A window that the user
// did not ask for is shown behind the browser of a session that starts or runs:
// it must neither cover its panel nor take the keyboard focus from it.
func (w *window) args() (args []string) {
	if place := w.memory.read(); place != "" {
		args = append(args, "-placement", place)
	}
	state := w.state()
	args = append(args, "-theme", string(state.Theme))
	w.mu.Lock()
	asked := w.asked
	w.asked = false
	w.mu.Unlock()
	if asked {
		return args
	}
	for _, s := range state.Sessions {
		if s.State == protocol.SessionStarting || s.State == protocol.SessionRunning {
			return append(args, "-behind")
		}
	}
	return args
}
