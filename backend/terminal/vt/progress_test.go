package vt

import (
	"testing"

	"pilotfish/backend/protocol"
)

func TestProgress(t *testing.T) {
	for out, want := range map[string]*protocol.TerminalProgress{
		"":                                          nil,
		"\x1b]9;4;1;40\x07":                         {State: protocol.ProgressNormal, Percent: 40},
		"\x1b]9;4;1;40\x1b\\":                       {State: protocol.ProgressNormal, Percent: 40},
		"\x1b]9;4;1;400\x07":                        {State: protocol.ProgressNormal, Percent: 100},
		"\x1b]9;4;3\x07":                            {State: protocol.ProgressUnknown},
		"\x1b]9;4;1;40\x07\x1b]9;4;2\x07":           {State: protocol.ProgressError, Percent: 40},
		"\x1b]9;4;1;40\x07\x1b]9;4;4;50\x07":        {State: protocol.ProgressPaused, Percent: 50},
		"\x1b]9;4;1;40\x07\x1b]9;4;0\x07":           nil,
		"\x1b]9;4;1;40\x07\x1b]9;4;0;0\x07":         nil,
		"\x1b]9;4;1;40\x07\x1b]9;4;7;1\x07":         {State: protocol.ProgressNormal, Percent: 40},
		"\x1b]9;4;1;40\x07\x1b]9;4;1;x\x07":         {State: protocol.ProgressNormal, Percent: 40},
		"\x1b]9;a notification of another kind\x07": nil,
	} {
		s := NewStream(80, 24)
		for i := range len(out) {
			s.Append([]byte{out[i]})
		}
		got := s.Progress()
		if (got == nil) != (want == nil) || got != nil && *got != *want {
			t.Errorf("%q: %+v, not %+v", out, got, want)
		}
	}
}
