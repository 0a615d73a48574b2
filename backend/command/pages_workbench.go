package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"pilotfish/backend/policy"
	"pilotfish/backend/protocol"
)

// maxScript bounds a script of `eval --file`, in bytes.
const maxScript = 1 << 20

// workbenchCommands are what developers look at pages with.
func workbenchCommands() []command {
	read, act := protocol.ScopeRead, protocol.ScopeAct
	return []command{
		{Spec: Spec{
			Name: "eval", Aliases: []string{"js"}, Scope: protocol.ScopeSensitive, Summary: "run JavaScript in the page and print its result",
			Help: "It runs with the page's own rights and waits for a promise. An agent needs the user's permission.",
			Args: []Arg{
				{Name: "expression", Type: String, Help: "the script"},
				{Name: "file", Type: Path, Flag: true, Help: "a file with the script; not for agents"},
				budgetArg(),
			},
			Returns: "url, type, value or words", Examples: []string{"eval document.title", "eval 'await fetch(\"/api\").then((r) => r.json())'", "eval --file /home/me/check.js"},
		}, tab: ownTab, run: reading(runEval)},
		{Spec: Spec{
			Name: "css", Scope: read, Summary: "print the CSS rules that match an element, strongest first, and computed values",
			Help: "Overridden declarations are in ~~tildes~~. Name the properties to compute separated by commas; without any, those that the rules set.",
			Args: []Arg{
				requiredElement(),
				{Name: "properties", Type: String, Help: "computed values of these: color,margin"},
				{Name: "computed", Type: Boolean, Flag: true, Help: "only computed values"},
				budgetArg(),
			},
			Returns: "url, element, rules, computed", Examples: []string{"css e5", "css '#menu' color,display --computed"},
		}, tab: ownTab, run: reading(runCSS)},
		{Spec: Spec{
			Name: "inspect", Scope: read, Summary: "print details of an element: box, attributes, styles, listeners, accessibility",
			Args:    []Arg{requiredElement(), budgetArg()},
			Returns: "url, element, role, name, properties, attributes, box, margin, padding, border, styles, listeners, text", Examples: []string{"inspect e5", "inspect 'role=button name=\"Save\"'"},
		}, tab: ownTab, run: reading(runInspect)},
		{Spec: Spec{
			Name: "style", Scope: act, Summary: "change a style of an element, undo it, or list the changes",
			Help: "An empty value removes the property. A reload undoes all changes.",
			Args: []Arg{
				{Name: "element", Type: String, Help: "a ref (e5), CSS, role=…, text=…"},
				{Name: "property", Type: String, Help: "such as background-color"},
				{Name: "value", Type: String, Help: "such as tomato"},
				{Name: "undo", Type: Boolean, Flag: true, Help: "undo the last change"},
				{Name: "all", Type: Boolean, Flag: true, Help: "with --undo: every change"},
				{Name: "history", Type: Boolean, Flag: true, Help: "list the changes"},
				budgetArg(),
			},
			Returns: "the edits: number, element, property, before, after, undone", Examples: []string{"style e5 background-color tomato", "style --undo", "style --history"},
		}, tab: ownTab, run: reading(runStyle)},
		{Spec: Spec{
			Name: "a11y", Aliases: []string{"accessibility"}, Scope: read, Summary: "print the accessibility tree, or check the page with axe-core",
			Args: []Arg{
				elementArg("only this element"),
				{Name: "audit", Type: Boolean, Flag: true, Help: "check the page against accessibility rules"},
				{Name: "level", Type: String, Flag: true, Choices: []string{"a", "aa", "aaa", "all"}, Default: "all", Help: "the WCAG level; all includes best practices"},
				budgetArg(),
			},
			Returns: "url, title, text, length; with --audit: url, violations, unsure, passed", Examples: []string{"a11y", "a11y '#menu'", "a11y --audit --level aa"},
		}, tab: ownTab, run: reading(runA11y)},
		{Spec: Spec{
			Name: "perf", Aliases: []string{"performance", "vitals"}, Scope: read, Summary: "print how fast the page loaded and reacts, or record a trace",
			Help: "A trace opens in the Performance panel of the developer tools.",
			Args: []Arg{
				{Name: "trace", Type: Boolean, Flag: true, Help: "record a trace and print its path"},
				{Name: "seconds", Type: Integer, Flag: true, Min: 1, Max: int(protocol.MaxTraceTime / time.Second), Default: "3", Help: "how long to record"},
				{Name: "reload", Type: Boolean, Flag: true, Help: "load the page again when the recording begins"},
			},
			Files: true, Returns: "times in milliseconds, vitals, requests, bytes, nodes, listeners, heap; with --trace: path, bytes, url", Examples: []string{"perf", "perf --trace --seconds 5 --reload"},
		}, tab: ownTab, run: reading(runPerf)},
	}
}

