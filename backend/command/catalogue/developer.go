package catalogue

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
	"pilotfish/backend/spelling"
)

// maxScript is the limit of a script of `eval --file`, in bytes.
const maxScript = 1 << 20

// developer returns the commands for developers of a page.
func (c *commands) developer() []command.Command {
	read, act := protocol.ScopeRead, protocol.ScopeAct
	return []command.Command{
		{Spec: command.Spec{
			Name: "eval", Aliases: []string{"js"}, Scope: protocol.ScopeSensitive, Summary: "run JavaScript in the page and print its result",
			Help: "It runs with the page's own rights and waits for a promise. An agent needs the user's permission.",
			Args: []command.Arg{
				{Name: "expression", Type: command.String, Help: "the script"},
				{Name: "file", Type: command.Path, Flag: true, Help: "a file with the script; not for agents"},
				{Name: "tree", Type: command.Boolean, Flag: true, Help: "keep the result, so that console open prints its parts; does not wait for other commands; not for agents"},
				listing.BudgetArg(),
			},
			Returns: "url, type, value or words; with --tree: url, value, threw, stack", Examples: []string{"eval document.title", "eval 'await fetch(\"/api\").then((r) => r.json())'", "eval --file /home/me/check.js"},
		}, Tab: command.OwnTab, Kind: protocol.ActionEval, Throws: true, Run: reading(c.runEval)},
		{Spec: command.Spec{
			Name: "css", Scope: read, Summary: "print the CSS rules that match an element, strongest first, and computed values",
			Help: "Overridden declarations are in ~~tildes~~. Name the properties to compute separated by commas; without any, those that the rules set.",
			Args: []command.Arg{
				requiredElement(),
				{Name: "properties", Type: command.String, Help: "computed values of these: color,margin"},
				{Name: "computed", Type: command.Boolean, Flag: true, Help: "only computed values"},
				listing.BudgetArg(),
			},
			Returns: "url, element, rules, computed", Examples: []string{"css e5", "css '#menu' color,display --computed"},
		}, Tab: command.OwnTab, Run: reading(c.runCSS)},
		{Spec: command.Spec{
			Name: "inspect", Scope: read, Summary: "print details of an element: box, attributes, styles, listeners, accessibility",
			Args:    []command.Arg{requiredElement(), listing.BudgetArg()},
			Returns: "url, element, role, name, properties, attributes, box, margin, padding, border, styles, listeners, text", Examples: []string{"inspect e5", "inspect 'role=button name=\"Save\"'"},
		}, Tab: command.OwnTab, Run: reading(c.runInspect)},
		{Spec: command.Spec{
			Name: "style", Scope: act, Summary: "change a style of an element, undo it, or list the changes",
			Help: "An empty value removes the property. A reload undoes all changes. An address in a value of an agent has to be whole, such as url(https://example.com/a.png).",
			Args: []command.Arg{
				{Name: "element", Type: command.String, Help: "a ref (e5), CSS, role=…, text=…"},
				{Name: "property", Type: command.String, Help: "such as background-color"},
				{Name: "value", Type: command.String, Help: "such as tomato"},
				{Name: "undo", Type: command.Boolean, Flag: true, Help: "undo the last change"},
				{Name: "all", Type: command.Boolean, Flag: true, Help: "with --undo: every change"},
				{Name: "history", Type: command.Boolean, Flag: true, Help: "list the changes"},
				listing.BudgetArg(),
			},
			Returns: "the edits: number, element, property, before, after, undone", Examples: []string{"style e5 background-color tomato", "style --undo", "style --history"},
		}, Tab: command.OwnTab, Doing: command.Giving(carriesData), Loads: func(in *command.Invocation) []string {
			return policy.StyleAddresses(in.Args.Text("property"), in.Args.Text("value"))
		}, Run: reading(c.runStyle)},
		{Spec: command.Spec{
			Name: "a11y", Aliases: []string{"accessibility"}, Scope: read, Summary: "print the accessibility tree, or check the page with axe-core",
			Args: []command.Arg{
				elementArg("only this element"),
				{Name: "audit", Type: command.Boolean, Flag: true, Help: "check the page against accessibility rules"},
				{Name: "level", Type: command.String, Flag: true, Choices: []string{"a", "aa", "aaa", "all"}, Default: "all", Help: "the WCAG level; all includes best practices"},
				listing.BudgetArg(),
			},
			Returns: "url, title, text, length; with --audit: url, violations, unsure, passed", Examples: []string{"a11y", "a11y '#menu'", "a11y --audit --level aa"},
		}, Tab: command.OwnTab, Run: reading(c.runA11y)},
		{Spec: command.Spec{
			Name: "perf", Aliases: []string{"performance", "vitals"}, Scope: read, Summary: "print how fast the page loaded and reacts, or record a trace",
			Help: "A trace opens in the Performance panel of the developer tools. It is recorded only in a browser of Pilotfish's own.",
			Args: []command.Arg{
				{Name: "trace", Type: command.Boolean, Flag: true, Help: "record a trace and print its path"},
				{Name: "seconds", Type: command.Integer, Flag: true, Min: 1, Max: int(protocol.MaxTraceTime / time.Second), Default: "3", Help: "how long to record"},
				{Name: "reload", Type: command.Boolean, Flag: true, Help: "load the page again when the recording begins"},
			},
			Files: true, Returns: "times in milliseconds, vitals, requests, bytes, nodes, listeners, heap; with --trace: path, bytes, url", Examples: []string{"perf", "perf --trace --seconds 5 --reload"},
		}, Tab: command.OwnTab, First: func(in *command.Invocation) error {
			if !in.Args.Flag("trace") {
				return nil
			}
			return in.Can(protocol.CapabilityTrace)
		}, Run: reading(c.runPerf)},
	}
}

