package auth

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted replaces a Secret's text everywhere except in Reveal.
const redacted = "[redacted]"

// Secret is a token that cannot be printed by accident: fmt with any verb,
// slog, encoding/json and any text encoder write "[redacted]". The text is
// inside a closure, because fmt prints the unexported fields of another
// package's struct without calling their methods.
type Secret struct {
	reveal func() string
}

// NewSecret wraps s.
func NewSecret(s string) Secret {
	return Secret{reveal: func() string { return s }}
}

// Reveal returns the text. Call it only to give the token to its holder.
func (s Secret) Reveal() string {
	if s.reveal == nil {
		return ""
	}
	return s.reveal()
}

// String returns "[redacted]".
func (Secret) String() string { return redacted }

// GoString returns "[redacted]".
func (Secret) GoString() string { return redacted }

// Format writes "[redacted]" for every verb and flag.
func (Secret) Format(f fmt.State, _ rune) {
	_, _ = io.WriteString(f, redacted) // fmt offers no way to return the error
}

// LogValue makes slog write "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText makes every text encoder, JSON included, write "[redacted]".
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
