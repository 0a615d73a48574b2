// Package inspectorcall says which command a request below /inspector is.
package inspectorcall

import (
	"encoding/json"
	"fmt"

	"pilotfish/backend/protocol"
)

// Routes returns the names of the routes that are commands, with what they do.
func Routes() map[string]string {
	return map[string]string{
		"read":    "Everything about an element: the command details.",
		"apply":   "Change a rule, an attribute, a class or the text of an element: the command edit.",
		"undo":    "Undo the last change, or all: edit --undo.",
		"redo":    "Make the change again that was undone last: edit --redo.",
		"history": "The changes, with their diff: edit --history.",
		"pick":    "", // a panel's picker has the same route
	}
}

// Request returns the command that a request to the route of a name is.
func Request(name string, r protocol.InspectorRequest) (protocol.CommandRequest, error) {
	out := protocol.CommandRequest{Command: "edit", Tab: r.Tab, TimeoutMS: r.TimeoutMS, Session: r.Session, Args: map[string]json.RawMessage{}}
	args := map[string]any{}
	switch name {
	case "read":
		out.Command = "details"
		args = map[string]any{"element": r.Element, "step": r.Step}
	case "apply":
		args = map[string]any{"element": r.Element, "what": r.What, "rule": r.Rule, "name": r.Name, "remove": r.Remove, "off": r.Off, "on": r.On}
		if r.Index != nil {
			args["index"] = *r.Index
		}
		if r.Value != nil {
			args["value"] = *r.Value
		}
	case "undo":
		args = map[string]any{"undo": true, "all": r.All}
	case "redo", "history":
		args = map[string]any{name: true}
	case "pick":
		out.Command = "pick"
	default:
		return out, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the Inspector has no %.40q", name), "")
	}
	for arg, value := range args {
		if value == false || value == "" && arg != "value" {
			continue // not given
		}
		encoded, err := json.Marshal(value)
		if err != nil {
			return out, fmt.Errorf("encode an argument: %w", err)
		}
		out.Args[arg] = encoded
	}
	return out, nil
}

// Events writes a batch of the Inspector's feed as server-sent events.
func Events(b protocol.FeedBatch) string {
	text := ""
	if b.Gap {
		text = "event: gap\ndata: {}\n\n"
	}
	for _, item := range b.Items {
		text += fmt.Sprintf("id: %d\nevent: inspector\ndata: %s\n\n", b.Last, item)
	}
	return text
}
