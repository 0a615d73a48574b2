package session

import (
	"pilotfish/backend/clients"
	"pilotfish/backend/protocol"
	"pilotfish/backend/storeddata"
)

func newClients(m *Manager) *clients.Clients {
	return clients.New(clients.Config{
		Auth: m.auth, Callers: m.callers, RenewShell: m.endpoint.NewToken,
		RenewPanel: func(name protocol.SessionName) {
			if s, err := m.Session(name); err == nil { // it may have been deleted meanwhile
				s.tokens.NewPanel()
				s.pair()
			}
		},
	})
}

func newStored(m *Manager) *storeddata.Data {
	return storeddata.New(storeddata.Config{
		Dir: m.cfg.Dirs.State, Stop: m.Stop, Start: m.Start, Logger: m.cfg.Logger,
		Sessions: func() (names []protocol.SessionName) {
			m.eachSession(func(s *Session) { names = append(names, s.name) })
			return names
		},
		Running: func(name protocol.SessionName) bool {
			s, err := m.Session(name)
			return err == nil && s.running() != nil
		},
		WhileStopped: func(name protocol.SessionName, do func() error) error {
			s, err := m.Session(name)
			if err != nil {
				return err
			}
			return s.whileStopped(do)
		},
	})
}

// whileStopped calls do while the session cannot start. Its journals are closed before and
// after: one that is written meanwhile is one that do has moved away.
func (s *Session) whileStopped(do func() error) error {
	busy := protocol.NewError(protocol.CodeBusy, "session "+string(s.name)+" is running and uses this data", "stop it first")
	if s.running() != nil {
		return busy
	}
	settled := func() {
		s.tasks.Close()
		s.recorder.Close()
		s.shots.Forget()
	}
	settled()
	defer settled()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.run != nil {
		return busy
	}
	return do()
}
