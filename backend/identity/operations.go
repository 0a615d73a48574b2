package identity

import (
	"context"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the user does with the identity of a session in the window. find
// returns it.
func Operations(find func(protocol.SessionName) (*Session, error)) []op.Operation {
	return []op.Operation{
		// Without the proxy's password.
		op.Of(find, "SessionIdentity", func(_ context.Context, s *Session, _ op.Call, _ op.None) (protocol.SessionIdentity, error) {
			return s.Kept()
		}),
		// For the session's next start.
		op.Of(find, "SaveSessionIdentity", func(_ context.Context, s *Session, _ op.Call, id protocol.SessionIdentity) (op.None, error) {
			return op.None{}, s.Keep(id)
		}),
		// The identity need not be stored.
		op.Of(find, "TestProxy", func(ctx context.Context, s *Session, _ op.Call, id protocol.SessionIdentity) (*protocol.ProxyTest, error) {
			return s.Test(ctx, &id, "")
		}),
	}
}
