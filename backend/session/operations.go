package session

import (
	"context"
	"slices"

	"pilotfish/backend/approval"
	"pilotfish/backend/identity"
	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the window and the tray may ask of the backend. A client that talks
// to the app in another way has its routes in package server.
func (m *Manager) Operations() []op.Operation {
	all := slices.Concat(
		m.ofSessions(), m.ofConversations(), m.secrets.Operations(), m.clients.Operations(), m.storedData.Operations(),
		approval.Operations(partOf(m, func(s *Session) *approval.Manager { return s.approvals })),
		identity.Operations(partOf(m, func(s *Session) *identity.Session { return s.identity })),
	)
	if m.cfg.Models != nil {
		all = append(all, m.cfg.Models.Operations()...)
	}
	if m.schedules != nil {
		all = append(all, op.New("Schedules", func(_ context.Context, _ op.Call, req protocol.ScheduleRequest) (protocol.ScheduleReply, error) {
			return m.schedules.Do(req)
		}))
	}
	return all
}

// partOf returns a function that finds a part of a session by the session's name.
func partOf[Part any](m *Manager, part func(*Session) *Part) func(protocol.SessionName) (*Part, error) {
	return func(name protocol.SessionName) (*Part, error) {
		s, err := m.Session(name)
		if err != nil {
			return nil, err
		}
		return part(s), nil
	}
}

// ofSessions are the operations about whole sessions, and about what was done in one.
func (m *Manager) ofSessions() []op.Operation {
	return []op.Operation{
		op.Do("StartSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Start(ctx, call.Session) }),
		op.Do("StopSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Stop(ctx, call.Session) }),
		op.Do("RestartSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Restart(ctx, call.Session) }),
		// NewSession makes a stopped session with a title that the user chose, and returns its
		// name.
		op.New("NewSession", func(ctx context.Context, _ op.Call, title string) (protocol.SessionName, error) {
			return m.CreateTitled(ctx, title)
		}),
		op.Do("DeleteSession", func(ctx context.Context, call op.Call, _ op.None) error { return m.Delete(ctx, call.Session) }),
		op.Do("ShowTab", func(ctx context.Context, call op.Call, tab protocol.TabID) error {
			return m.ShowTab(ctx, call.Session, tab)
		}),
		op.Do("ShowSignIns", func(ctx context.Context, call op.Call, _ op.None) error { return m.showSignIns(ctx, call.Session) }),
		// OpenLink opens a page that a conversation links to.
		op.Do("OpenLink", func(ctx context.Context, call op.Call, link string) error { return m.OpenLink(ctx, call.Session, link) }),
		op.New("SessionWork", func(_ context.Context, call op.Call, _ op.None) (protocol.SessionWork, error) {
			return m.Work(call.Session)
		}),
		op.New("SearchActivity", func(ctx context.Context, call op.Call, q protocol.ActivityQuery) (protocol.ActivityFound, error) {
			return m.Activity(ctx, call.Session, q)
		}),
		// The agents that are found arrive with the next state.
		op.Do("ProbeAgents", func(ctx context.Context, _ op.Call, _ op.None) error {
			m.ProbeAgents(ctx)
			return nil
		}),
	}
}
