package main

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// dirs are the folders of the app.
func (p *program) dirs() []string {
	if home := p.getenv(protocol.EnvHome); home != "" {
		return []string{filepath.Join(home, "config"), filepath.Join(home, "state"), filepath.Join(home, "cache")}
	}
	folder := func(name, usual string) string {
		if dir := p.getenv(name); filepath.IsAbs(dir) {
			return filepath.Join(dir, "pilotfish")
		}
		return filepath.Join(p.getenv("HOME"), usual, "pilotfish")
	}
	return []string{folder("XDG_CONFIG_HOME", ".config"), folder("XDG_STATE_HOME", ".local/state"), folder("XDG_CACHE_HOME", ".cache")}
}

func (p *program) settings() protocol.Settings { return protocol.Settings{} }

// endpoint reads how the running app is reached.
func (p *program) endpoint() (protocol.Endpoint, error) {
	var e protocol.Endpoint
	text, err := os.ReadFile(filepath.Join(p.dirs()[1], "pilotfish.json"))
	if errors.Is(err, fs.ErrNotExist) {
		return e, notRunning("Pilotfish is not running")
	}
	if err == nil {
		err = json.Unmarshal(text, &e)
	}
	return e, err
}
