package main

import (
	"os"
	"path/filepath"

	"pilotfish/app/cli/quick"
	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// dirs are the folders of the app.
func (p *program) dirs() (config.Dirs, error) { return config.UserDirs(p.getenv) }

// executable is the path of the program that people and agents start: not of the
// whole program behind it (see package quick), if that is what runs.
func executable() (string, error) {
	own, err := os.Executable()
	if err == nil && filepath.Base(own) == quick.Whole {
		return filepath.Join(filepath.Dir(own), "pilotfish"), nil
	}
	return own, err
}

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
		return protocol.Endpoint{}, say.NotRunning(e.Message)
	}
	return endpoint, err
}

// settings are those of the app, what is not known of them, and why they cannot
// be read. The file stays as it is: opening it as the app does puts a broken one
// aside.
func (p *program) settings() (settings protocol.Settings, notice *protocol.Error, err error) {
	dirs, err := p.dirs()
	if err != nil {
		return config.Defaults(), nil, nil //nolint:nilerr // the check of the folders says it
	}
	return config.Read(dirs.SettingsFile())
}
