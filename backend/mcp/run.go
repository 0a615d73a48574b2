package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// toolbox runs the tools for one caller.
type toolbox struct {
	config Config
	specs  []command.Spec
}

// call is one call of a tool.
type call struct {
	ctx  context.Context // of this call
	args map[string]json.RawMessage
	// progress reports to the client how far a call of several steps is.
	progress func(done, total int, what string)
	// waiting reports to the client that the user is asked.
	waiting func(protocol.Waiting)
	// news reports a line of a task's progress to the client, with the task's step
	// and the number of steps. hears is true if the client wants progress.
	news  func(step, steps int, line string)
	hears bool
}

// take reads an argument of the tool itself and removes it from the arguments
// of the command. null counts as not given.
func take[T any](c *call, name string) (value T, err error) {
	raw, given := c.args[name]
	delete(c.args, name)
	if !given || string(raw) == "null" {
		return value, nil
	}
	if json.Unmarshal(raw, &value) != nil {
		return value, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s cannot be %.60s", name, raw), "the tool's schema says what it takes")
	}
	return value, nil
}

// step is one command with its label in the reply.
type step struct {
	label   string
	request protocol.CommandRequest
	// text, if set, is the reply; the registry is not called.
	text string
}

// request makes the step of a command from the remaining arguments.
func (c *call) request(name string) (step, error) {
	tab, err := take[string](c, "tab")
	args := map[string]json.RawMessage{}
	for n, v := range c.args {
		args[n] = v
	}
	return step{label: name, request: protocol.CommandRequest{Command: name, Args: args, Tab: protocol.TabID(tab)}}, err
}

// one runs a command with the arguments unchanged.
func (b *toolbox) one(c *call, name string) *sdk.CallToolResult {
	s, err := c.request(name)
	if err != nil {
		return failure(err)
	}
	return b.steps(c, []step{s}, false)
}

// steps runs commands in order. A single reply is returned unchanged; several
// are numbered.
func (b *toolbox) steps(c *call, steps []step, keepGoing bool) *sdk.CallToolResult {
	result := &sdk.CallToolResult{}
	var out []string
	for i, s := range steps {
		c.progress(i, len(steps), s.label)
		reply := b.execute(c, s)
		said := strings.TrimRight(reply.Text, "\n")
		if !reply.OK {
			result.IsError = true
			said = describeFailure(reply)
		}
		if len(steps) > 1 {
			said = fmt.Sprintf("%d. %s: %s", i+1, s.label, said)
		}
		out = append(out, said)
		if !reply.OK && !keepGoing {
			if rest := len(steps) - i - 1; rest > 0 {
				out = append(out, fmt.Sprintf("(%d not done)", rest))
			}
			break
		}
	}
	result.Content = []sdk.Content{&sdk.TextContent{Text: strings.Join(out, "\n")}}
	return result
}

// execute runs one step. It runs nothing after the client has cancelled the
// call.
func (b *toolbox) execute(c *call, s step) protocol.CommandReply {
	if c.ctx.Err() != nil {
		return protocol.CommandReply{Error: protocol.NewError(protocol.CodeTimeout, "the call was cancelled", "")}
	}
	if s.text != "" {
		return protocol.CommandReply{OK: true, Text: s.text}
	}
	if s.request.Session == "" {
		s.request.Session = b.config.Session
	}
	reply := b.config.Caller.Execute(c.ctx, s.request, c.waiting)
	if !reply.OK && reply.Error == nil {
		reply.Error = protocol.NewError(protocol.CodeInternal, "the command failed without saying why", "")
	}
	return reply
}

// describeError formats an error for a model: the code, what happened, what to
// do.
func describeError(e *protocol.Error) string {
	said := fmt.Sprintf("error %s: %s", e.Code, e.Message)
	if advice := e.Advice(suggested); advice != "" {
		said += "\nhint: " + advice
	}
	return said
}

// suggested returns the name of the tool that does what a command does. A
// suggestion without a command is an option of the current command, and so an
// argument of its tool.
func suggested(s protocol.Suggestion) string {
	switch {
	case s.Command == "":
		return s.Line()
	case s.Command == "snapshot" && len(s.Args) == 0:
		return "browser_snapshot"
	case s.Command == "tabs" && len(s.Args) == 0:
		return "browser_tabs"
	case s.Command == "screenshot" && len(s.Args) == 0:
		return "browser_screenshot"
	case s.Command == "task" && len(s.Args) > 0 && s.Args[0] == "run":
		return "task_run"
	case s.Command == "task":
		return "task_status"
	}
	return "browser_run with " + strconv.Quote(s.Line())
}

