package session

import (
	"context"

	"pilotfish/backend/protocol"
)

// startAs starts a session with an identity of its own for this run; nil for that of
// the settings.
func startAs(ctx context.Context, m *Manager, name protocol.SessionName, id *protocol.SessionIdentity) error {
	s, err := m.Session(name)
	if err == nil {
		err = s.identity.Give(id)
	}
	if err != nil {
		return err
	}
	return s.Start(ctx)
}

// testProxy tries the proxy of a session: that of id, else that of the settings.
func testProxy(ctx context.Context, m *Manager, name protocol.SessionName, id *protocol.SessionIdentity) (*protocol.ProxyTest, error) {
	s, err := m.Session(name)
	if err != nil {
		return nil, err
	}
	return s.identity.Test(ctx, id, "")
}
