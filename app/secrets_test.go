package main

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/zalando/go-keyring"

	"pilotfish/app/calls"
	"pilotfish/backend/protocol"
	"pilotfish/backend/secret"
)

// The window adds, lists and removes secrets, and gets no value back.
func TestTheWindowKeepsSecrets(t *testing.T) {
	keyring.MockInit()
	b := newFakeBackend()
	a := newApp(App{ctx: t.Context(), backend: b})
	if _, err := a.Secrets(); protocol.AsError(err).Code != protocol.CodeNotRunning {
		t.Errorf("without a store: %v", err)
	}
	b.kept = secret.New(secret.Config{File: filepath.Join(t.TempDir(), "secrets.json"), Keyring: func(context.Context) bool { return true }})
	call := func(method, arg string) (string, error) {
		var args []json.RawMessage
		if arg != "" {
			args = []json.RawMessage{json.RawMessage(arg)}
		}
		got, err := calls.Call(a, method, args)
		return string(got), err
	}
	got, err := call("AddSecret", `{"name":"shop","origin":"shop.example","kind":"password","user":"ada","value":"four good words"}`)
	if err != nil || !strings.Contains(got, `"origin":"https://shop.example"`) || strings.Contains(got, "four") {
		t.Errorf("%s, %v", got, err)
	}
	if again, err := call("Secrets", ""); err != nil || again != got {
		t.Errorf("%s, %v", again, err)
	}
	if _, err := call("AddSecret", `{"name":"shop","origin":"shop.example","kind":"password","value":"abc"}`); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a value that is too short: %v", err)
	}
	if got, err := call("RemoveSecret", `"shop"`); err != nil || got != "[]" {
		t.Errorf("%s, %v", got, err)
	}
	if _, err := call("RemoveSecret", `"shop"`); protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a second removal: %v", err)
	}
}
