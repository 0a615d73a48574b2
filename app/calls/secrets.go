package calls

import (
	"context"

	"pilotfish/backend/protocol"
)

// SecretStore keeps the secrets that agents use and never read. No method returns a value.
type SecretStore interface {
	List() ([]protocol.Secret, error)
	Add(ctx context.Context, q protocol.SecretRequest) (protocol.Secret, error)
	Remove(ctx context.Context, name string) error
}

// SecretCalls are the calls about secrets.
type SecretCalls struct {
	ctx context.Context
	of  func() SecretStore
}

// NewSecretCalls returns the calls. of returns nil while nothing keeps secrets.
func NewSecretCalls(ctx context.Context, of func() SecretStore) *SecretCalls {
	return &SecretCalls{ctx: ctx, of: of}
}

// Secrets returns the names, kinds and origins of the user's secrets, without values.
func (c *SecretCalls) Secrets() ([]protocol.Secret, error) {
	return c.changed(func(SecretStore) error { return nil })
}

// AddSecret adds a secret, or replaces the one of the same name, and returns all. The
// value goes to the keychain and to no log.
func (c *SecretCalls) AddSecret(q protocol.SecretRequest) ([]protocol.Secret, error) {
	return c.changed(func(s SecretStore) error {
		_, err := s.Add(c.ctx, q)
		return err
	})
}

// RemoveSecret removes a secret and its value, and returns the others.
func (c *SecretCalls) RemoveSecret(name string) ([]protocol.Secret, error) {
	return c.changed(func(s SecretStore) error { return s.Remove(c.ctx, name) })
}

// changed makes a change and returns the secrets.
func (c *SecretCalls) changed(change func(SecretStore) error) ([]protocol.Secret, error) {
	kept := c.of()
	if kept == nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "The app keeps no secrets", "start Pilotfish again")
	}
	if err := change(kept); err != nil {
		return nil, err
	}
	return kept.List()
}
