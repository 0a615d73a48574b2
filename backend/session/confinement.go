package session

import (
	"context"

	"pilotfish/backend/confine"
	"pilotfish/backend/protocol"
)

// Confinement says whether agents run confined, and if not, why.
func (m *Manager) Confinement() protocol.Confinement {
	return protocol.Confinement{On: m.cfg.Settings.Get().ConfineAgents, Problem: m.confine.Problem()}
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
	dirs, err := s.m.cfg.Dirs.Session(s.name)
	if err != nil {
		return nil, err
	}
	folders := confine.Folders{Hidden: s.m.cfg.Dirs.Hidden(s.m.cfg.Settings.Get())}
	folders.Writable, folders.ReadOnly = dirs.ForAgents()
	return &folders, nil
}
