package llm

import (
	"context"
	"errors"
	"sync"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

// keychainService is the name of our secrets in the system's keychain.
const keychainService = "Pilotfish"

// Where a key is kept; these are the values of protocol.LLMProfile.KeyKept.
const (
	keptKeychain = "keychain"
	keptMemory   = "memory"
)

// keys stores the keys of profiles: in the system's keychain, or, without one,
// in memory for this run. They are never in a file. It is safe for concurrent
// use.
type keys struct {
	// available reports whether the system's keychain can be used now.
	available func(context.Context) bool

	mu     sync.Mutex
	memory map[string]string
	// seen caches the keys from the keychain, so that it is asked only once.
	seen map[string]string
	// asked has the profiles for which the keychain was asked.
	asked map[string]bool
}

func newKeys(available func(context.Context) bool) *keys {
	return &keys{available: available, memory: map[string]string{}, seen: map[string]string{}, asked: map[string]bool{}}
}

func keychainUser(profile string) string { return "model key " + profile }

// get returns a profile's key and where it is kept; both are empty if there is
// none.
func (k *keys) get(ctx context.Context, profile string) (key, kept string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if key, ok := k.memory[profile]; ok {
		return key, keptMemory
	}
	if !k.asked[profile] && k.available(ctx) {
		key, err := keyring.Get(keychainService, keychainUser(profile))
		switch {
		case err == nil:
			k.seen[profile], k.asked[profile] = key, true
		case errors.Is(err, keyring.ErrNotFound):
			k.asked[profile] = true
		}
		// If the keychain is locked, it is asked again next time.
	}
	if key, ok := k.seen[profile]; ok {
		return key, keptKeychain
	}
	return "", ""
}

// set stores a key; an empty key deletes it.
func (k *keys) set(ctx context.Context, profile, key string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.memory, profile)
	here := k.available(ctx)
	if key == "" {
		delete(k.seen, profile)
		if !here {
			return nil
		}
		if err := keyring.Delete(keychainService, keychainUser(profile)); err != nil && !errors.Is(err, keyring.ErrNotFound) {
			return protocol.NewError(protocol.CodeNoKeyring, "The key could not be removed from the keychain: "+err.Error(), "unlock it and try again")
		}
		return nil
	}
	if here && keyring.Set(keychainService, keychainUser(profile), key) == nil {
		k.seen[profile], k.asked[profile] = key, true
		return nil
	}
	// There is no keychain, or it stays locked: the key is kept for this run
	// only, and the user is informed.
	delete(k.seen, profile)
	k.memory[profile] = key
	return nil
}
