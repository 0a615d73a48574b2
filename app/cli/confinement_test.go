package main

import (
	"testing"

	"pilotfish/backend/protocol"
)

// The status says in which of three states agents start.
func TestStatusOfTheConfinement(t *testing.T) {
	gap := protocol.NewError(protocol.CodeNotConfined, "a reason", "a hint")
	for want, c := range map[string]*protocol.Confinement{
		"":                   nil,
		"agents: confined\n": {On: true},
		"agents: confined without the desktop: a reason\n  a hint\n": {On: true, Desktop: gap},
		"agents: not confined: a reason\n  a hint\n":                 {On: true, Problem: gap, Desktop: gap},
		"agents: not confined\n  Settings turn it off.\n":            {Desktop: gap},
	} {
		if got := describeConfinement(c); got != want {
			t.Errorf("%q, want %q", got, want)
		}
		if c != nil && c.Closed() != (want == "agents: confined\n") {
			t.Errorf("%+v is closed: %v", c, c.Closed())
		}
	}
}
