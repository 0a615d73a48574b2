package command

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// toolsBrowser is what the tools of pages and the raw protocol need of a
// browser.
type toolsBrowser interface {
	PageTools(ctx context.Context, tab protocol.TabID) ([]protocol.PageTool, error)
	CallPageTool(ctx context.Context, tab protocol.TabID, name string, input json.RawMessage) (protocol.PageToolResult, error)
	RawCDP(ctx context.Context, tab protocol.TabID, method string, params json.RawMessage) (json.RawMessage, error)
}

func toolCommands() []command {
	return []command{
		{Spec: Spec{
			Name: "webmcp", Aliases: []string{"page-tools"}, Scope: protocol.ScopeAct, Summary: "list the tools that the page itself offers (WebMCP), or call one",
			Help: "The tools belong to the page: their names, descriptions and answers come from it, and a call does whatever the page wants.",
			Args: []Arg{
				{Name: "tool", Type: String, Help: "the tool to call; lists the tools if left out"},
				{Name: "input", Type: String, Default: "{}", Help: "JSON that fits the tool's schema"},
				{Name: "schemas", Type: Boolean, Flag: true, Help: "include the schemas in the list"},
				maxArg(),
			},
			Returns: "the tools, or tool, status, output", Examples: []string{"webmcp", `webmcp add '{"a":1,"b":2}'`},
		}, tab: ownTab, run: runWebMCP},
		{Spec: Spec{
			Name: "cdp", Scope: protocol.ScopeSensitive, Summary: "send one command of the DevTools protocol to the tab",
			Help: "Only methods that change nothing, and those that the settings allow: cdp_allow for you, cdp_allow_agents for agents (you are asked each time).",
			Args: []Arg{
				{Name: "method", Type: String, Required: true, Help: "such as Page.getLayoutMetrics"},
				{Name: "params", Type: String, Default: "{}", Help: "a JSON object"},
			},
			Returns: "the protocol's answer", Examples: []string{"cdp Page.getLayoutMetrics", `cdp DOM.getDocument '{"depth":2}'`},
		}, tab: ownTab, first: allowedCDP, run: runCDP},
	}
}

func runWebMCP(ctx context.Context, in *invocation) (result, error) {
	name := in.args.text("tool")
	if name != "" {
		input := in.args.text("input")
		if input == "" {
			input = "{}"
		}
		var object map[string]json.RawMessage
		if json.Unmarshal([]byte(input), &object) != nil {
			return result{}, badArgument("the input is no JSON object", "", protocol.Example("webmcp", "add", "{\"a\":1}"))
		}
		r, err := in.browser.CallPageTool(ctx, in.tab, name, json.RawMessage(input))
		if err != nil {
			return result{}, err
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
		if len(runes) > bodyShown {
			said, more = string(runes[:bodyShown]), fmt.Sprintf("\n(%d of %d characters)", bodyShown, len(runes))
		}
		text := fmt.Sprintf("the page's tool %s: %s\n%s%s", line(name, 100), r.Status, in.foreign(r.Origin, said), more)
		if r.Status != "Completed" {
			return result{}, protocol.NewError(protocol.CodeScript, text, "")
		}
		return result{text: text, data: r}, nil
	}
	tools, err := in.browser.PageTools(ctx, in.tab)
	if err != nil {
		return result{}, err
	}
	slices.SortFunc(tools, func(a, b protocol.PageTool) int { return cmp.Compare(a.Name, b.Name) })
	var lines []string
	for _, t := range tools {
		text := line(t.Name, 100) + ": " + line(t.Description, 400)
		if t.ReadOnly {
			text += " (says that it only reads)"
		}
		if t.Consequential {
			text += " (says that it has consequences)"
		}
		if in.args.flag("schemas") {
			text += "\n    " + line(t.Schema, 2000)
		} else if names := schemaNames(t.Schema); names != "" {
			text += "\n    input: " + names
		}
		lines = append(lines, text)
	}
	if len(lines) == 0 {
		return result{text: "the page in " + string(in.tab) + " offers no tools", data: tools}, nil
	}
	return result{text: "tools of the page in " + string(in.tab) + ":\n" + in.rows(in.current(), lines, ""), data: tools}, nil
}

// schemaNames are the arguments of a tool, shortly.
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
		text := line(n, 60)
		if kind, ok := p.Type.(string); ok {
			text += " " + line(kind, 20)
		}
		if slices.Contains(s.Required, n) {
			text += " (required)"
		}
		names = append(names, text)
	}
	slices.Sort(names)
	return strings.Join(names, ", ")
}
