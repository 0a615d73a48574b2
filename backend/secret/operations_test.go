package secret

import (
	"encoding/json"
	"strings"
	"testing"

	"pilotfish/backend/op"
	"pilotfish/backend/protocol"
)

// The window adds, lists and removes secrets, and gets no value back.
func TestTheWindowKeepsSecrets(t *testing.T) {
	table := op.NewTable(nil, store(t, true).Operations()...)
	call := func(name, in string) (string, error) {
		got, err := table.Call(t.Context(), name, op.Call{}, json.RawMessage(in))
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
