package main

import (
	"errors"
	"io/fs"
	"os"

	"github.com/pelletier/go-toml/v2"

	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// dirs are the folders of the app.
func (p *program) dirs() (config.Dirs, error) { return config.UserDirs(p.getenv) }

// endpoint reads how the running app is reached.
func (p *program) endpoint() (protocol.Endpoint, error) {
	dirs, err := p.dirs()
	if err != nil {
		return protocol.Endpoint{}, err
	}
	endpoint, err := instance.ReadEndpoint(dirs.EndpointFile())
	if endpoint.Ending {
		return endpoint, err
	}
	if err != nil {
		// One that could not use its folders is elsewhere.
		if other, otherErr := instance.ReadEndpoint(config.Passing(p.getenv).EndpointFile()); otherErr == nil {
			return other, nil
		}
	}
	if e := protocol.AsError(err); e != nil && e.Code == protocol.CodeNotRunning {
		return protocol.Endpoint{}, notRunning(e.Message)
	}
	return endpoint, err
}

// browserPath is the browser of Settings, and what is wrong with the file. It is
// read only: opening the settings as the app does puts a broken file aside.
func (p *program) browserPath() (path, problem string) {
	dirs, err := p.dirs()
	if err != nil {
		return "", "" // the check of the folders says it
	}
	text, err := os.ReadFile(dirs.SettingsFile())
	if errors.Is(err, fs.ErrNotExist) {
		return "", ""
	}
	var settings struct {
		BrowserPath string `toml:"browser_path"`
	}
	if err == nil {
		err = toml.Unmarshal(text, &settings)
	}
	if err != nil {
		return "", err.Error()
	}
	return settings.BrowserPath, ""
}
