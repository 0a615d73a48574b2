package client

import (
	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// endpoint reads how the running app is reached.
func endpoint(getenv func(string) string) (protocol.Endpoint, error) {
	dirs, err := config.UserDirs(getenv)
	if err != nil {
		return protocol.Endpoint{}, err
	}
	endpoint, err := instance.ReadEndpoint(dirs.EndpointFile())
	if endpoint.Ending {
		return endpoint, err
	}
	if err != nil {
		// One that could not use its folders is elsewhere.
		if other, otherErr := instance.ReadEndpoint(config.Passing(getenv).EndpointFile()); otherErr == nil {
			return other, nil
		}
	}
	if e := protocol.AsError(err); e != nil && e.Code == protocol.CodeNotRunning {
		return protocol.Endpoint{}, say.NotRunning(e.Message)
	}
	return endpoint, err
}