// describeFailure formats the error of a command. A command that runs several
// others may have done something before it failed; that comes first.
func describeFailure(reply protocol.CommandReply) string {
	said := describeError(reply.Error)
	if len(reply.Data) > 0 {
		return strings.TrimRight(reply.Text, "\n") + "\n" + said
	}
	return said
}

func failure(err error) *sdk.CallToolResult {
	return &sdk.CallToolResult{IsError: true, Content: []sdk.Content{&sdk.TextContent{Text: describeError(protocol.AsError(err))}}}
}

// wrong returns the error for an invalid argument of a tool.
func wrong(message, hint string) *sdk.CallToolResult {
	return failure(protocol.NewError(protocol.CodeBadArgument, message, hint))
}

func choice(name string, choices []string) string {
	return name + " is one of " + strings.Join(choices, ", ")
}

// after returns the step for the argument `then`, which reads the page after
// the other steps.
func (b *toolbox) after(c *call) ([]step, error) {
	then, err := take[string](c, "then")
	if err != nil || then == "" {
		return nil, err
	}
	if _, err := b.find(then); err != nil || then != "snapshot" && then != "text" {
		return nil, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("then cannot be %.40q", then), "it is snapshot or text")
	}
	return []step{{label: then, request: protocol.CommandRequest{Command: then}}}, nil
}

func (b *toolbox) act(c *call) *sdk.CallToolResult {
	raw, err := take[[]map[string]json.RawMessage](c, "steps")
	if err != nil {
		return failure(err)
	}
	keepGoing, err := take[bool](c, "keepGoing")
	if err != nil {
		return failure(err)
	}
	snap, err := b.after(c)
	if err != nil {
		return failure(err)
	}
	tab, err := take[string](c, "tab")
	if err != nil {
		return failure(err)
	}
	if bad := unknown(c, "steps, keepGoing, then, tab"); bad != nil {
		return bad
	}
	if len(raw) == 0 || len(raw) > protocol.MaxBatch {
		return wrong(fmt.Sprintf("steps has 1 to %d steps", protocol.MaxBatch), `for example: {"steps":[{"do":"goto","url":"example.com"}]}`)
	}
	var steps []step
	for i, args := range raw {
		one := &call{args: args}
		do, err := take[string](one, "do")
		if err != nil {
			return failure(err)
		}
		spec, err := b.find(do)
		if err != nil {
			e := protocol.AsError(err)
			return failure(e.Saying(fmt.Sprintf("step %d: %s", i+1, e.Message)))
		}
		s, err := one.request(spec.Name)
		if err != nil {
			return failure(err)
		}
		s.label = label(spec, s.request.Args)
		steps = append(steps, s)
	}
	return b.steps(c, onTab(append(steps, snap...), tab), keepGoing)
}

// label returns the label of a step's reply: the command and its first
// argument.
func label(spec command.Spec, args map[string]json.RawMessage) string {
	for _, a := range spec.Args {
		var value string
		if !a.Flag && json.Unmarshal(args[a.Name], &value) == nil && len(value) <= 40 {
			return spec.Name + " " + value
		}
		if !a.Flag {
			break
		}
	}
	return spec.Name
}

// onTab sets the tab of the steps that name none.
func onTab(steps []step, tab string) []step {
	for i := range steps {
		if _, own := steps[i].request.Args["tab"]; steps[i].request.Tab == "" && !own {
			steps[i].request.Tab = protocol.TabID(tab)
		}
	}
	return steps
}

// unknown returns an error if there are arguments that the tool does not have.
func unknown(c *call, known string) *sdk.CallToolResult {
	for name := range c.args {
		return wrong(fmt.Sprintf("there is no argument %.60q", name), "the arguments are "+known)
	}
	return nil
}

