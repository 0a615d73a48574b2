package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// answerShown is how many characters of an answer a reply contains.
const answerShown = 20_000

// webMCP returns the command for the tools of pages (WebMCP).
func (c *commands) webMCP() []command.Command {
	return []command.Command{
		{Spec: command.Spec{
			Name: "webmcp", Aliases: []string{"page-tools"}, Scope: protocol.ScopeAct, Summary: "list the tools that the page itself offers (WebMCP), or call one",
			Help: "The tools belong to the page: their names, descriptions and answers come from it, and a call does whatever the page wants.",
			Args: []command.Arg{
				{Name: "tool", Type: command.String, Help: "the tool to call; lists the tools if left out"},
				{Name: "input", Type: command.String, Default: "{}", Help: "JSON that fits the tool's schema"},
				{Name: "schemas", Type: command.Boolean, Flag: true, Help: "include the schemas in the list"},
				listing.MaxArg(),
			},
			Returns: "the tools, or tool, status, output", Examples: []string{"webmcp", `webmcp add '{"a":1,"b":2}'`},
		}, Tab: command.OwnTab, Doing: command.Giving(func(args command.Values) bool { return args.Text("tool") != "" }), Run: c.runWebMCP},
	}
}

func (c *commands) runWebMCP(ctx context.Context, in *command.Invocation) (command.Result, error) {
	name := in.Args.Text("tool")
	if name != "" {
		input := in.Args.Text("input")
		if input == "" {
			input = "{}"
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(input), &object) != nil {
			return command.Result{}, command.BadArgument("the input is no JSON object", "", protocol.Example("webmcp", "add", "{\"a\":1}"))
		}
		r, err := c.Browser.CallPageTool(ctx, in.By(), in.Tab, name, json.RawMessage(input))
		if err != nil {
			return command.Result{}, err
		}
		said := r.Output
		if r.Status != "Completed" {
			said = r.Error
			if said == "" {
				said = r.Output
			}
		}
		runes := []rune(said)
		more := ""
		if len(runes) > answerShown {
			said, more = string(runes[:answerShown]), fmt.Sprintf("\n(%d of %d characters)", answerShown, len(runes))
		}
		text := fmt.Sprintf("the page's tool %s: %s\n%s%s", foreign.Line(name, 100), r.Status, in.Foreign(r.Origin, said), more)
		if r.Status != "Completed" {
			return command.Result{}, protocol.NewError(protocol.CodeScript, text, "")
		}
		return command.Result{Text: text, Data: r}, nil
	}
	tools, err := c.Browser.PageTools(ctx, in.Tab)
	if err != nil {
		return command.Result{}, err
	}
	slices.SortFunc(tools, func(a, b protocol.PageTool) int { return cmp.Compare(a.Name, b.Name) })
	var lines []string
	for _, t := range tools {
		text := foreign.Line(t.Name, 100) + ": " + foreign.Line(t.Description, 400)
		if t.ReadOnly {
			text += " (says that it only reads)"
		}
		if t.Consequential {
			text += " (says that it has consequences)"
		}
		if in.Args.Flag("schemas") {
			text += "\n    " + foreign.Line(t.Schema, 2000)
		} else if names := schemaNames(t.Schema); names != "" {
			text += "\n    input: " + names
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		return command.Result{Text: "the page in " + string(in.Tab) + " offers no tools", Data: tools}, nil
	}
	return command.Result{Text: "tools of the page in " + string(in.Tab) + ":\n" + listing.Rows(in, in.Current(), lines, ""), Data: tools}, nil
}

// schemaNames returns a short list of a tool's arguments.
func schemaNames(schema string) string {
	var s struct {
		Properties map[string]struct {
			Type any `json:"type"`
		} `json:"properties"`
		Required []string `json:"required"`
	}
	if json.Unmarshal([]byte(schema), &s) != nil {
		return ""
	}
	var names []string
	for n, p := range s.Properties {
		text := foreign.Line(n, 60)
		if kind, ok := p.Type.(string); ok {
			text += " " + foreign.Line(kind, 20)
		}
		if slices.Contains(s.Required, n) {
			text += " (required)"
		}
		names = append(names, text)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
