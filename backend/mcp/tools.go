package mcp

import (
	"fmt"
	"slices"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// tool is one tool with its implementation.
type tool struct {
	sdk.Tool
	run func(b *toolbox, c *call) *sdk.CallToolResult
}

// builder makes the tools from the registry's specs.
type builder struct {
	specs     []command.Spec
	helpLimit int
}

// envelope is the most that the SDK adds to the list of tools that a client
// gets, in characters.
const envelope = 200

// tools returns all tools, with the longest help that fits the budget.
func tools(specs []command.Spec) []tool {
	var made []tool
	for _, limit := range []int{120, 90, 70, 50, 35, 30, 25, 20, 0} {
		made = (&builder{specs: specs, helpLimit: limit}).all()
		list := make([]*sdk.Tool, len(made))
		for i := range made {
			list[i] = &made[i].Tool
		}
		if chars(sdk.ListToolsResult{Tools: list})+envelope <= protocol.MCPSchemaChars {
			break
		}
	}
	return made
}

func (b *builder) all() []tool {
	var made []tool
	for _, t := range []func() (tool, bool){b.snapshot, b.act, b.navigate, b.read, b.screenshot, b.tabs, b.run, b.taskRun, b.taskStatus, b.taskStop} {
		if one, ok := t(); ok {
			made = append(made, one)
		}
	}
	return made
}

// spec returns a command by name.
func (b *builder) spec(name string) (command.Spec, bool) {
	i := slices.IndexFunc(b.specs, func(s command.Spec) bool { return s.Name == name })
	if i < 0 {
		return command.Spec{}, false
	}
	return b.specs[i], true
}

// existing returns the specs of those names that are commands.
func (b *builder) existing(names ...string) []command.Spec {
	var found []command.Spec
	for _, n := range names {
		if s, ok := b.spec(n); ok {
			found = append(found, s)
		}
	}
	return found
}

func names(specs []command.Spec) []string {
	out := make([]string, len(specs))
	for i, s := range specs {
		out[i] = s.Name
	}
	return out
}

// make returns a tool.
func (b *builder) make(name, title, description string, s *shape, hints sdk.ToolAnnotations, run func(*toolbox, *call) *sdk.CallToolResult) tool {
	hints.Title = title
	return tool{Tool: sdk.Tool{Name: name, Description: description, InputSchema: s.schema(), Annotations: &hints}, run: run}
}

func readOnly() sdk.ToolAnnotations { return sdk.ToolAnnotations{ReadOnlyHint: true} }

// changes returns the hints of a tool that may destroy something. That is the
// default for a tool without hints.
func changes() sdk.ToolAnnotations { return sdk.ToolAnnotations{} }

// tab adds the argument for the tab to act on. Its default is explained in the
// instructions, once for all tools.
func (s *shape) tab() { s.add("tab", "string", "") }

// then adds the argument with which a tool that changes the page also reads it
// in the same turn.
func (b *builder) then(s *shape, about string) {
	if reads := b.existing("snapshot", "text"); len(reads) > 0 {
		s.add("then", "string", about, "enum", names(reads))
	}
}

func (b *builder) snapshot() (tool, bool) {
	spec, ok := b.spec("snapshot")
	if !ok {
		return tool{}, false
	}
	s := b.shape()
	for _, a := range spec.Args {
		s.arg(a)
	}
	s.tab()
	return b.make("browser_snapshot", "Look at the page",
		"See the page as a list: one line per thing with role, name, state and a ref such as e5 to act on. A ref stays with its element.",
		s, readOnly(), func(b *toolbox, c *call) *sdk.CallToolResult { return b.one(c, "snapshot") }), true
}

// actions returns the commands that browser_act names; the others are in
// browser_run.
func (b *builder) actions() []command.Spec {
	return b.existing("click", "fill", "type", "press", "select", "check", "uncheck", "hover", "scroll", "drag", "mouse", "keydown", "keyup", "tap", "swipe", "pinch", "upload", "dialog", "wait", "goto", "back")
}

func (b *builder) act() (tool, bool) {
	specs := b.actions()
	step := b.shape()
	step.add("do", "string", "", "enum", names(specs))
	step.require("do")
	step.union(specs)
	forms := make([]string, len(specs))
	for i, spec := range specs {
		forms[i] = form(spec)
	}
	s := b.shape()
	s.properties["steps"] = object{"type": "array", "minItems": 1, "items": step.schema()}
	s.require("steps")
	s.add("keepGoing", "boolean", "go on after a step that failed")
	b.then(s, "also look afterwards")
	s.tab()
	return b.make("browser_act", "Act on the page",
		"Do steps in order up to the first that fails; each reports what happened. Put a whole form into one call. Steps: "+strings.Join(forms, ", ")+".",
		s, changes(), (*toolbox).act), len(specs) > 0
}

// form returns a command with its positional arguments.
func form(s command.Spec) string {
	words := []string{s.Name}
	for _, a := range s.Args {
		switch {
		case a.Flag:
		case a.Required:
			words = append(words, a.Name)
		default:
			words = append(words, "["+a.Name+"]")
		}
	}
	return strings.Join(words, " ")
}

func (b *builder) navigate() (tool, bool) {
	ways := b.existing("back", "forward", "reload")
	_, ok := b.spec("goto")
	s := b.shape()
	s.add("url", "string", "")
	s.add("go", "string", "instead of url", "enum", names(ways))
	if _, has := b.spec("newtab"); has {
		s.add("newTab", "boolean", "open url in a new tab")
	}
	s.add("wait", "string", "how far to load", "enum", []string{"load", "dom", "commit"})
	b.then(s, "")
	s.tab()
	return b.make("browser_navigate", "Go to a page", "Open an address, or go back, forward or reload.",
		s, changes(), (*toolbox).navigate), ok
}

// readings returns the commands that browser_read names.
func (b *builder) readings() []command.Spec {
	return b.existing("text", "markdown", "html", "links", "forms", "tables", "data", "media", "console", "network", "a11y")
}

func (b *builder) read() (tool, bool) {
	specs := b.readings()
	s := b.shape()
	s.add("what", "string", "", "enum", names(specs))
	s.require("what")
	// The arguments that most of the commands have; the rest is in browser_run.
	for _, name := range []string{"element", "max"} {
		for _, spec := range specs {
			if i := slices.IndexFunc(spec.Args, func(a command.Arg) bool { return a.Name == name }); i >= 0 {
				s.arg(spec.Args[i])
				break
			}
		}
	}
	s.tab()
	return b.make("browser_read", "Read the page", "Get content of the page without refs: cheaper than a snapshot when you only read.",
		s, readOnly(), (*toolbox).read), len(specs) > 0
}

func (b *builder) screenshot() (tool, bool) {
	spec, ok := b.spec("screenshot")
	if !ok {
		return tool{}, false
	}
	s := b.shape()
	for _, a := range spec.Args {
		s.arg(a)
	}
	s.add("image", "boolean", "see it here; else you get its path")
	s.tab()
	return b.make("browser_screenshot", "Take a screenshot", "A screenshot of the tab. A snapshot costs less and has refs.",
		s, readOnly(), (*toolbox).screenshot), true
}

func (b *builder) tabs() (tool, bool) {
	ways := map[string]string{"list": "tabs", "new": "newtab", "front": "tab", "close": "closetab"}
	var does []string
	for _, do := range []string{"list", "new", "front", "close"} {
		if _, ok := b.spec(ways[do]); ok {
			does = append(does, do)
		}
	}
	s := b.shape()
	s.add("do", "string", "list when left out", "enum", does)
	s.add("url", "string", "for new")
	s.add("tab", "string", "for front and close")
	return b.make("browser_tabs", "Tabs", "List, open or close tabs, or bring one to the front (the user sees it).",
		s, changes(), func(b *toolbox, c *call) *sdk.CallToolResult { return b.tabs(c, ways, does) }), len(does) > 0
}

func (b *builder) run() (tool, bool) {
	s := b.shape()
	s.properties["commands"] = object{"type": "array", "minItems": 1, "items": object{"type": "string"}, "description": `such as "goto example.com --wait dom"`}
	s.require("commands")
	s.add("keepGoing", "boolean", "")
	s.tab()
	return b.make("browser_run", "Run any command",
		fmt.Sprintf("Run command lines in order up to the first that fails. \"help\" lists the commands, \"help NAME\" explains one. Commands: those of the other tools, and %s.", strings.Join(b.unnamed(), " ")),
		s, changes(), (*toolbox).lines), true
}

// unnamed returns the commands that no other tool names.
func (b *builder) unnamed() []string {
	named := names(slices.Concat(b.actions(), b.readings(), b.existing("snapshot", "screenshot", "forward", "reload")))
	return slices.DeleteFunc(names(b.specs), func(name string) bool { return slices.Contains(named, name) })
}
