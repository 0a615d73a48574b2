package protocol

import "time"

// SecretKind is what a secret is.
type SecretKind string

// The kinds of secrets.
const (
	SecretPassword SecretKind = "password" // typed into a field
	SecretTOTP     SecretKind = "totp"     // the key of one-time codes; a field gets the current code
)

// Secret describes a secret. Its value is never part of it.
type Secret struct {
	Name string     `json:"name"`
	Kind SecretKind `json:"kind"`
	// Origin is the only origin on which it is used: https://shop.example.
	Origin string `json:"origin"`
	// User is the user name that goes with a password; empty for none. The two
	// are masked together, too, as HTTP basic authentication writes them.
	User string `json:"user,omitempty"`
	// From is the reference by which another program is asked for the value:
	// op://vault/item/field, bw:item or pass:path; empty for a value that we keep.
	From string `json:"from,omitempty"`
	// Kept says where the value is: "keychain", "memory" (until the app ends,
	// because there is no keychain) or "elsewhere" (From).
	Kept  string    `json:"kept"`
	Added time.Time `json:"added"`
}

// SecretRequest adds a secret.
type SecretRequest struct {
	Secret
	// Value is the value; empty when From names it.
	Value string `json:"value,omitempty"`
}

// Limits of secrets.
const (
	MaxSecrets     = 200
	MaxSecretValue = 4096 // bytes
	MinSecretValue = 4    // bytes; a shorter value could not be masked in other text
)
