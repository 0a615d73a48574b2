package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"pilotfish/app/programs"
	"pilotfish/backend/config"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// local are the parts of the app's own operations: those that need no session.
type local struct {
	backend    backend
	logs       logTail
	openFolder func(ctx context.Context, path string) error
	login      login
	state      func() protocol.WindowState
	quit       func()
	first      *firstRun
	programs   programs.Programs
	changed    func() // sends the window the state
	// settingsFile is the path of settings.toml.
	settingsFile string
	// missing is what every other operation returns; nil when the backend runs.
	missing error
}

// table returns all operations of the window and the tray. The page calls them by their
// names; it receives an error as the JSON of protocol.SettingsError.
func (l local) table() op.Table {
	return op.NewTable(l.missing, append(l.backend.Operations(),
		// State is everything that the window shows. Each later state arrives as an event.
		op.New("State", func(context.Context, op.Call, op.None) (protocol.WindowState, error) { return l.state(), nil }),
		op.New("Settings", func(context.Context, op.Call, op.None) (protocol.Settings, error) {
			return l.login.seen(l.backend.Settings()), nil
		}),
		// SaveSettings returns the settings as they were parsed.
		op.New("SaveSettings", func(ctx context.Context, _ op.Call, settings protocol.Settings) (protocol.Settings, error) {
			saved, err := l.backend.SaveSettings(ctx, settings)
			if err != nil {
				return saved, err
			}
			return saved, l.login.apply(saved)
		}),
		op.New("SettingsRegistry", func(context.Context, op.Call, op.None) (protocol.SettingsRegistry, error) {
			return config.Registry(l.settingsFile), nil
		}),
		l.opensFolder("OpenSettingsFolder", func() string { return filepath.Dir(l.settingsFile) }),
		l.opensFolder("OpenLogFolder", func() string { return l.state().LogDir }),
		l.opensFolder("OpenStateFolder", func() string { return l.state().StateDir }),
		// FirstRunDone: the user has seen the steps of the first run, or does not want to.
		op.Do("FirstRunDone", func(context.Context, op.Call, op.None) error {
			defer l.changed()
			return l.first.done()
		}),
		// Logs are the newest records of the log, oldest first. Later ones arrive as events.
		op.New("Logs", func(context.Context, op.Call, op.None) ([]protocol.LogRecord, error) { return l.logs.Tail(), nil }),
		// Programs lists other programs, or shows, makes or takes back the change that connects
		// one to Pilotfish.
		op.New("Programs", func(ctx context.Context, _ op.Call, req protocol.ProgramsRequest) (protocol.ProgramsReply, error) {
			return l.programs.Connect(ctx, req)
		}),
		// ToolServers lists the user's own MCP servers, or changes the list.
		op.New("ToolServers", func(ctx context.Context, _ op.Call, req protocol.ToolServersRequest) (protocol.ToolServersReply, error) {
			return l.programs.ToolServers(ctx, req)
		}),
		op.Do("Quit", func(context.Context, op.Call, op.None) error {
			l.quit()
			return nil
		}),
	)...)
}

// opensFolder shows a folder in the desktop's file manager.
func (l local) opensFolder(name string, folder func() string) op.Operation {
	return op.Do(name, func(ctx context.Context, _ op.Call, _ op.None) error { return l.openFolder(ctx, folder()) })
}

// fieldError is an error that knows the JSON name of the invalid setting.
type fieldError interface {
	error
	Field() string
}

// formatError encodes an error for the page.
func formatError(err error) string {
	e := protocol.AsError(err)
	shown := protocol.SettingsError{Code: e.Code, Message: e.Message, Hint: e.Hint}
	if wrong, ok := errors.AsType[fieldError](err); ok {
		shown.Field = wrong.Field()
	}
	text, err := json.Marshal(shown)
	if err != nil {
		return e.Message // marshalling strings cannot fail
	}
	return string(text)
}
