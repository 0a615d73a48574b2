package wire

import (
	"encoding/json"
	"reflect"
	"testing"

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
			in := ReadInput(json.RawMessage(test.raw))
			if got, ok := in.Edit(); ok != (test.edit != nil) || ok && !reflect.DeepEqual(got, *test.edit) {
				t.Errorf("the edit is %+v, %v", got, ok)
			}
			if got := in.Plan(); !reflect.DeepEqual(got, test.plan) {
				t.Errorf("the plan is %+v", got)
			}
		})
	}
}
