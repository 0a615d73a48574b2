package main

import (
	"encoding/json"
	"testing"

	"pilotfish/app/calls"
)

// The window reads, stores and tests the identity of a session.
func TestTheWindowEditsIdentities(t *testing.T) {
	b := newFakeBackend()
	a := newApp(App{ctx: t.Context(), backend: b})
	for _, c := range []struct{ method, id, want string }{
		{"SessionIdentity", "", `{"color":"#1a73e8"}`},
		{"SaveSessionIdentity", `{"color":"#000000"}`, "null"},
		{"TestProxy", `{"proxy":"http://h.test:1"}`, `{"proxy":"http://h.test:1","host":"example.com:443","milliseconds":7}`},
	} {
		args := []json.RawMessage{json.RawMessage(`"work"`)}
		if c.id != "" {
			args = append(args, json.RawMessage(c.id))
		}
		if got, err := calls.Call(a, c.method, args); err != nil || string(got) != c.want {
			t.Errorf("%s: %s, %v, want %s", c.method, got, err, c.want)
		}
	}
	if call := <-b.calls; call != "keep work #000000" {
		t.Errorf("%q", call)
	}
}
