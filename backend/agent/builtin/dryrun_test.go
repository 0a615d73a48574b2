package builtin

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/protocol"
)

// page answers snapshots of a page with these elements, and refuses to act: a
// dry run only looks.
func page(t *testing.T, items ...*protocol.SnapshotItem) Commander {
	t.Helper()
	return Commander(func(_ context.Context, req protocol.CommandRequest) protocol.CommandReply {
		var data any
		switch req.Command {
		case "snapshot":
			data = protocol.Snapshot{Items: items}
		case "forms":
			data = []protocol.Form{{Fields: []protocol.FormField{{Ref: "e3", Options: []string{"France", "Spain"}}}}}
		case "links":
			data = []protocol.Link{{Ref: "e9", Text: "Home", URL: "https://a.example/"}}
		case "tabs":
			data = []protocol.Tab{{ID: "t1", Active: true}, {ID: "t2", Title: "Docs"}}
		case "screenshot":
			data = protocol.Screenshot{Path: "/shots/a.png", Width: 4, Height: 3}
		default:
			t.Errorf("%s was done while it was only asked for", req.Command)
		}
		raw, err := json.Marshal(data)
		if err != nil {
			return protocol.CommandReply{Error: protocol.AsError(err)}
		}
		return protocol.CommandReply{OK: true, Data: raw}
	})
}

// inShort returns a dry run on one line.
func inShort(e DryRun) string {
	var parts []string
	for _, c := range e.Commands {
		args, _ := json.Marshal(c.Args) //nolint:errchkjson // raw JSON of ours
		parts = append(parts, c.Command+string(args))
	}
	if e.Said != "" {
		parts = append(parts, "said "+e.Said)
	}
	if e.Error != nil {
		parts = append(parts, fmt.Sprintf("%s: %s", e.Error.Code, e.Error.Message))
	}
	for _, c := range e.Choices {
		parts = append(parts, fmt.Sprintf("%s %s %s %s", c.Ref, c.Name, c.Kind, c.Where))
	}
	return strings.Join(parts, "; ")
}

func TestDryRun(t *testing.T) {
	t.Parallel()
	commander := page(t,
		thing("", "banner", "", thing("e1", "button", "Save")), thing("", "main", "", thing("e2", "button", "Save"), thing("e5", "button", "Send")),
		thing("e3", "combobox", "Country"), thing("e4", "searchbox", "Find"), thing("", "heading", "Prices"))
	refused := func(code protocol.Code) []Tried { return []Tried{protocol.NewError(code, "it says no", "")} }
	g := grammar.New(nil) // its patterns are compiled once
	for _, c := range []struct {
		say    string
		tried  []Tried
		chosen []string
		want   string
	}{
		{say: "go to example.com", want: `goto{"url":"example.com"}`},
		{say: "click Send", want: `click{"target":"e5"}`},
		{say: "click Save", want: "ambiguous: 2 elements on this page match “Save”; e1 Save button the header; e2 Save button the main part"},
		{say: "click Save", chosen: []string{"e9", "e2"}, want: `click{"target":"e2"}`},
		{say: "click Sent", want: "no_element: Nothing on this page is called “Sent”; e5 Send button the main part"},
		{say: "search for tides here", want: `fill{"target":"e4","value":"tides"}; press{"key":"Enter","target":"e4"}`},
		{say: "select france in Country", want: `select{"target":"e3","value":"france"}`},
		{say: "select france in Country", tried: refused(protocol.CodeBadArgument), want: `select{"target":"e3","value":"France"}`},
		{say: "select france in Country", tried: refused(protocol.CodeDisabled), want: "disabled: it says no"},
		{say: "scroll to Prices", want: `scroll{"target":"text=\"Prices\""}`},
		{say: "focus Find", want: `click{"target":"e4"}`},
		{say: "focus Send", want: "bad_argument: Send is not a field that can be focused"},
		{say: "wait 2 seconds", want: `wait{"for":"time","value":"2000"}`},
		{say: "switch to tab 2", want: `tab{"tab":"t2"}`},
		{say: "list the links", want: "said There is one link.\n@e9 Home → https://a.example/"},
		{say: "screenshot", want: "said Took a screenshot of what is in view, 4 × 3: /shots/a.png"},
	} {
		plan, unknown := g.Parse(c.say)
		if unknown != nil || len(plan.Steps) != 1 {
			t.Fatalf("%q: %+v, %+v", c.say, plan, unknown)
		}
		got := inShort(NewEngine(commander, "t1").DryRun(t.Context(), plan.Steps[0], c.tried, c.chosen))
		if got != c.want {
			t.Errorf("%q, tried %v, chosen %v\n got %s\nwant %s", c.say, c.tried, c.chosen, got, c.want)
		}
	}
}
