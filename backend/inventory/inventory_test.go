package inventory

import (
	"testing"

	"pilotfish/backend/protocol"
)

// The arguments in Settings belong to the agent in Settings, whether it was
// selected by name or as "auto". No other agent gets them, and no custom
// command line.
func TestArgumentsBelongToTheAgentOfSettings(t *testing.T) {
	machine := &Inventory{found: protocol.AgentsFile{Default: protocol.AgentClaude}}
	for _, c := range []struct {
		setting, kind protocol.AgentKind
		want          bool
	}{
		{protocol.AgentAuto, protocol.AgentAuto, true},
		{protocol.AgentAuto, protocol.AgentClaude, true},
		{protocol.AgentAuto, protocol.AgentShell, false},
		{protocol.AgentShell, protocol.AgentShell, true},
		{protocol.AgentShell, protocol.AgentClaude, false},
		{protocol.AgentCustom, protocol.AgentCustom, false},
	} {
		if got := machine.Chosen(c.setting, c.kind); got != c.want {
			t.Errorf("Settings say %s, %s runs: %t", c.setting, c.kind, got)
		}
	}
}
