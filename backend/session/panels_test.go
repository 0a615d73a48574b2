package session

import (
	"testing"
	"testing/synctest"
	"time"

	"pilotfish/backend/protocol"
)

// A panel that was only being opened gets the event that it was opened for, for
// a limited time and until it views that tab.
func TestPendingEvent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var p connectedPanels
		if _, is := p.Pending(); is {
			t.Error("an event is pending before one was shown")
		}
		p.Show(protocol.ShowEvent{Tab: "t1"})
		p.Viewed("t2")
		if event, is := p.Pending(); !is || event.Tab != "t1" {
			t.Errorf("%+v, %t", event, is)
		}
		p.Viewed("t1")
		if _, is := p.Pending(); is {
			t.Error("the event is pending after its tab was viewed")
		}
		p.Show(protocol.ShowEvent{Tab: "t1"})
		time.Sleep(panelWait)
		if _, is := p.Pending(); is {
			t.Error("the event is pending after its time")
		}
	})
}

func TestPanelsAreCounted(t *testing.T) {
	var p connectedPanels
	for i, c := range []struct {
		by            int
		changed, left bool
	}{{1, true, true}, {1, false, true}, {-1, false, true}, {-1, true, false}} {
		if changed := p.Add(c.by); changed != c.changed || p.Connected() != c.left {
			t.Errorf("%d: changed %t, connected %t", i, changed, p.Connected())
		}
	}
}
