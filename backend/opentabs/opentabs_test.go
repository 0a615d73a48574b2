package opentabs

import (
	"testing"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

func TestTabsOfASession(t *testing.T) {
	var l List
	shell, agent := auth.Grant{Kind: auth.KindCLI}, auth.Grant{Kind: auth.KindAgent}
	if l.Front() != "" || l.Has("t1") || l.URL("t1") != "" || l.OfCaller(shell) != "" {
		t.Error("there are tabs without a browser")
	}
	l.Set([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}, {ID: "t2", Active: true}})
	if l.Front() != "t2" || !l.Has("t1") || l.URL("t1") != "https://a.example/" || l.OfCaller(shell) != "" {
		t.Errorf("behind another window: %+v", l.All())
	}
	l.Set([]protocol.Tab{{ID: "t1", Focused: true}, {ID: "t2", Active: true}})
	if l.Front() != "t1" || l.OfCaller(shell) != "t1" || l.OfCaller(agent) != "" {
		t.Errorf("in front: %s, of a shell: %s, of an agent: %s", l.Front(), l.OfCaller(shell), l.OfCaller(agent))
	}
	agent.Tab = "t2"
	if l.OfCaller(agent) != "t2" {
		t.Error("an agent is on another's tab")
	}
}
