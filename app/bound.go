package main

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"

	"pilotfish/app/calls"
	"pilotfish/app/programs"
	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// App is what the window's page may call: exactly its exported methods, and those of
// the calls that it embeds, by calls.Call. The page receives an error as the JSON of protocol.SettingsError: the
// fields of protocol.Error plus the name of the settings field.
type App struct {
	ctx        context.Context
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

	*calls.ConversationCalls
	*calls.ApprovalCalls
	*calls.IdentityCalls
	*calls.KeptCalls
	*calls.ModelCalls
	*calls.ProgramCalls
	*calls.ScheduleCalls
	*calls.SecretCalls
	*calls.WorkCalls
}

// newApp adds to an App the calls of its backend.
func newApp(a App) *App {
	a.ConversationCalls = calls.NewConversationCalls(a.ctx, a.backend)
	a.ApprovalCalls = calls.NewApprovalCalls(a.backend.Approvals)
	a.IdentityCalls = calls.NewIdentityCalls(a.ctx, a.backend.Identity)
	a.KeptCalls = calls.NewKeptCalls(a.ctx, a.backend)
	a.ModelCalls = calls.NewModelCalls(a.ctx, a.backend.Models)
	a.ProgramCalls = calls.NewProgramCalls(a.ctx, a.programs)
	a.ScheduleCalls = calls.NewScheduleCalls(func() calls.ScheduleList {
		if schedules := a.backend.Schedules(); schedules != nil {
			return schedules
		}
		return nil
	})
	a.SecretCalls = calls.NewSecretCalls(a.ctx, a.backend.Secrets)
	a.WorkCalls = calls.NewWorkCalls(a.ctx, a.backend)
	return &a
}

// State returns everything that the window shows. The page receives each later
// state as the event "state".
func (a *App) State() protocol.WindowState { return a.state() }

// StartSession starts a session and returns when the session is running.
func (a *App) StartSession(name protocol.SessionName) error { return a.backend.Start(a.ctx, name) }

// StopSession stops a session and returns when no process of it is left.
func (a *App) StopSession(name protocol.SessionName) error { return a.backend.Stop(a.ctx, name) }

// RestartSession stops a session and starts it again.
func (a *App) RestartSession(name protocol.SessionName) error { return a.backend.Restart(a.ctx, name) }

// NewSession creates a stopped session with a title that the user chose, and
// returns the session's name, which later calls use.
func (a *App) NewSession(title string) (protocol.SessionName, error) {
	return a.backend.CreateTitled(a.ctx, title)
}

// DeleteSession removes a session with everything that it has on disk.
func (a *App) DeleteSession(name protocol.SessionName) error { return a.backend.Delete(a.ctx, name) }

// ShowTab brings a tab of the browser to the front, with its panel.
func (a *App) ShowTab(session protocol.SessionName, tab protocol.TabID) error {
	return a.backend.ShowTab(a.ctx, session, tab)
}

// ShowSignIns opens the picker of sign-ins of other browsers in a session's panel. The
// user chooses there what is imported.
func (a *App) ShowSignIns(session protocol.SessionName) error {
	return a.backend.ShowSignIns(a.ctx, session)
}

// Settings returns the settings in force.
func (a *App) Settings() protocol.Settings { return a.login.seen(a.backend.Settings()) }

// SaveSettings stores the settings and returns them as they were parsed.
func (a *App) SaveSettings(settings protocol.Settings) (protocol.Settings, error) {
	saved, err := a.backend.SaveSettings(a.ctx, settings)
	if err != nil {
		return saved, err
	}
	return saved, a.login.apply(saved)
}

// SettingsRegistry returns what there is to set, with explanations and limits.
func (a *App) SettingsRegistry() protocol.SettingsRegistry { return config.Registry(a.settingsFile) }

// OpenSettingsFolder shows the folder of the settings file in the desktop's file
// manager.
func (a *App) OpenSettingsFolder() error {
	return a.openFolder(a.ctx, filepath.Dir(a.settingsFile))
}

// ProbeAgents probes again for installed agents. The result arrives as a new
// state.
func (a *App) ProbeAgents() { a.backend.ProbeAgents(a.ctx) }

// FirstRunDone records that the user has seen the steps of the first run, or
// does not want to.
func (a *App) FirstRunDone() error {
	defer a.changed()
	return a.first.done()
}

// Logs returns the newest records of the log, oldest first. Later records
// arrive with the event "log".
func (a *App) Logs() []protocol.LogRecord { return a.logs.Tail() }

// OpenLogFolder shows the log files in the desktop's file manager.
func (a *App) OpenLogFolder() error { return a.openFolder(a.ctx, a.state().LogDir) }

// OpenStateFolder shows the state folder in the desktop's file manager.
func (a *App) OpenStateFolder() error { return a.openFolder(a.ctx, a.state().StateDir) }

// Quit stops every session and the app.
func (a *App) Quit() { a.quit() }

// fieldError is an error that knows the JSON name of the invalid setting.
type fieldError interface {
	error
	Field() string
}

// formatError encodes an error for the page.
func formatError(err error) string {
	e := protocol.AsError(err)
	told := protocol.SettingsError{Code: e.Code, Message: e.Message, Hint: e.Hint}
	if wrong, ok := errors.AsType[fieldError](err); ok {
		told.Field = wrong.Field()
	}
	text, err := json.Marshal(told)
	if err != nil {
		return e.Message // marshalling strings cannot fail
	}
	return string(text)
}
