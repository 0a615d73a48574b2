package client

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/app/cli/say"
	"pilotfish/backend/config"
	"pilotfish/backend/instance"
	"pilotfish/backend/protocol"
)

// endpoint reads the endpoint file of the running app.
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
		// An app that could not use its folders has its endpoint file elsewhere.
		if other, otherErr := instance.ReadEndpoint(config.Passing(getenv).EndpointFile()); otherErr == nil {
			return other, nil
		}
	}
	if e := protocol.AsError(err); e != nil && e.Code == protocol.CodeNotRunning {
		return protocol.Endpoint{}, say.NotRunning(e.Message)
	}
	return endpoint, err
}

// Service is the path of pilotfish-service, in the folder of this program: the
// program for everything that the command line starts and leaves running.
func Service() (string, error) {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own) // resolves a link in a folder of PATH
	}
	if err != nil {
		return "", withoutSystem("this program's own path cannot be found: " + err.Error())
	}
	return filepath.Join(filepath.Dir(own), "pilotfish-service"+exe), nil
}

// Unstartable is the error for a service that does not start.
func Unstartable(service string, err error) error {
	if missing, ok := errors.AsType[*fs.PathError](err); ok && missing.Path == os.DevNull {
		return withoutSystem(fmt.Sprintf("%s cannot be started: %v", service, err))
	}
	return protocol.NewError(protocol.CodeInternal, fmt.Sprintf("%s cannot be started: %v", service, err), "install Pilotfish again")
}

// withoutSystem is the error for a root folder in which the system's own are missing.
func withoutSystem(what string) error {
	return protocol.NewError(protocol.CodeInternal, what, "Pilotfish needs /proc and /dev, which every container has; in a root folder of your own mount them first")
}
