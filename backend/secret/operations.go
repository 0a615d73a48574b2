package secret

import (
	"context"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// Operations are what the user does with secrets in the window. Each returns all secrets,
// and never a value.
func (s *Store) Operations() []op.Operation {
	return []op.Operation{
		op.New("Secrets", func(context.Context, op.Call, op.None) ([]protocol.Secret, error) { return s.List() }),
		// The value goes to the keychain and to no log.
		op.New("AddSecret", func(ctx context.Context, _ op.Call, q protocol.SecretRequest) ([]protocol.Secret, error) {
			if _, err := s.Add(ctx, q); err != nil {
				return nil, err
			}
			return s.List()
		}),
		op.New("RemoveSecret", func(ctx context.Context, _ op.Call, name string) ([]protocol.Secret, error) {
			if err := s.Remove(ctx, name); err != nil {
				return nil, err
			}
			return s.List()
		}),
	}
}
