package main

import (
	"context"
	"errors"
	"log/slog"

	"pilotfish/app/calls"
	"pilotfish/app/programs"
	"pilotfish/backend/approval"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/session"
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
	logs    logTail
	// stateDir and logDir are the app's folders.
	stateDir, logDir string
	settingsFile     string
	// openFolder shows a folder in the desktop's file manager.
	openFolder func(ctx context.Context, path string) error
	login      login
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
	Start(ctx context.Context, name protocol.SessionName) error
	Stop(ctx context.Context, name protocol.SessionName) error
	Restart(ctx context.Context, name protocol.SessionName) error
	// CreateTitled creates a stopped session with a title that the user chose.
	CreateTitled(ctx context.Context, title string) (protocol.SessionName, error)
	Delete(ctx context.Context, name protocol.SessionName) error
	ShowTab(ctx context.Context, name protocol.SessionName, tab protocol.TabID) error
	// ShowSignIns opens the picker of sign-ins in a session's panel.
	ShowSignIns(ctx context.Context, name protocol.SessionName) error
	// Approvals returns the approvals of a session.
	Approvals(name protocol.SessionName) (calls.Asked, error)
	calls.ConversationsOf
	calls.WorkOf
	Settings() protocol.Settings
	SaveSettings(ctx context.Context, settings protocol.Settings) (protocol.Settings, error)
	ProbeAgents(ctx context.Context) protocol.AgentsFile
	// Models manages the model profiles; nil when there are none.
	Models() server.Models
	// Identity returns the identity and network of a session.
	Identity(name protocol.SessionName) (calls.Identity, error)
	// Secrets keeps the user's secrets; nil when there are none.
	Secrets() calls.SecretStore
	// Clients are the programs with tokens, and Stored is what is stored; nil for none.
	Clients() calls.ConnectedClients
	Stored() calls.StoredData
	// Schedules are what runs by itself; nil when there is nothing.
	Schedules() session.Schedules
	SetTray(host protocol.TrayHost)
	// OnShow sets the function that shows the window.
	OnShow(show func(protocol.WindowShow))
	// OnQuit sets the function that ends the program.
	OnQuit(quit func())
}

// manager adapts session.Manager to backend.
type manager struct{ *session.Manager }

// ShowSignIns opens the picker of sign-ins in a session's panel.
func (m manager) ShowSignIns(ctx context.Context, name protocol.SessionName) error {
	return session.ShowSignIns(ctx, m.Manager, name)
}

// Secrets returns the user's secrets.
func (m manager) Secrets() calls.SecretStore { return session.Secrets(m.Manager) }

// Clients returns the programs that use Pilotfish with a token.
func (m manager) Clients() calls.ConnectedClients { return session.Clients(m.Manager) }

// Stored returns what is stored on this computer.
func (m manager) Stored() calls.StoredData { return session.Stored(m.Manager) }

// Identity returns the identity and network of a session.
func (m manager) Identity(name protocol.SessionName) (calls.Identity, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return session.Identity(s), nil
}

// Approvals returns the approvals of a session.
func (m manager) Approvals(name protocol.SessionName) (calls.Asked, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return asked{s.Approvals()}, nil
}

// asked adapts approval.Manager to calls.Asked.
type asked struct{ *approval.Manager }

// Rules returns the session's site rules.
func (a asked) Rules() (calls.Rules, error) { return a.Manager.Rules() }

// logTail is the part of the log that the window shows.
type logTail interface {
	// Tail returns the newest records, oldest first.
	Tail() []protocol.LogRecord
	// Follow calls heard with new records, in batches of at most most, until
	// ctx ends.
	Follow(ctx context.Context, most int, heard func([]protocol.LogRecord))
}
