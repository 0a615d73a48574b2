package protocol_test

import (
	"testing"
	"time"

	"pilotfish/backend/protocol"
)

func TestAwaited(t *testing.T) {
	at := time.Unix(1_800_000_000, 0)
	term := func(id, tab string, age int, state protocol.TerminalState, viewers int) protocol.TerminalInfo {
		return protocol.TerminalInfo{
			ID: protocol.TerminalID(id), Tab: protocol.TabID(tab), StartedAt: at.Add(-time.Duration(age) * time.Minute), State: state, Viewers: viewers,
		}
	}
	one := []protocol.Tab{{ID: "t1"}}
	two := []protocol.Tab{{ID: "t1"}, {ID: "t2", Focused: true}}
	old, young := term("old", "t1", 9, protocol.TerminalLive, 0), term("young", "t1", 1, protocol.TerminalStarting, 0)
	shown := old
	shown.Shown = 2
	for name, c := range map[string]struct {
		tabs      []protocol.Tab
		terminals []protocol.TerminalInfo
		want      protocol.TerminalID
	}{
		"the newest of the only tab": {one, []protocol.TerminalInfo{young, old}, "young"},
		"the one shown last":         {one, []protocol.TerminalInfo{shown, young}, "old"},
		"none of a tab behind":       {two, []protocol.TerminalInfo{old}, ""},
		"of the tab in front":        {two, []protocol.TerminalInfo{young, term("front", "t2", 2, protocol.TerminalLive, 0)}, "front"},
		"none that is viewed":        {one, []protocol.TerminalInfo{old, term("seen", "t1", 1, protocol.TerminalLive, 1)}, ""},
		"none that has ended":        {one, []protocol.TerminalInfo{term("over", "t1", 1, protocol.TerminalEnded, 0)}, ""},
		"none without a tab":         {nil, []protocol.TerminalInfo{old}, ""},
	} {
		info := protocol.SessionInfo{Tabs: c.tabs, Terminals: c.terminals}
		var got protocol.TerminalID
		if next := info.Awaited(); next != nil {
			got = next.ID
		}
		if got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