// carriesData reports whether a style can have data of the caller, which a page can read.
func carriesData(args command.Values) bool {
	value := args.Text("value")
	return value != "" && (strings.HasPrefix(args.Text("property"), "--") || strings.ContainsAny(value, `("'\`) || !policy.Plain(value))
}

func (c *commands) runEval(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	expression := in.Args.Text("expression")
	if file := in.Args.Text("file"); file != "" {
		if expression != "" {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "eval takes a script or --file, not both", "", protocol.Example("eval", "document.title"))
		}
		var err error
		if expression, err = scriptFile(in, file); err != nil {
			return "", command.Result{}, err
		}
	}
	if strings.TrimSpace(expression) == "" {
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "eval needs a script", "", protocol.Example("eval", "document.title"))
	}
	if in.Args.Flag("tree") {
		if in.Agent() {
			return "", command.Result{}, protocol.NewError(protocol.CodeRefused, "agents may not use --tree", "leave it out")
		}
		ran, err := c.Browser.RunInPage(ctx, in.By(), in.Tab, expression)
		if err != nil {
			return "", command.Result{}, err
		}
		page := listing.Cut(in, protocol.PageText{URL: ran.URL, Text: ran.Value.Text, Length: len([]rune(ran.Value.Text))})
		return ran.URL, command.Result{Text: listing.Text(in, page), Data: ran}, nil
	}
	value, err := c.Browser.Evaluate(ctx, in.By(), in.Tab, expression)
	if err != nil {
		return "", command.Result{}, err
	}
	text := value.Words
	if len(value.Value) > 0 {
		text = string(value.Value)
		var plain string
		if json.Unmarshal(value.Value, &plain) == nil {
			text = plain
		}
	}
	page := listing.Cut(in, protocol.PageText{URL: value.URL, Text: text, Length: len([]rune(text))})
	text = listing.Text(in, page)
	if value.Closed != "" {
		text = strings.TrimSuffix("it closed "+string(value.Closed)+"\n"+text, "\n")
	}
	return value.URL, command.Result{Text: text, Data: value}, nil
}

// scriptFile reads one of the user's files.
func scriptFile(in *command.Invocation, file string) (string, error) {
	if in.Agent() {
		return "", protocol.NewError(protocol.CodeRefused, "agents may not use --file", "give eval the script itself")
	}
	if !filepath.IsAbs(file) {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.200q is not an absolute path", file), "give the whole path, from / on")
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() {
		return "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no file %.200q", file), "check its path")
	}
	if info.Size() > maxScript {
		return "", protocol.NewError(protocol.CodeTooLarge, fmt.Sprintf("%.200s is larger than %d KB", file, maxScript>>10), "run it in parts")
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return "", fmt.Errorf("reading the script: %w", err)
	}
	return string(data), nil
}

func (c *commands) runCSS(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	var properties []string
	for _, p := range strings.FieldsFunc(in.Args.Text("properties"), func(r rune) bool { return r == ',' || r == ' ' }) {
		properties = append(properties, strings.ToLower(p))
	}
	style, err := c.Browser.Style(ctx, in.By(), in.Tab, in.Args.Text("element"), properties)
	if err != nil {
		return "", command.Result{}, err
	}
	var lines []string
	if !in.Args.Flag("computed") {
		for _, r := range style.Rules {
			head := foreign.Line(r.Selector, foreign.URLShown)
			if len(r.Conditions) > 0 {
				head += " in " + foreign.Line(strings.Join(r.Conditions, ", "), foreign.URLShown)
			}
			if r.From != "" {
				head += ", inherited from " + r.From
			}
			lines = append(lines, head+" ("+foreign.Line(r.Source, foreign.URLShown)+")")
			for _, d := range r.Declarations {
				text := foreign.Field(d.Name) + ": " + foreign.Field(strings.TrimSuffix(d.Value, "!important"))
				if d.Important && !strings.Contains(text, "!important") {
					text = strings.TrimSpace(text) + " !important"
				}
				if d.Beaten {
					text = "~~" + text + "~~"
				}
				lines = append(lines, "  "+text)
			}
		}
	} else {
		style.Rules = nil
	}
	if len(style.Computed) > 0 {
		lines = append(lines, "computed")
		for _, name := range slices.Sorted(maps.Keys(style.Computed)) {
			lines = append(lines, "  "+name+": "+foreign.Field(style.Computed[name]))
		}
	}
	return style.URL, command.Result{Text: listing.First(in, style.URL, lines, "lines of styles"), Data: style}, nil
}

func (c *commands) runInspect(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	e, err := c.Browser.Inspect(ctx, in.By(), in.Tab, in.Args.Text("element"))
	if err != nil {
		return "", command.Result{}, err
	}
	lines := []string{
		fmt.Sprintf("%s: %s %q", foreign.Field(e.Element), foreign.Field(e.Role), foreign.Field(e.Name)),
		fmt.Sprintf("box %.0f,%.0f %.0f × %.0f, margin %s, border %s, padding %s", e.Box.X, e.Box.Y, e.Box.Width, e.Box.Height, sides(e.Margin), sides(e.Border), sides(e.Padding)),
	}
	pairs := func(head string, values map[string]string) {
		if len(values) > 0 {
			lines = append(lines, head)
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			lines = append(lines, "  "+foreign.Field(name)+": "+foreign.Field(values[name]))
		}
	}
	pairs("accessibility", e.Properties)
	pairs("attributes", e.Attributes)
	pairs("styles", e.Styles)
	if len(e.Listeners) > 0 {
		lines = append(lines, "listeners")
	}
	for _, l := range e.Listeners {
		lines = append(lines, "  "+foreign.Field(l.Type)+" "+foreign.Line(l.Source, foreign.URLShown))
	}
	if e.Text != "" {
		lines = append(lines, "text "+foreign.Field(e.Text))
	}
	return e.URL, command.Result{Text: listing.First(in, e.URL, lines, "lines"), Data: e}, nil
}

func sides(s [4]float64) string { return fmt.Sprintf("%g %g %g %g", s[0], s[1], s[2], s[3]) }

func (c *commands) runStyle(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	element, property := in.Args.Text("element"), strings.ToLower(strings.TrimSpace(in.Args.Text("property")))
	undo, history := in.Args.Flag("undo"), in.Args.Flag("history")
	hasValue := in.Args.Given("value")
	if (undo || history) && (element != "" || undo && history) {
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "style takes one of: a change, --undo, --history", "", protocol.Example("style", "--undo"))
	}
	info, err := c.Browser.Page(ctx, in.By(), in.Tab)
	if err != nil {
		return "", command.Result{}, err
	}
	var edits []protocol.StyleEdit
	switch {
	case undo:
		edits, err = c.Browser.UndoStyle(ctx, in.By(), in.Tab, in.Args.Flag("all"))
	case history:
		edits, err = c.Browser.StyleHistory(ctx, in.By(), in.Tab)
	case element == "" || property == "" || !hasValue:
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "style needs an element, a property and a value", "", protocol.Example("style", "e5", "background-color", "tomato"))
	default:
		var edit protocol.StyleEdit
		edit, err = c.Browser.EditStyle(ctx, in.By(), in.Tab, element, property, in.Args.Text("value"))
		edits = []protocol.StyleEdit{edit}
	}
	if err != nil {
		return "", command.Result{}, err
	}
	lines := make([]string, len(edits))
	for i, e := range edits {
		lines[i] = fmt.Sprintf("%d %s: %s: %s → %s", e.Number, foreign.Field(e.Element), foreign.Field(e.Property), cmp.Or(foreign.Field(e.Before), "(none)"), cmp.Or(foreign.Field(e.After), "(none)"))
		if e.Undone {
			lines[i] += ", taken back"
		}
	}
	return info.URL, command.Result{Text: listing.First(in, info.URL, lines, "style edits"), Data: edits}, nil
}

func (c *commands) runA11y(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	element, level := in.Args.Text("element"), in.Args.Text("level")
	if !in.Args.Flag("audit") {
		if level != "" {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "--level is for --audit", "", protocol.Example("a11y", "--audit", "--level", "aa"))
		}
		page, err := c.Browser.AXTree(ctx, in.By(), in.Tab, element)
		if err != nil {
			return "", command.Result{}, err
		}
		return page.URL, command.Result{Text: listing.First(in, page.URL, strings.Split(page.Text, "\n"), "lines"), Data: listing.Cut(in, page)}, nil
	}
	if element != "" {
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "--audit looks at the whole page", "leave the element out")
	}
	audit, err := c.Browser.Audit(ctx, in.By(), in.Tab, level)
	if err != nil {
		return "", command.Result{}, err
	}
	head := fmt.Sprintf("%d rules broken, %d to be checked by a user, %d passed", len(audit.Violations), len(audit.Unsure), audit.Passed)
	var lines []string
	for _, f := range audit.Violations {
		lines = append(lines, fmt.Sprintf("%s (%s): %s, %s", foreign.Field(f.Rule), foreign.Field(f.Impact), foreign.Field(f.Help), spelling.Plural(len(f.Nodes), "element")))
		for i, n := range f.Nodes {
			if i == 5 {
				lines = append(lines, fmt.Sprintf("  … %d more elements (--json has them)", len(f.Nodes)-i))
				break
			}
			lines = append(lines, "  "+foreign.Field(n.Target)+": "+foreign.Field(n.Why))
		}
	}
	for _, f := range audit.Unsure {
		lines = append(lines, fmt.Sprintf("to check: %s: %s, %s", foreign.Field(f.Rule), foreign.Field(f.Help), spelling.Plural(len(f.Nodes), "element")))
	}
	if len(lines) > 0 {
		head += "\n" + listing.First(in, audit.URL, lines, "lines")
	}
	return audit.URL, command.Result{Text: head, Data: audit}, nil
}

func (c *commands) runPerf(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	seconds, reload := in.Args.Number("seconds"), in.Args.Flag("reload")
	if !in.Args.Flag("trace") {
		if seconds > 0 || reload {
			return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "--seconds and --reload are for --trace", "", protocol.Example("perf", "--trace", "--seconds", "5"))
		}
		p, err := c.Browser.Performance(ctx, in.By(), in.Tab)
		if err != nil {
			return "", command.Result{}, err
		}
		text := fmt.Sprintf("first byte %.0f ms, document %.0f ms, load %.0f ms\nfirst paint %.0f ms, first content %.0f ms, largest content %.0f ms",
			p.TTFB, p.DOMReady, p.Load, p.FirstPaint, p.FirstContent, p.LargestContent)
		if p.LargestElement != "" {
			text += " " + in.Foreign(p.URL, foreign.Field(p.LargestElement))
		}
		text += fmt.Sprintf("\nlayout shift %.4f, interaction %.0f ms, %d long tasks (%.0f ms)\n%d requests, %d KB; %d nodes, %d listeners, heap %d KB",
			p.LayoutShift, p.InteractionDelay, p.LongTasks, p.LongTaskTime, p.Requests, p.TransferBytes/1024, p.Nodes, p.Listeners, p.HeapBytes/1024)
		return p.URL, command.Result{Text: text, Data: p}, nil
	}
	if seconds == 0 {
		seconds = 3
	}
	file, err := c.Browser.Trace(ctx, in.By(), in.Tab, time.Duration(seconds)*time.Second, reload)
	return file.URL, savedResult(file), err
}
