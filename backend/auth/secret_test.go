package auth_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"pilotfish/backend/auth"
)

// holder contains a Secret in a place where fmt cannot call its methods.
type holder struct {
	Name   string
	secret auth.Secret
	list   []auth.Secret
}

func TestSecretIsNeverPrinted(t *testing.T) {
	const token = "aVeryPrivateToken"
	s := auth.NewSecret(token)
	h := holder{Name: "n", secret: s, list: []auth.Secret{s}}
	var out bytes.Buffer
	for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%x", "%X", "%d", "%T", "%p", "%20v"} {
		fmt.Fprintf(&out, verb+"\n", s)
		fmt.Fprintf(&out, verb+"\n", &s)
		fmt.Fprintf(&out, verb+"\n", h)
		fmt.Fprintf(&out, verb+"\n", []auth.Secret{s})
		fmt.Fprintf(&out, verb+"\n", map[string]auth.Secret{"k": s})
		fmt.Fprintf(&out, verb+"\n", map[string]any{"k": &h})
	}
	fmt.Fprintln(&out, s, errors.New(s.String()))
	for _, v := range []any{s, &s, map[string]any{"token": s}, []auth.Secret{s}} {
		b, err := json.Marshal(v)
		if err != nil {
			t.Fatal(err)
		}
		out.Write(b)
	}
	for _, handler := range []slog.Handler{slog.NewTextHandler(&out, nil), slog.NewJSONHandler(&out, nil)} {
		slog.New(handler).Info("m", "token", s, "pointer", &s, "holder", h, slog.Group("g", "token", s))
	}
	for _, form := range []string{token, fmt.Sprintf("%x", token), fmt.Sprintf("%X", token), strings.Trim(fmt.Sprintf("%d", []byte(token)), "[]")} {
		if strings.Contains(out.String(), form) {
			t.Errorf("the token is in the output as %q:\n%s", form, out.String())
		}
	}
	if !strings.Contains(out.String(), "[redacted]") {
		t.Error("nothing was printed in its place")
	}
	if s.Reveal() != token || (auth.Secret{}).Reveal() != "" {
		t.Error("Reveal does not give what was put in")
	}
}
