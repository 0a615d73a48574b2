package main

import (
	"context"
	"errors"
	"log/slog"

	"pilotfish/backend/approval"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/session"
)

// errAlreadyRunning is returned by a wiring when the app runs already and was
// asked to show its window.
var errAlreadyRunning = errors.New("Pilotfish is running already") //nolint:staticcheck // a name

// wiring makes what the program is made of. With an error it returns what it has
// so far: the folders, so that the window can open them.
type wiring func(ctx context.Context, tty console) (parts, error)

// parts are what the program is made of.
type parts struct {
	backend backend
	logs    logTail
	// stateDir and logDir are the app's folders.
	stateDir, logDir string
	// openFolder shows a folder in the desktop's file manager.
	openFolder func(ctx context.Context, path string) error
	login      login
	// windowProgram is the path of pilotfish-window; empty when it is missing.
	windowProgram string
	// trayProgram is the path of pilotfish-tray; empty for no tray.
	trayProgram string
	// trayDir is a folder for the files of the tray's icon, emptied at each start.
	trayDir string
	logger  *slog.Logger
	// close gives up the instance lock and the log file; the last thing to do.
	close func()
}

// backend is what the program needs of session.Manager.
type backend interface {
	// Run serves until ctx ends, then stops every session and returns when
	// nothing of them is left.
	Run(ctx context.Context) error
	Window() protocol.WindowState
	// Begun is closed when the first panel shows its terminal, or when none is
	// waited for.
	Begun() <-chan struct{}
	// Changes tells that Window has something new.
	Changes() *hub.Subscription[struct{}]
	Start(ctx context.Context, name protocol.SessionName) error
	Stop(ctx context.Context, name protocol.SessionName) error
	Restart(ctx context.Context, name protocol.SessionName) error
	// CreateTitled makes a stopped session with a name of the user's own.
	CreateTitled(ctx context.Context, title string) (protocol.SessionName, error)
	Delete(ctx context.Context, name protocol.SessionName) error
	ShowTab(ctx context.Context, name protocol.SessionName, tab protocol.TabID) error
	// Approvals are what a session asks the user.
	Approvals(name protocol.SessionName) (approvals, error)
	// Conversations are those of a session that runs.
	Conversations(name protocol.SessionName) (server.Conversations, error)
	// ConversationFile reads a picture or file of a conversation.
	ConversationFile(ctx context.Context, name protocol.SessionName, path string) (protocol.ChatAttachment, error)
	// ShowConversation brings a conversation forward in the browser.
	ShowConversation(ctx context.Context, name protocol.SessionName, id protocol.ConversationID) error
	// OpenLink opens a page of the web in a session's browser.
	OpenLink(ctx context.Context, name protocol.SessionName, link string) error
	Settings() protocol.Settings
	SaveSettings(ctx context.Context, settings protocol.Settings) (protocol.Settings, error)
	ProbeAgents(ctx context.Context) protocol.AgentsFile
	// Models are the ways to a model; nil for none.
	Models() server.Models
	SetTray(host protocol.TrayHost)
	// OnShow sets what brings the window forward, with the page to show or "".
	OnShow(show func(page string))
	// OnQuit sets what ends the program.
	OnQuit(quit func())
}

// approvals are what a session asks the user, and the rules that say when.
type approvals interface {
	// Answer takes the user's answer to what waits; place is where it was given.
	Answer(id string, answer protocol.ApprovalAnswer, place string) error
	// Show brings a question forward: the panel beside the tab that it is about, or
	// the window's page of approvals.
	Show(ctx context.Context, id string)
	Rules() (siteRules, error)
}

// siteRules say which agent may do what on which sites.
type siteRules interface {
	// List are the rules, the defaults last.
	List() []protocol.SiteRule
	Set(rule protocol.SiteRule) error
	Remove(site string, kind protocol.ActionKind) error
}

// manager is session.Manager as the program needs it.
type manager struct{ *session.Manager }

// Approvals are those of a session.
func (m manager) Approvals(name protocol.SessionName) (approvals, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return asked{s.Approvals()}, nil
}

// asked is approval.Manager as the program needs it.
type asked struct{ *approval.Manager }

// Rules are the session's.
func (a asked) Rules() (siteRules, error) { return a.Manager.Rules() }

// logTail is what the window shows of the log.
type logTail interface {
	// Tail returns the newest records, oldest first.
	Tail() []protocol.LogRecord
	// Follow hands over new records in batches of at most most until ctx ends.
	Follow(ctx context.Context, most int, heard func([]protocol.LogRecord))
}
