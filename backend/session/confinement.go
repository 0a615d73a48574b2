package session

import (
	"context"
	"os"

	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// Confinement says whether agents run confined, and if not, why.
func (m *Manager) Confinement() protocol.Confinement {
	return protocol.Confinement{On: m.cfg.Settings.Get().ConfineAgents, Problem: m.confine.Problem(), Desktop: m.confine.Desktop()}
}

// sameState returns an error if the folder of the state is another one than when the app
// started. The one in use could then be seen by a program that does not see its path.
func (m *Manager) sameState() error {
	path := m.cfg.Dirs.State
	info, err := os.Stat(path)
	if m.stateDir == nil || err == nil && os.SameFile(m.stateDir, info) {
		return nil
	}
	return protocol.NewError(protocol.CodeNotConfined, "the folder "+path+" was replaced while Pilotfish ran, so no agent starts", "quit Pilotfish, look for the earlier folder beside it or its parents, put it back, and start again")
}

// confinement returns what an agent of a kind does not see; nil for one that is not
// confined. A shell belongs to the user: it is confined when they ask for that, and
// then it is an error where nothing can be confined.
func (s *Session) confinement(ctx context.Context, kind protocol.AgentKind, asked bool) (*confine.Folders, error) {
	shell := kind == protocol.AgentShell
	if shell && !asked || kind == protocol.AgentPilot || !shell && !s.m.cfg.Settings.Get().ConfineAgents {
		return nil, nil
	}
	problem, err := s.m.confine.Wait(ctx)
	if err != nil {
		return nil, err
	}
	if problem != nil {
		if shell {
			return nil, problem
		}
		return nil, nil
	}
	if err := s.m.sameState(); err != nil {
		return nil, err
	}
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	folders := confine.Folders{Hidden: s.m.cfg.Dirs.Hidden(s.m.cfg.Settings.Get()), Helper: s.m.cfg.Program}
	folders.Writable, folders.ReadOnly = dirs.ForAgents()
	return &folders, nil
}
