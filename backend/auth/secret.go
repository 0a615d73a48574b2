package auth

import (
	"fmt"
	"io"
	"log/slog"
)

// redacted is what a Secret looks like everywhere but in Reveal.
const redacted = "[redacted]"

// Secret is a token that cannot be printed by accident: through fmt with any
// verb, through slog, encoding/json or any text encoder it is "[redacted]". The
// text is inside a closure, because fmt prints the unexported fields of a
// foreign struct without asking their methods.
type Secret struct {
	reveal func() string
}

// NewSecret wraps s.
func NewSecret(s string) Secret {
	return Secret{reveal: func() string { return s }}
}

// Reveal returns the text. Whoever calls it is about to hand the token to its
// holder; nothing else is a reason.
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
	_, _ = io.WriteString(f, redacted) // fmt has nobody to give the error to
}

// LogValue makes slog write "[redacted]".
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// MarshalText makes every text encoder, JSON included, write "[redacted]".
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }
