package catalogue

import (
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// pointing is a browser whose mouse has a position.
type pointing struct{ Browser }

func (pointing) Pointer(protocol.Caller, protocol.TabID) string { return "5,6" }

func TestDoing(t *testing.T) {
	click, enter, text, none := policy.Doing{Click: true}, policy.Doing{Enter: true}, policy.Doing{Text: true}, policy.Doing{}
	for _, c := range []struct {
		kind   protocol.ActKind
		args   command.Values
		want   policy.Doing
		target string
	}{
		{protocol.ActClick, command.Values{"target": "e1"}, click, "e1"},
		{protocol.ActClick, command.Values{"target": "e1", "button": "right"}, none, "e1"},
		{protocol.ActTap, command.Values{"target": "e1"}, click, "e1"},
		{protocol.ActMouse, command.Values{"action": "move", "target": "e1"}, none, "e1"},
		{protocol.ActMouse, command.Values{"action": "down"}, click, "5,6"},
		{protocol.ActMouse, command.Values{"action": "up", "target": "e2"}, click, "e2"},
		{protocol.ActMouse, command.Values{"action": "down", "button": "right"}, none, ""},
		{protocol.ActPress, command.Values{"key": "a b"}, text, ""},
		{protocol.ActPress, command.Values{"key": "Shift+A"}, text, ""},
		{protocol.ActPress, command.Values{"key": "Control+a ArrowDown"}, none, ""},
		{protocol.ActPress, command.Values{"key": "a Control+Enter", "target": "e1"}, policy.Doing{Text: true, Enter: true}, "e1"},
		{protocol.ActKeyDown, command.Values{"key": "Space"}, enter, ""},
		{protocol.ActKeyUp, command.Values{}, enter, ""},
		{protocol.ActKeyUp, command.Values{"key": "Shift"}, none, ""},
		{protocol.ActFill, command.Values{"target": "e1", "value": ""}, none, "e1"},
		{protocol.ActFill, command.Values{"target": "e1", "value": "a\n"}, text, "e1"},
		{protocol.ActType, command.Values{"target": "e1", "value": "a"}, text, "e1"},
		{protocol.ActType, command.Values{"target": "e1", "value": "a\n"}, policy.Doing{Text: true, Enter: true}, "e1"},
	} {
		do, target := (&commands{Config{Browser: pointing{}}}).doing(c.kind)(&command.Invocation{Args: c.args})
		if do != c.want || target != c.target {
			t.Errorf("%s %v: %+v to %q, want %+v to %q", c.kind, c.args, do, target, c.want, c.target)
		}
	}
	for _, kind := range []protocol.ActKind{protocol.ActHover, protocol.ActScroll, protocol.ActSelect, protocol.ActUpload} {
		if (&commands{}).doing(kind) != nil {
			t.Errorf("%s could set off something", kind)
		}
	}
}
