package session

import (
	"pilotfish/backend/clients"
	"pilotfish/backend/protocol"
)

func newClients(m *Manager) *clients.Clients {
	return clients.New(clients.Config{
		Auth: m.auth, Callers: m.callers, Endpoint: m.endpoint,
		RenewPanel: func(name protocol.SessionName) {
			if s, err := m.Session(name); err == nil { // it may have been deleted meanwhile
				s.tokens.NewPanel()
				s.pair() // one in a browser without a pipe shows a code again
			}
		},
	})
}

// forStored are the sessions for what is stored by them.
type forStored struct{ *Manager }

func (m forStored) Names() (names []protocol.SessionName) {
	m.eachSession(func(s *Session) { names = append(names, s.name) })
	return names
}

func (m forStored) Running(name protocol.SessionName) bool {
	s, err := m.Session(name)
	return err == nil && s.running() != nil
}

func (m forStored) WhileStopped(name protocol.SessionName, do func() error) error {
	s, err := m.Session(name)
	if err != nil {
		return err
	}
	return s.whileStopped(do)
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
