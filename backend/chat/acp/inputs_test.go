//go:build unix

package acp

import (
	"encoding/json"
	"reflect"
	"testing"

	"pilotfish/backend/chat/driver"
	"pilotfish/backend/protocol"
)

func TestWhatAnInputSays(t *testing.T) {
	diff := protocol.ToolContent{Kind: protocol.ContentDiff, Path: "/a", Old: "3", New: "5"}
	plan := []protocol.ChatPlanItem{{Text: "Read", Status: "completed"}, {Text: "Write", Status: "pending", Priority: "high"}}
	for name, test := range map[string]struct {
		raw  string
		edit *protocol.ToolContent
		plan []protocol.ChatPlanItem
	}{
		"Goose's edit":         {raw: `{"path":"/a","before":"3","after":"5"}`, edit: &diff},
		"OpenCode's edit":      {raw: `{"filePath":"/a","oldString":"3","newString":"5"}`, edit: &diff},
		"an edit of Qwen's":    {raw: `{"file_path":"/a","old_string":"3","new_string":"5"}`, edit: &diff},
		"an edit of no file":   {raw: `{"before":"3","after":"5"}`},
		"a command":            {raw: `{"command":"ls","path":"/a"}`},
		"OpenCode's plan":      {raw: `{"todos":[{"id":"1","content":"Read","status":"completed"},{"content":"Write","status":"pending","priority":"high"}]}`, plan: plan},
		"a plan with titles":   {raw: `{"todos":[{"title":"Read","status":"completed"},{"description":"Write","status":"pending","priority":"high"}]}`, plan: plan},
		"todos of other kinds": {raw: `{"todos":["Read",{"content":"Write"}]}`},
		"a list":               {raw: `["path"]`},
		"nothing":              {raw: `null`},
	} {
		t.Run(name, func(t *testing.T) {
			in := readInput(json.RawMessage(test.raw))
			if got, ok := in.edit(); ok != (test.edit != nil) || ok && !reflect.DeepEqual(got, *test.edit) {
				t.Errorf("the edit is %+v, %v", got, ok)
			}
			if got := in.plan(); !reflect.DeepEqual(got, test.plan) {
				t.Errorf("the plan is %+v", got)
			}
		})
	}
}

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
