package main

import (
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