func runEval(ctx context.Context, in *invocation) (string, result, error) {
	expression := in.args.text("expression")
	if file := in.args.text("file"); file != "" {
		if expression != "" {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, "eval takes a script or --file, not both", "", protocol.Example("eval", "document.title"))
		}
		var err error
		if expression, err = in.script(file); err != nil {
			return "", result{}, err
		}
	}
	if strings.TrimSpace(expression) == "" {
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "eval needs a script", "", protocol.Example("eval", "document.title"))
	}
	value, err := in.browser.Evaluate(ctx, in.tab, expression)
	if err != nil {
		return "", result{}, err
	}
	text := value.Words
	if len(value.Value) > 0 {
		text = string(value.Value)
		var plain string
		if json.Unmarshal(value.Value, &plain) == nil {
			text = plain
		}
	}
	page := in.limited(protocol.PageText{URL: value.URL, Text: text, Length: len([]rune(text))})
	return value.URL, result{text: in.written(page), data: value}, nil
}

// script reads a file of the person's.
func (in *invocation) script(file string) (string, error) {
	if policy.Agent(in.actor) {
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

func runCSS(ctx context.Context, in *invocation) (string, result, error) {
	var properties []string
	for _, p := range strings.FieldsFunc(in.args.text("properties"), func(r rune) bool { return r == ',' || r == ' ' }) {
		properties = append(properties, strings.ToLower(p))
	}
	style, err := in.browser.Style(ctx, in.tab, in.args.text("element"), properties)
	if err != nil {
		return "", result{}, err
	}
	var lines []string
	if !in.args.flag("computed") {
		for _, r := range style.Rules {
			head := line(r.Selector, urlShown)
			if len(r.Conditions) > 0 {
				head += " in " + line(strings.Join(r.Conditions, ", "), urlShown)
			}
			if r.From != "" {
				head += ", inherited from " + r.From
			}
			lines = append(lines, head+" ("+line(r.Source, urlShown)+")")
			for _, d := range r.Declarations {
				text := field(d.Name) + ": " + field(strings.TrimSuffix(d.Value, "!important"))
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
			lines = append(lines, "  "+name+": "+field(style.Computed[name]))
		}
	}
	return style.URL, result{text: in.listed(style.URL, lines, "lines of styles"), data: style}, nil
}

func runInspect(ctx context.Context, in *invocation) (string, result, error) {
	e, err := in.browser.Inspect(ctx, in.tab, in.args.text("element"))
	if err != nil {
		return "", result{}, err
	}
	lines := []string{
		fmt.Sprintf("%s: %s %q", field(e.Element), field(e.Role), field(e.Name)),
		fmt.Sprintf("box %.0f,%.0f %.0f × %.0f, margin %s, border %s, padding %s", e.Box.X, e.Box.Y, e.Box.Width, e.Box.Height, sides(e.Margin), sides(e.Border), sides(e.Padding)),
	}
	pairs := func(head string, values map[string]string) {
		if len(values) > 0 {
			lines = append(lines, head)
		}
		for _, name := range slices.Sorted(maps.Keys(values)) {
			lines = append(lines, "  "+field(name)+": "+field(values[name]))
		}
	}
	pairs("accessibility", e.Properties)
	pairs("attributes", e.Attributes)
	pairs("styles", e.Styles)
	if len(e.Listeners) > 0 {
		lines = append(lines, "listeners")
	}
	for _, l := range e.Listeners {
		lines = append(lines, "  "+field(l.Type)+" "+line(l.Source, urlShown))
	}
	if e.Text != "" {
		lines = append(lines, "text "+field(e.Text))
	}
	return e.URL, result{text: in.listed(e.URL, lines, "lines"), data: e}, nil
}

func sides(s [4]float64) string { return fmt.Sprintf("%g %g %g %g", s[0], s[1], s[2], s[3]) }

func runStyle(ctx context.Context, in *invocation) (string, result, error) {
	element, property := in.args.text("element"), strings.ToLower(strings.TrimSpace(in.args.text("property")))
	undo, history := in.args.flag("undo"), in.args.flag("history")
	_, hasValue := in.args["value"]
	if (undo || history) && (element != "" || undo && history) {
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "style takes one of: a change, --undo, --history", "", protocol.Example("style", "--undo"))
	}
	info, err := in.browser.Page(ctx, in.tab)
	if err != nil {
		return "", result{}, err
	}
	var edits []protocol.StyleEdit
	switch {
	case undo:
		edits, err = in.browser.UndoStyle(ctx, in.tab, in.args.flag("all"))
	case history:
		edits, err = in.browser.StyleHistory(ctx, in.tab)
	case element == "" || property == "" || !hasValue:
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "style needs an element, a property and a value", "", protocol.Example("style", "e5", "background-color", "tomato"))
	default:
		var edit protocol.StyleEdit
		edit, err = in.browser.EditStyle(ctx, in.tab, element, property, in.args.text("value"))
		edits = []protocol.StyleEdit{edit}
	}
	if err != nil {
		return "", result{}, err
	}
	lines := make([]string, len(edits))
	for i, e := range edits {
		lines[i] = fmt.Sprintf("%d %s: %s: %s → %s", e.Number, field(e.Element), field(e.Property), or(field(e.Before), "(none)"), or(field(e.After), "(none)"))
		if e.Undone {
			lines[i] += ", taken back"
		}
	}
	return info.URL, result{text: in.listed(info.URL, lines, "style edits"), data: edits}, nil
}

func or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

func runA11y(ctx context.Context, in *invocation) (string, result, error) {
	element, level := in.args.text("element"), in.args.text("level")
	if !in.args.flag("audit") {
		if level != "" {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, "--level is for --audit", "", protocol.Example("a11y", "--audit", "--level", "aa"))
		}
		page, err := in.browser.AXTree(ctx, in.tab, element)
		if err != nil {
			return "", result{}, err
		}
		return page.URL, result{text: in.listed(page.URL, strings.Split(page.Text, "\n"), "lines"), data: in.limited(page)}, nil
	}
	if element != "" {
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "--audit looks at the whole page", "leave the element out")
	}
	audit, err := in.browser.Audit(ctx, in.tab, level)
	if err != nil {
		return "", result{}, err
	}
	head := fmt.Sprintf("%d rules broken, %d to be checked by a user, %d passed", len(audit.Violations), len(audit.Unsure), audit.Passed)
	var lines []string
	for _, f := range audit.Violations {
		lines = append(lines, fmt.Sprintf("%s (%s): %s, %s", field(f.Rule), field(f.Impact), field(f.Help), plural(len(f.Nodes), "element")))
		for i, n := range f.Nodes {
			if i == 5 {
				lines = append(lines, fmt.Sprintf("  … %d more elements (--json has them)", len(f.Nodes)-i))
				break
			}
			lines = append(lines, "  "+field(n.Target)+": "+field(n.Why))
		}
	}
	for _, f := range audit.Unsure {
		lines = append(lines, fmt.Sprintf("to check: %s: %s, %s", field(f.Rule), field(f.Help), plural(len(f.Nodes), "element")))
	}
	if len(lines) > 0 {
		head += "\n" + in.listed(audit.URL, lines, "lines")
	}
	return audit.URL, result{text: head, data: audit}, nil
}

