package main

import (
	"context"
	"errors"
	"log/slog"

	"pilotfish/app/operations"
	"pilotfish/app/programs"
	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// errAlreadyRunning is returned by a wiring when the app is already running and
// has been asked to show its window.
var errAlreadyRunning = errors.New("Pilotfish is running already") //nolint:staticcheck // a name

// wiring creates the program's parts. With an error it returns the parts that
// it has so far: the folders, so that the window can open them.
type wiring func(ctx context.Context, tty console) (parts, error)

// parts are the program's dependencies.
type parts struct {
	backend backend
	// problem is why the backend cannot be used; nil when it can.
	problem error
	logs    logTail
	// stateDir and logDir are the app's folders.
	stateDir, logDir string
	settingsFile     string
	// openFolder shows a folder in the desktop's file manager.
	openFolder func(ctx context.Context, path string) error
	login      operations.Login
	// programs are other programs, and the user's own MCP servers.
	programs programs.Programs
	// windowProgram is the path of pilotfish-window; empty when it is missing.
	windowProgram string
	// trayProgram is the path of pilotfish-tray; empty for no tray.
	trayProgram string
	// trayDir is a folder for the files of the tray's icon, emptied at each start.
	trayDir string
	logger  *slog.Logger
	// close releases the instance lock and closes the log file. It is called
	// last.
	close func()
}

// backend is the part of session.Manager that the program uses.
type backend interface {
	// Run serves until ctx ends, then stops every session and returns when
	// nothing of them is left.
	Run(ctx context.Context) error
	Window() protocol.WindowState
	// Begun is closed when the first panel shows its terminal, or when there is
	// none to wait for.
	Begun() <-chan struct{}
	// Changes notifies that Window returns a new state.
	Changes() *hub.Subscription[struct{}]
	operations.Backend
	// ServeControl sets what the control page may do. Call it before Run.
	ServeControl(table op.Table)
	SetTray(host protocol.TrayHost)
	// OnShow sets the function that shows the window.
	OnShow(show func(protocol.WindowShow))
	// OnQuit sets the function that ends the program.
	OnQuit(quit func())
}

// logTail is the part of the log that the window shows.
type logTail interface {
	operations.Log
	// Follow calls heard with new records, in batches of at most most, until
	// ctx ends.
	Follow(ctx context.Context, most int, heard func([]protocol.LogRecord))
}
