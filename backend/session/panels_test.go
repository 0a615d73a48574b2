package session

import (
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/auth"
	"pilotfish/backend/protocol"
)

// A panel that was only being opened gets the event that it was opened for, for
// a limited time and until it views that tab.
func TestAPanelIsToldAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p panels
		if _, is := p.again(); is {
			t.Error("a panel is told of nothing")
		}
		p.show(protocol.ShowEvent{Tab: "t1"})
		p.shownTo("t2")
		if event, is := p.again(); !is || event.Tab != "t1" {
			t.Errorf("%+v, %t", event, is)
		}
		p.shownTo("t1")
		if _, is := p.again(); is {
			t.Error("a panel that heard it is told again")
		}
		p.show(protocol.ShowEvent{Tab: "t1"})
		time.Sleep(showWait)
		if _, is := p.again(); is {
			t.Error("what is long past is told")
		}
	})
}

func TestPanelsAreCounted(t *testing.T) {
	var p panels
	for i, c := range []struct {
		by            int
		changed, left bool
	}{{1, true, true}, {1, false, true}, {-1, false, true}, {-1, true, false}} {
		if changed := p.add(c.by); changed != c.changed || p.connected() != c.left {
			t.Errorf("%d: changed %t, connected %t", i, changed, p.connected())
		}
	}
}

func TestTabsOfASession(t *testing.T) {
	var l tabList
	shell, agent := auth.Grant{Kind: auth.KindCLI}, auth.Grant{Kind: auth.KindAgent}
	if l.Front() != "" || l.Has("t1") || l.url("t1") != "" || l.ofCaller(shell) != "" {
		t.Error("there are tabs without a browser")
	}
	l.set([]protocol.Tab{{ID: "t1", URL: "https://a.example/"}, {ID: "t2", Active: true}})
	if l.Front() != "t2" || !l.Has("t1") || l.url("t1") != "https://a.example/" || l.ofCaller(shell) != "" {
		t.Errorf("behind another window: %+v", l.all())
	}
	l.set([]protocol.Tab{{ID: "t1", Focused: true}, {ID: "t2", Active: true}})
	if l.Front() != "t1" || l.ofCaller(shell) != "t1" || l.ofCaller(agent) != "" {
		t.Errorf("in front: %s, of a shell: %s, of an agent: %s", l.Front(), l.ofCaller(shell), l.ofCaller(agent))
	}
	agent.Tab = "t2"
	if l.ofCaller(agent) != "t2" {
		t.Error("an agent is on another's tab")
	}
}
