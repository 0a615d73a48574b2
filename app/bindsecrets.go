package main

import (
	"context"

	"pilotfish/backend/protocol"
)

// secrets keeps the secrets that agents use and never read. No method returns a value.
type secrets interface {
	List() ([]protocol.Secret, error)
	Add(ctx context.Context, q protocol.SecretRequest) (protocol.Secret, error)
	Remove(ctx context.Context, name string) error
}

// Secrets returns the names, kinds and origins of the user's secrets, without values.
func (a *App) Secrets() ([]protocol.Secret, error) {
	return a.secrets(func(secrets) error { return nil })
}

// AddSecret adds a secret, or replaces the one of the same name, and returns all. The
// value goes to the keychain and to no log.
func (a *App) AddSecret(q protocol.SecretRequest) ([]protocol.Secret, error) {
	return a.secrets(func(s secrets) error {
		_, err := s.Add(a.ctx, q)
		return err
	})
}

// RemoveSecret removes a secret and its value, and returns the others.
func (a *App) RemoveSecret(name string) ([]protocol.Secret, error) {
	return a.secrets(func(s secrets) error { return s.Remove(a.ctx, name) })
}

// secrets makes a change and returns the secrets.
func (a *App) secrets(change func(secrets) error) ([]protocol.Secret, error) {
	kept := a.backend.Secrets()
	if kept == nil {
		return nil, protocol.NewError(protocol.CodeNotRunning, "The app keeps no secrets", "start Pilotfish again")
	}
	if err := change(kept); err != nil {
		return nil, err
	}
	return kept.List()
}
