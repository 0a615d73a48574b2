package session

import (
	"cmp"
	"context"
	"time"

	"pilotfish/backend/launcher"
	"pilotfish/backend/protocol"
)

// The size of a terminal that starts before any panel has reported one: about
// the size of Chromium's side panel when it first opens. A program that drew
// for the right size need not draw again.
const (
	firstCols = 44
	firstRows = 46
)

// launcher returns what decides what the session's terminals run.
func (s *Session) launcher() *launcher.Launcher {
	return launcher.New(launcher.Config{
		Session: s.name, Settings: s.m.cfg.Settings, Agents: s.m.agents, Folders: s.m.folders, User: whom(s), Tokens: s.tokens,
		Endpoint: s.m.endpoint, Keeper: s.m.cfg.Program, Confine: s.confinement, Broker: s.approvals.Broker(), Commands: s.m.known, Dirs: s.m.cfg.Dirs.Of(s.name),
	})
}

// firstTerminal starts the agent of a tab that has no terminal.
func (s *Session) firstTerminal(ctx context.Context, r *run, tab protocol.TabID) {
	for _, t := range r.terminals.List() {
		if t.Tab == tab {
			return
		}
	}
	if _, err := r.terminals.Start(ctx, protocol.PtySessionRequest{
		Tab: tab, Cols: cmp.Or(r.memory.Cols, firstCols), Rows: cmp.Or(r.memory.Rows, firstRows),
	}); err != nil && ctx.Err() == nil {
		// The user sees the error in the panel: it requests the terminal itself and
		// gets the same error.
		s.log.Warn("the first terminal could not be started", "error", err)
	}
}

// grace returns how long a terminal runs without a viewer.
func (s *Session) grace() time.Duration {
	if s.State() == protocol.SessionBackground {
		return 0 // nobody can look at them
	}
	return time.Duration(s.m.cfg.Settings.Get().TerminalGraceMinutes) * time.Minute
}

// startURL returns the first page of a session that restores no tabs.
func (s *Session) startURL() string {
	if url := s.m.cfg.Settings.Get().StartURL; url != "" {
		return url
	}
	if s.m.cfg.Headless {
		return "about:blank"
	}
	return s.m.endpoint.URL() + "/welcome"
}
