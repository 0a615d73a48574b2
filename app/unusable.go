package main

import (
	"context"
	"log/slog"

	"pilotfish/app/calls"
	"pilotfish/backend/hub"
	"pilotfish/backend/protocol"
	"pilotfish/backend/server"
	"pilotfish/backend/session"
)

// unusable returns the parts for a program whose wiring failed: a window that
// shows why, and no tray, because there is nothing to start from it.
func unusable(why error, so parts) parts {
	so.backend = &brokenBackend{problem: protocol.AsError(why), so: so, changes: hub.New[struct{}](1)}
	so.trayProgram = ""
	if so.logs == nil {
		so.logs = noLog{}
	}
	if so.openFolder == nil {
		so.openFolder = func(context.Context, string) error { return why }
	}
	if so.logger == nil {
		so.logger = slog.New(slog.DiscardHandler)
	}
	if so.close == nil {
		so.close = func() {}
	}
	return so
}

// brokenBackend returns the problem from every call.
type brokenBackend struct {
	problem *protocol.Error
	so      parts
	changes *hub.Hub[struct{}]
}

func (b *brokenBackend) Run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

func (b *brokenBackend) Window() protocol.WindowState {
	return protocol.WindowState{
		Version: version, Theme: protocol.ThemeSystem, Tray: protocol.TrayStarting, Problem: b.problem,
		StateDir: b.so.stateDir, LogDir: b.so.logDir,
		Sessions: []protocol.SessionInfo{}, Conversations: []protocol.WindowConversation{},
		Agents: protocol.AgentsFile{Version: protocol.StateVersion, Agents: []protocol.AgentInfo{}},
	}
}

func (b *brokenBackend) Begun() <-chan struct{} {
	begun := make(chan struct{})
	close(begun)
	return begun
}

// Models returns nil: there are no model profiles.
func (b *brokenBackend) Models() server.Models { return nil }

// Secrets returns nil: nothing is kept.
func (b *brokenBackend) Secrets() calls.SecretStore { return nil }

// Clients returns nil: nobody is connected.
func (*brokenBackend) Clients() calls.ConnectedClients { return nil }

// Stored returns nil: nothing can be deleted.
func (*brokenBackend) Stored() calls.StoredData { return nil }

// Schedules returns nil: nothing runs.
func (*brokenBackend) Schedules() session.Schedules { return nil }

func (b *brokenBackend) Changes() *hub.Subscription[struct{}] { return b.changes.Subscribe() }

func (b *brokenBackend) Start(context.Context, protocol.SessionName) error   { return b.problem }
func (b *brokenBackend) Stop(context.Context, protocol.SessionName) error    { return b.problem }
func (b *brokenBackend) Restart(context.Context, protocol.SessionName) error { return b.problem }
func (b *brokenBackend) CreateTitled(context.Context, string) (protocol.SessionName, error) {
	return "", b.problem
}

func (b *brokenBackend) Identity(protocol.SessionName) (calls.Identity, error) {
	return nil, b.problem
}

func (b *brokenBackend) Approvals(protocol.SessionName) (calls.Asked, error) { return nil, b.problem }
func (b *brokenBackend) Delete(context.Context, protocol.SessionName) error  { return b.problem }

func (b *brokenBackend) ShowTab(context.Context, protocol.SessionName, protocol.TabID) error {
	return b.problem
}

func (b *brokenBackend) ShowSignIns(context.Context, protocol.SessionName) error { return b.problem }

func (b *brokenBackend) Conversations(protocol.SessionName) (server.Conversations, error) {
	return nil, b.problem
}

func (b *brokenBackend) ConversationFile(context.Context, protocol.SessionName, string) (protocol.ChatAttachment, error) {
	return protocol.ChatAttachment{}, b.problem
}

func (b *brokenBackend) ShowConversation(context.Context, protocol.SessionName, protocol.ConversationID) error {
	return b.problem
}

func (b *brokenBackend) OpenLink(context.Context, protocol.SessionName, string) error {
	return b.problem
}

// Work returns the problem.
func (b *brokenBackend) Work(protocol.SessionName) (protocol.SessionWork, error) {
	return protocol.SessionWork{}, b.problem
}

// Activity returns the problem.
func (b *brokenBackend) Activity(context.Context, protocol.SessionName, protocol.ActivityQuery) (protocol.ActivityFound, error) {
	return protocol.ActivityFound{}, b.problem
}

func (b *brokenBackend) Settings() protocol.Settings { return protocol.Settings{} }

func (b *brokenBackend) SaveSettings(_ context.Context, s protocol.Settings) (protocol.Settings, error) {
	return s, b.problem
}

func (b *brokenBackend) ProbeAgents(context.Context) protocol.AgentsFile {
	return b.Window().Agents
}

func (b *brokenBackend) SetTray(protocol.TrayHost)        {}
func (b *brokenBackend) OnShow(func(protocol.WindowShow)) {}
func (b *brokenBackend) OnQuit(func())                    {}

// noLog is the log when none could be opened.
type noLog struct{}

func (noLog) Tail() []protocol.LogRecord { return []protocol.LogRecord{} }

func (noLog) Follow(ctx context.Context, _ int, _ func([]protocol.LogRecord)) { <-ctx.Done() }
