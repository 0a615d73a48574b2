//go:build unix

package acp

import (
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

func TestAnswersThatHaveNoNames(t *testing.T) {
	for _, test := range []struct{ name, kind, says string }{
		{"allow_once", "allow_once", "Allow once"},
		{"allow_always", "allow_always", "Always allow"},
		{"reject_once", "reject_once", "Deny"},
		{"reject_always", "reject_always", "Always deny"},
		{"Yes, and for all edits", "allow_always", "Yes, and for all edits"},
	} {
		if got := permissionOption("id", test.name, test.kind); got.Name != test.says || got.Scope == test.kind {
			t.Errorf("%q is shown as %+v", test.name, got)
		}
	}
}

func TestArgumentsAmongTheContent(t *testing.T) {
	text := func(words string) []protocol.ToolContent {
		return []protocol.ToolContent{{Kind: protocol.ContentText, Text: words}}
	}
	for name, test := range map[string]struct {
		status  protocol.ToolStatus
		content []protocol.ToolContent
		want    string
	}{
		"written to their end":      {protocol.ToolRunning, text(`{"command":"rm -r build"}`), `{"command":"rm -r build"}`},
		"still being written":       {protocol.ToolRunning, text(`{"command":"rm -r`), ""},
		"an outcome":                {protocol.ToolDone, text(`{"command":"rm -r build"}`), ""},
		"words":                     {protocol.ToolRunning, text("Running: rm -r b…"), ""},
		"a list":                    {protocol.ToolRunning, text(`["rm"]`), ""},
		"nothing is asked":          {protocol.ToolRunning, text(`{}`), ""},
		"two pieces":                {protocol.ToolRunning, append(text(`{"a":1}`), text("b")...), ""},
		"a status that nobody said": {"", text(`{"command":"rm -r build"}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			u := &driver.ToolUpdate{Content: test.content}
			if test.status != "" {
				u.Status = &test.status
			}
			if got := arguments(u); string(got) != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