func runPerf(ctx context.Context, in *invocation) (string, result, error) {
	seconds, reload := in.args.number("seconds"), in.args.flag("reload")
	if !in.args.flag("trace") {
		if seconds > 0 || reload {
			return "", result{}, protocol.NewError(protocol.CodeBadArgument, "--seconds and --reload are for --trace", "", protocol.Example("perf", "--trace", "--seconds", "5"))
		}
		p, err := in.browser.Performance(ctx, in.tab)
		if err != nil {
			return "", result{}, err
		}
		text := fmt.Sprintf("first byte %.0f ms, document %.0f ms, load %.0f ms\nfirst paint %.0f ms, first content %.0f ms, largest content %.0f ms",
			p.TTFB, p.DOMReady, p.Load, p.FirstPaint, p.FirstContent, p.LargestContent)
		if p.LargestElement != "" {
			text += " " + in.foreign(p.URL, field(p.LargestElement))
		}
		text += fmt.Sprintf("\nlayout shift %.4f, interaction %.0f ms, %d long tasks (%.0f ms)\n%d requests, %d KB; %d nodes, %d listeners, heap %d KB",
			p.LayoutShift, p.InteractionDelay, p.LongTasks, p.LongTaskTime, p.Requests, p.TransferBytes/1024, p.Nodes, p.Listeners, p.HeapBytes/1024)
		return p.URL, result{text: text, data: p}, nil
	}
	if seconds == 0 {
		seconds = 3
	}
	file, err := in.browser.Trace(ctx, in.tab, time.Duration(seconds)*time.Second, reload)
	return file.URL, savedResult(file), err
}
