package main

import (
	"context"
	"io"
	"os"

	"pilotfish/app/assembly"
	"pilotfish/app/programs"
	"pilotfish/app/service/connecting"
	"pilotfish/backend/config"
	"pilotfish/backend/desktop"
	"pilotfish/backend/toolservers"
	"pilotfish/backend/toolservers/credentials"
)

// wire creates the real parts. A second instance asks the first one to show its
// window instead. With an error it returns the folders, for the window that
// shows the error.
func wire(ctx context.Context, tty console) (parts, error) {
	window, err := assembly.Sibling("pilotfish-window")
	if err != nil {
		return parts{}, err
	}
	dirs, _, err := config.Usable(os.Getenv) // assembly.New reports the error
	if dirs.State == "" {
		return parts{windowProgram: window}, err
	}
	so := parts{windowProgram: window, stateDir: dirs.State, logDir: dirs.LogDir(), settingsFile: dirs.SettingsFile(), openFolder: desktop.Open}
	program, err := assembly.Sibling("pilotfish")
	if err != nil {
		return so, err
	}
	var also io.Writer
	if os.Getenv("PILOTFISH_LOG") != "" {
		also = tty.err
	}
	made, err := assembly.New(ctx, assembly.Options{Version: version, Program: program, Console: also})
	if assembly.IsRunning(err) {
		return so, askToShow(ctx, dirs.EndpointFile())
	}
	if err != nil {
		return so, err
	}
	logger := made.Log.Logger()
	tray, err := assembly.Sibling("pilotfish-tray")
	if err != nil {
		logger.Warn("tray program is missing", "error", err)
	}
	so.backend, so.logs, so.logger, so.close = made.Manager, made.Log, logger, made.Close
	entry := desktop.NewLoginEntry(os.Getenv)
	so.login.Entry = &entry
	if so.login.Program, err = os.Executable(); err != nil {
		logger.Warn("own path is unknown", "error", err)
	}
	so.programs = programs.Programs{
		Place:   connecting.Place{Getenv: os.Getenv, Executable: func() (string, error) { return program, nil }},
		Servers: toolservers.NewStore(dirs.ServersFile(), credentials.New(dirs.ServerSecretsFile(), desktop.KeyringRuns)),
	}
	so.trayProgram, so.trayDir = tray, dirs.TrayDir()
	return so, nil
}
