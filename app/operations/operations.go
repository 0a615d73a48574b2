// Package operations are the operations of the app itself, and all of them as one table:
// what the window, the tray and the control page may call.
package operations

import (
	"context"
	"path/filepath"

	"pilotfish/app/programs"
	"pilotfish/backend/config"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Backend is the part of session.Manager that the operations use; without a backend, the
// app has another one.
type Backend interface {
	// Operations are those of the backend.
	Operations() []op.Operation
	Settings() protocol.Settings
	SaveSettings(ctx context.Context, settings protocol.Settings) (protocol.Settings, error)
}

// Log is the part of the log that the window shows.
type Log interface {
	// Tail returns the newest records, oldest first.
	Tail() []protocol.LogRecord
}

// Local are the parts of the app's own operations: those that need no session.
type Local struct {
	Backend Backend
	Log     Log
	// OpenFolder shows a folder in the desktop's file manager.
	OpenFolder func(ctx context.Context, path string) error
	Login      Login
	State      func() protocol.WindowState
	Quit       func()
	First      *FirstRun
	Programs   programs.Programs
	// Changed is called when the state has changed.
	Changed func()
	// SettingsFile is the path of settings.toml.
	SettingsFile string
	// Missing is what every other operation returns; nil when the backend runs.
	Missing error
}

// Table returns all operations of the window, the tray and the control page. The page calls them by their
// names; it receives an error as the JSON of protocol.SettingsError.
func (l Local) Table() op.Table {
	return op.NewTable(l.Missing, append(l.Backend.Operations(),
		// State is everything that the window shows. Each later state arrives as an event.
		op.New("State", func(context.Context, op.Call, op.None) (protocol.WindowState, error) { return l.State(), nil }),
		op.New("Settings", func(context.Context, op.Call, op.None) (protocol.Settings, error) {
			return l.Login.seen(l.Backend.Settings()), nil
		}),
		// SaveSettings returns the settings as they were parsed.
		op.New("SaveSettings", func(ctx context.Context, _ op.Call, settings protocol.Settings) (protocol.Settings, error) {
			saved, err := l.Backend.SaveSettings(ctx, settings)
			if err != nil {
				return saved, err
			}
			return saved, l.Login.apply(saved)
		}),
		op.New("SettingsRegistry", func(context.Context, op.Call, op.None) (protocol.SettingsRegistry, error) {
			return config.Registry(l.SettingsFile), nil
		}),
		l.opensFolder("OpenSettingsFolder", func() string { return filepath.Dir(l.SettingsFile) }),
		l.opensFolder("OpenLogFolder", func() string { return l.State().LogDir }),
		l.opensFolder("OpenStateFolder", func() string { return l.State().StateDir }),
		// FirstRunDone: the user has seen the steps of the first run, or does not want to.
		op.Do("FirstRunDone", func(context.Context, op.Call, op.None) error {
			defer l.Changed()
			return l.First.done()
		}),
		// Logs are the newest records of the log, oldest first. Later ones arrive as events.
		op.New("Logs", func(context.Context, op.Call, op.None) ([]protocol.LogRecord, error) { return l.Log.Tail(), nil }),
		// Programs lists other programs, or shows, makes or takes back the change that connects
		// one to Pilotfish.
		op.New("Programs", func(ctx context.Context, _ op.Call, req protocol.ProgramsRequest) (protocol.ProgramsReply, error) {
			return l.Programs.Connect(ctx, req)
		}),
		// ToolServers lists the user's own MCP servers, or changes the list.
		op.New("ToolServers", func(ctx context.Context, _ op.Call, req protocol.ToolServersRequest) (protocol.ToolServersReply, error) {
			return l.Programs.ToolServers(ctx, req)
		}),
		op.Do("Quit", func(context.Context, op.Call, op.None) error {
			l.Quit()
			return nil
		}).OnDesktop(),
	)...)
}

// opensFolder shows a folder in the desktop's file manager.
func (l Local) opensFolder(name string, folder func() string) op.Operation {
	return op.Do(name, func(ctx context.Context, _ op.Call, _ op.None) error { return l.OpenFolder(ctx, folder()) }).OnDesktop()
}
