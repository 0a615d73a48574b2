package task

import (
	"encoding/json"
	"slices"
	"testing"

	"pilotfish/backend/protocol"
)

func TestATellerSaysEachThingOnce(t *testing.T) {
	var teller Teller
	page := func(state protocol.TaskState, kind protocol.TaskEventKind, data string) protocol.TaskPage {
		return protocol.TaskPage{Head: protocol.Task{State: state}, Events: []protocol.TaskEvent{{Kind: kind, Data: json.RawMessage(data)}}}
	}
	for _, c := range []struct {
		name string
		page protocol.TaskPage
		want []string
	}{
		{"a thought", page(protocol.TaskRunning, protocol.TaskEventStep, `{"n":1,"url":"","thought":{"goal":"Fill the form"},"deeds":[]}`), []string{"1. Fill the form"}},
		{
			"the whole step", page(protocol.TaskRunning, protocol.TaskEventStep, `{"n":1,"url":"http://x","thought":{"goal":"Fill the form"},"deeds":[
				{"action":{"do":"type","text":"hunter2"},"target":"edit Password","result":{"ok":true,"text":"typed"}},
				{"action":{"do":"open_tab","url":"http://y"},"result":{"ok":true,"text":""}},
				{"action":{"do":"click"},"target":"btn Save","result":{"ok":false,"text":"it is covered\nby a dialog"}},
				{"action":{"do":"done"},"result":{"ok":true,"text":"ready"}}]}`),
			[]string{"   type edit Password", "   open tab http://y", " ! click btn Save: it is covered by a dialog"},
		},
		{"a question", page(protocol.TaskWaiting, protocol.TaskEventNotice, `{"question":"Which one?"}`), []string{"it asks: Which one?"}},
		{"an answer", page(protocol.TaskRunning, protocol.TaskEventUser, `{"text":"The first\u001b[2J"}`), []string{"you: The first[2J"}},
		{"a notice", page(protocol.TaskRunning, protocol.TaskEventNotice, `{"text":"A dialog opened"}`), []string{"note: A dialog opened"}},
		{"nothing for a reader", page(protocol.TaskRunning, protocol.TaskEventSummary, `{"summary":"x","from":1}`), nil},
		{"of another version", page(protocol.TaskRunning, protocol.TaskEventStep, `[]`), nil},
		{"paused", page(protocol.TaskPaused, protocol.TaskEventSummary, `{}`), []string{"(paused in the panel)"}},
		{"still paused", page(protocol.TaskPaused, protocol.TaskEventSummary, `{}`), nil},
	} {
		if got := teller.Lines(c.page); !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}
