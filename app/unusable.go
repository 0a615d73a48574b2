package main

import (
	"context"
	"log/slog"

	"pilotfish/backend/hub"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// unusable returns the parts for a program whose wiring failed: a window that
// shows why, and no tray, because there is nothing to start from it.
func unusable(why error, so parts) parts {
	so.backend = &brokenBackend{problem: protocol.AsError(why), so: so, changes: hub.New[struct{}](1)}
	so.problem, so.trayProgram = why, ""
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

// brokenBackend has no sessions, and shows the problem.
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

func (b *brokenBackend) Changes() *hub.Subscription[struct{}] { return b.changes.Subscribe() }

// Operations returns none: the app's own work, and the others return the problem.
func (*brokenBackend) Operations() []op.Operation { return nil }

func (b *brokenBackend) Settings() protocol.Settings { return protocol.Settings{} }

func (b *brokenBackend) SaveSettings(_ context.Context, s protocol.Settings) (protocol.Settings, error) {
	return s, b.problem
}

func (b *brokenBackend) ServeControl(op.Table)            {}
func (b *brokenBackend) SetTray(protocol.TrayHost)        {}
func (b *brokenBackend) OnShow(func(protocol.WindowShow)) {}
func (b *brokenBackend) OnQuit(func())                    {}

// noLog is the log when none could be opened.
type noLog struct{}

func (noLog) Tail() []protocol.LogRecord { return []protocol.LogRecord{} }

func (noLog) Follow(ctx context.Context, _ int, _ func([]protocol.LogRecord)) { <-ctx.Done() }
