package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// Identity is the identity of one session as the settings have it.
type Identity interface {
	// Kept returns it without the proxy's password.
	Kept() (protocol.SessionIdentity, error)
	// Keep checks and stores it, for the next start.
	Keep(id protocol.SessionIdentity) error
	// Test connects through its proxy to a host.
	Test(ctx context.Context, id *protocol.SessionIdentity, host string) (*protocol.ProxyTest, error)
}

// IdentityCalls are the calls about the identity and network of sessions.
type IdentityCalls struct {
	ctx context.Context
	of  func(name protocol.SessionName) (Identity, error)
}

// NewIdentityCalls returns the calls. of returns the identity of a session.
func NewIdentityCalls(ctx context.Context, of func(name protocol.SessionName) (Identity, error)) *IdentityCalls {
	return &IdentityCalls{ctx: ctx, of: of}
}

// SessionIdentity returns the identity and network of a session, without the proxy's
// password.
func (c *IdentityCalls) SessionIdentity(name protocol.SessionName) (protocol.SessionIdentity, error) {
	of, err := c.of(name)
	if err != nil {
		return protocol.SessionIdentity{}, err
	}
	return of.Kept()
}

// SaveSessionIdentity stores the identity of a session for its next start.
func (c *IdentityCalls) SaveSessionIdentity(name protocol.SessionName, id protocol.SessionIdentity) error {
	of, err := c.of(name)
	if err != nil {
		return err
	}
	return of.Keep(id)
}

// TestProxy connects through the proxy of an identity that need not be stored.
func (c *IdentityCalls) TestProxy(name protocol.SessionName, id protocol.SessionIdentity) (*protocol.ProxyTest, error) {
	of, err := c.of(name)
	if err != nil {
		return nil, err
	}
	return of.Test(c.ctx, &id, "")
}
