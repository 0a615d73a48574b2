package secret

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

// keychainService is the name of our secrets in the system's keychain.
const keychainService = "Pilotfish"

// Where a value is kept; see protocol.Secret.Kept.
const (
	keptKeychain  = "keychain"
	keptMemory    = "memory"
	keptElsewhere = "elsewhere"
)

func keychainUser(name string) string { return "secret " + name }

// values has the values of secrets: in the system's keychain, or, without one, in
// memory for this run. They are never in a file.
type values struct {
	available func(context.Context) bool
	mu        *sync.Mutex
	memory    map[string]string
}

func newValues(available func(context.Context) bool) values {
	return values{available: available, mu: &sync.Mutex{}, memory: map[string]string{}}
}

// set stores a value and returns where it is kept.
func (v values) set(ctx context.Context, name, value string) string {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.memory, name)
	if v.available(ctx) && keyring.Set(keychainService, keychainUser(name), value) == nil {
		return keptKeychain
	}
	v.memory[name] = value
	return keptMemory
}

func (v values) get(ctx context.Context, name string) (string, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if value, ok := v.memory[name]; ok {
		return value, nil
	}
	if !v.available(ctx) {
		return "", protocol.NewError(protocol.CodeNoKeyring, fmt.Sprintf("the keychain that has the secret %s is missing or locked", name), "unlock it and try again")
	}
	value, err := keyring.Get(keychainService, keychainUser(name))
	switch {
	case errors.Is(err, keyring.ErrNotFound):
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the value of the secret %s is no longer there", name), "add it again")
	case err != nil:
		return "", protocol.NewError(protocol.CodeNoKeyring, fmt.Sprintf("the keychain did not give the secret %s", name), "unlock it and try again")
	}
	return value, nil
}

func (v values) remove(ctx context.Context, name string) error {
	v.mu.Lock()
	defer v.mu.Unlock()
	delete(v.memory, name)
	if !v.available(ctx) {
		return nil
	}
	if err := keyring.Delete(keychainService, keychainUser(name)); err != nil && !errors.Is(err, keyring.ErrNotFound) {
		return protocol.NewError(protocol.CodeNoKeyring, fmt.Sprintf("the secret %s could not be removed from the keychain", name), "unlock it and try again")
	}
	return nil
}
