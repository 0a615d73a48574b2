package llm

import (
	"context"
	"errors"
	"sync"

	"github.com/zalando/go-keyring"

	"pilotfish/backend/protocol"
)

// keychainService names our secrets in the system's keychain.
const keychainService = "Pilotfish"

// Where a key is, as protocol.LLMProfile.KeyKept says it.
const (
	keptKeychain = "keychain"
	keptMemory   = "memory"
)

// keys keeps the keys of profiles: in the system's keychain, or, where there is
// none, in memory for this run. Never in a file. It is safe for concurrent use.
type keys struct {
	// available says whether the system keeps secrets just now.
	available func(context.Context) bool

	mu     sync.Mutex
	memory map[string]string
	// seen are the keys that the keychain has, so that it is asked once.
	seen map[string]string
	// asked are the profiles that the keychain was asked for.
	asked map[string]bool
}

func newKeys(available func(context.Context) bool) *keys {
	return &keys{available: available, memory: map[string]string{}, seen: map[string]string{}, asked: map[string]bool{}}
}

func keychainUser(profile string) string { return "model key " + profile }

// get returns a profile's key and where it is kept; both are empty for none.
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
		// A keychain that is locked is asked again the next time.
	}
	if key, ok := k.seen[profile]; ok {
		return key, keptKeychain
	}
	return "", ""
}

// set keeps a key; an empty one is forgotten.
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
	// No keychain, or one that stays locked: for this run only, and the person is
	// told so.
	delete(k.seen, profile)
	k.memory[profile] = key
	return nil
}