func (b *toolbox) navigate(c *call) *sdk.CallToolResult {
	url, err := take[string](c, "url")
	if err != nil {
		return failure(err)
	}
	way, err := take[string](c, "go")
	if err != nil {
		return failure(err)
	}
	fresh, err := take[bool](c, "newTab")
	if err != nil {
		return failure(err)
	}
	snap, err := b.after(c)
	if err != nil {
		return failure(err)
	}
	name := "goto"
	switch {
	case (url == "") == (way == ""):
		return wrong("give either url or go", `for example: {"url":"example.com"}`)
	case way != "":
		if name = way; !slices.Contains([]string{"back", "forward", "reload"}, way) {
			return wrong(choice("go", []string{"back", "forward", "reload"}), "")
		}
	default:
		c.args["url"] = text(url)
		if fresh {
			name = "newtab"
		}
	}
	s, err := c.request(name)
	if err != nil {
		return failure(err)
	}
	if name == "newtab" && len(snap) > 0 {
		return b.newTabAndSnapshot(c, s, snap)
	}
	return b.steps(c, onTab(append([]step{s}, snap...), string(s.request.Tab)), false)
}

// newTabAndSnapshot opens a tab and then reads its page. It cannot use steps for
// both, because the new tab's name is known only from the first reply.
func (b *toolbox) newTabAndSnapshot(c *call, s step, snap []step) *sdk.CallToolResult {
	c.progress(0, 1+len(snap), s.label)
	reply := b.execute(c, s)
	if !reply.OK {
		return failure(reply.Error)
	}
	snap = onTab(snap, string(reply.Tab))
	return b.steps(c, append([]step{{label: s.label, text: strings.TrimRight(reply.Text, "\n")}}, snap...), false)
}

func (b *toolbox) read(c *call) *sdk.CallToolResult {
	what, err := take[string](c, "what")
	if err != nil {
		return failure(err)
	}
	spec, err := b.find(what)
	named := slices.ContainsFunc((&builder{specs: b.specs}).readings(), func(s command.Spec) bool { return s.Name == spec.Name })
	if err != nil || spec.Scope != protocol.ScopeRead && !named {
		return wrong(fmt.Sprintf("what cannot be %.40q", what), "the tool's schema lists what can be read; browser_run has the rest")
	}
	if _, does := c.args["do"]; does && spec.Scope != protocol.ScopeRead {
		return wrong(spec.Name+" is only listed here", fmt.Sprintf("for anything else: browser_run with a line such as %q", spec.Examples[0]))
	}
	return b.one(c, spec.Name)
}

func (b *toolbox) tabs(c *call, ways map[string]string, does []string) *sdk.CallToolResult {
	do, err := take[string](c, "do")
	if err != nil {
		return failure(err)
	}
	if do == "" {
		do = "list"
	}
	if !slices.Contains(does, do) {
		return wrong(fmt.Sprintf("do cannot be %.40q", do), choice("it", does))
	}
	return b.one(c, ways[do])
}

func (b *toolbox) lines(c *call) *sdk.CallToolResult {
	lines, err := take[[]string](c, "commands")
	if err != nil {
		return failure(err)
	}
	keepGoing, err := take[bool](c, "keepGoing")
	if err != nil {
		return failure(err)
	}
	tab, err := take[string](c, "tab")
	if err != nil {
		return failure(err)
	}
	if bad := unknown(c, "commands, keepGoing, tab"); bad != nil {
		return bad
	}
	if len(lines) == 0 || len(lines) > protocol.MaxBatch {
		return wrong(fmt.Sprintf("commands has 1 to %d lines", protocol.MaxBatch), `for example: {"commands":["help"]}`)
	}
	steps := make([]step, len(lines))
	for i, line := range lines {
		if steps[i], err = b.line(line); err != nil {
			return failure(err)
		}
	}
	return b.steps(c, onTab(steps, tab), keepGoing)
}

// line returns the step of a command line. Help is answered here, from the
// specs.
func (b *toolbox) line(line string) (step, error) {
	s := step{label: line}
	if len(line) > 60 {
		s.label = string([]rune(line)[:min(60, len([]rune(line)))]) + "…"
	}
	words, err := command.SplitLine(strings.TrimPrefix(strings.TrimSpace(line), "pilotfish "))
	if err == nil && len(words) > 0 && (words[0] == "help" || words[0] == "--help") {
		s.text, err = b.helpFor(words[1:])
		return s, err
	}
	if err == nil && len(words) > 1 && words[len(words)-1] == "--help" {
		s.text, err = b.helpFor(words[:1])
		return s, err
	}
	s.request, err = command.ParseLine(line, b.find)
	return s, err
}

// text returns a string as JSON.
func text(s string) json.RawMessage {
	b, err := json.Marshal(s)
	if err != nil {
		return json.RawMessage(`""`) // cannot happen: every string can be encoded
	}
	return b
}
