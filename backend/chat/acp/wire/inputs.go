package wire

import (
	"cmp"
	"encoding/json"

	"pilotfish/backend/protocol"
)

// Input has the fields by which the tools of several agents describe a change
// of a file, or a plan. Goose and OpenCode send these only here, and not in the
// protocol's own fields.
type Input struct {
	Path      string `json:"path"`
	FilePath  string `json:"filePath"`
	FilePath2 string `json:"file_path"`
	Before    string `json:"before"`
	After     string `json:"after"`
	Old       string `json:"oldString"`
	New       string `json:"newString"`
	Old2      string `json:"old_string"`
	New2      string `json:"new_string"`
	Todos     []todo `json:"todos"`
}

type todo struct {
	Content     string `json:"content"`
	Title       string `json:"title"`
	Description string `json:"description"`
	Status      string `json:"status"`
	Priority    string `json:"priority"`
}

// ReadInput reads the raw input of a call; missing fields are empty.
func ReadInput(raw json.RawMessage) (in Input) {
	if Said(raw) {
		_ = Lenient(raw, &in) // an input of another form has none of these
	}
	return in
}

// Edit returns the change of a file that a call requests.
func (in Input) Edit() (protocol.ToolContent, bool) {
	d := protocol.ToolContent{
		Kind: protocol.ContentDiff, Path: cmp.Or(in.Path, in.FilePath, in.FilePath2),
		Old: cmp.Or(in.Before, in.Old, in.Old2), New: cmp.Or(in.After, in.New, in.New2),
	}
	return d, d.Path != "" && d.Old != "" && d.Old != d.New
}

// Plan returns the plan that a call writes; nil for none.
func (in Input) Plan() []protocol.ChatPlanItem {
	plan := make([]protocol.ChatPlanItem, 0, len(in.Todos))
	for _, t := range in.Todos {
		text := cmp.Or(t.Content, t.Title, t.Description)
		if text == "" || t.Status == "" {
			return nil // a list of something else
		}
		plan = append(plan, protocol.ChatPlanItem{Text: text, Status: t.Status, Priority: t.Priority})
	}
	if len(plan) == 0 {
		return nil
	}
	return plan
}
