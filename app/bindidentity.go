package main

import (
	"context"

	"pilotfish/backend/protocol"
)

// sessionIdentity is the identity of one session as the settings have it.
type sessionIdentity interface {
	// Kept returns it without the proxy's password.
	Kept() (protocol.SessionIdentity, error)
	// Keep checks and stores it, for the next start.
	Keep(id protocol.SessionIdentity) error
	// Test connects through its proxy to a host.
	Test(ctx context.Context, id *protocol.SessionIdentity, host string) (*protocol.ProxyTest, error)
}

// SessionIdentity returns the identity and network of a session, without the proxy's
// password.
func (a *App) SessionIdentity(name protocol.SessionName) (protocol.SessionIdentity, error) {
	of, err := a.backend.Identity(name)
	if err != nil {
		return protocol.SessionIdentity{}, err
	}
	return of.Kept()
}

// SaveSessionIdentity stores the identity of a session for its next start.
func (a *App) SaveSessionIdentity(name protocol.SessionName, id protocol.SessionIdentity) error {
	of, err := a.backend.Identity(name)
	if err != nil {
		return err
	}
	return of.Keep(id)
}

// TestProxy connects through the proxy of an identity that need not be stored.
func (a *App) TestProxy(name protocol.SessionName, id protocol.SessionIdentity) (*protocol.ProxyTest, error) {
	of, err := a.backend.Identity(name)
	if err != nil {
		return nil, err
	}
	return of.Test(a.ctx, &id, "")
}
