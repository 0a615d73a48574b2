package catalogue

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// inspector returns the commands of the panel's Inspector: everything about one element,
// its changes with undo and redo, forced states, and the user's picker.
func (c *commands) inspector() []command.Command {
	optional := requiredElement()
	optional.Required = false
	return []command.Command{
		{Spec: command.Spec{
			Name: "details", Scope: protocol.ScopeRead, Summary: "print everything about an element: selectors, rules with their source, contrast, fonts, accessibility",
			Help: "Each rule has its specificity, its file and line (from a source map where there is one), and a key for `edit --rule`. Overridden declarations are in ~~tildes~~.",
			Args: []command.Arg{
				requiredElement(),
				{Name: "step", Type: command.String, Flag: true, Choices: []string{"parent", "child", "next", "previous"}, Help: "the element beside it instead, also through frames and shadow roots"},
				listing.BudgetArg(),
			},
			Returns:  "url, ref, element, path, near, selectors, box, rules, computed, fonts, colors, access, listeners, attributes, states, text",
			Examples: []string{"details e5", "details e5 --step parent"},
		}, Tab: command.OwnTab, Run: reading(c.runDetails)},
		{Spec: command.Spec{
			Name: "edit", Scope: protocol.ScopeSensitive, Summary: "change a rule, an attribute, a class or the text of an element; undo, redo, list the changes",
			Help: "Without --rule, a style is changed in the style attribute. A reload undoes all changes. The reply has them as a diff with files and lines. An agent needs the user's permission: an attribute can run a script.",
			Args: []command.Arg{
				optional,
				{Name: "what", Type: command.String, Choices: []string{protocol.EditDeclaration, protocol.EditAttribute, protocol.EditClass, protocol.EditText}, Help: "what to change"},
				{Name: "name", Type: command.String, Help: "of the property, the attribute or the class; for a text, the text"},
				{Name: "value", Type: command.String, Help: "such as tomato"},
				{Name: "rule", Type: command.String, Flag: true, Help: "the key of the rule, from details"},
				{Name: "index", Type: command.Integer, Flag: true, Min: 0, Max: 10_000, Help: "the declaration in the rule, from details; otherwise the one of that name"},
				{Name: "remove", Type: command.Boolean, Flag: true, Help: "remove the declaration, attribute or class"},
				{Name: "off", Type: command.Boolean, Flag: true, Help: "switch the declaration off"},
				{Name: "on", Type: command.Boolean, Flag: true, Help: "switch the declaration on again"},
				{Name: "undo", Type: command.Boolean, Flag: true, Help: "undo the last change"},
				{Name: "all", Type: command.Boolean, Flag: true, Help: "with --undo: every change"},
				{Name: "redo", Type: command.Boolean, Flag: true, Help: "make the change again that was undone last"},
				{Name: "history", Type: command.Boolean, Flag: true, Help: "list the changes"},
				listing.BudgetArg(),
			},
			Returns:  "url, edits (number, what, element, ref, selector, source, before, after, undone), diff",
			Examples: []string{"edit e5 style color tomato", "edit e5 class wide", "edit --undo", "edit --history"},
		}, Tab: command.OwnTab, Kind: protocol.ActionEval, Run: reading(c.runEdit)},
		{Spec: command.Spec{
			Name: "force", Scope: protocol.ScopeAct, Summary: "show an element as if it were hovered, focused or pressed",
			Help: "The states are hover, focus, active, focus-within, focus-visible, visited and target, with commas between. They stay until `force` without states, or until the page loads again.",
			Args: []command.Arg{
				requiredElement(),
				{Name: "states", Type: command.String, Help: "such as hover,focus; without any, the element is shown as it is"},
			},
			Returns: "url, element, states", Examples: []string{"force e5 hover,focus", "force e5"},
		}, Tab: command.OwnTab, Run: reading(c.runForce)},
		{Spec: command.Spec{
			Name: "pick", Scope: protocol.ScopeRead, Summary: "let the user pick an element of the page",
			Help:    "The element under the pointer is highlighted; a click picks it and does nothing else, Escape gives up. Only for the user.",
			Returns: "url, element (ref, role, name); without element when the user gave up", Examples: []string{"pick"},
		}, Tab: command.OwnTab, Run: reading(c.runPick)},
	}
}

func (c *commands) runDetails(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	d, err := c.Browser.ReadDetails(ctx, in.By(), in.Tab, in.Args.Text("element"), in.Args.Text("step"))
	if err != nil {
		return "", command.Result{}, err
	}
	return d.URL, command.Result{Text: listing.First(in, d.URL, detailLines(d), "lines"), Data: d}, nil
}

// detailLines writes what is known of an element, the most useful first.
func detailLines(d protocol.Details) []string {
	lines := []string{
		fmt.Sprintf("%s %s: %s %q", foreign.Field(d.Ref), foreign.Field(d.Element), foreign.Field(d.Access.Role), foreign.Field(d.Access.Name)),
		fmt.Sprintf("box %.0f,%.0f %.0f × %.0f, margin %s, border %s, padding %s", d.Box.X, d.Box.Y, d.Box.Width, d.Box.Height, sides(d.Box.Margin), sides(d.Box.Border), sides(d.Box.Padding)),
	}
	add := func(format string, args ...any) { lines = append(lines, fmt.Sprintf(format, args...)) }
	if len(d.Access.Path) > 0 {
		add("in %s", foreign.Field(strings.Join(d.Access.Path, " > ")))
	}
	if d.Colors != nil && d.Colors.Contrast > 0 {
		add("contrast %.2f of %s on %s (needs %g)", d.Colors.Contrast, foreign.Field(d.Colors.Text), foreign.Field(strings.Join(d.Colors.Behind, ", ")), d.Colors.Needed)
	}
	if len(d.States) > 0 {
		add("forced :%s", strings.Join(d.States, ", :"))
	}
	if len(d.Selectors) > 0 {
		add("selectors")
	}
	for _, s := range d.Selectors {
		add("  %s (%d)", foreign.Field(s.Selector), s.Matches)
	}
	for _, r := range d.Rules {
		head := foreign.Line(r.Selector, foreign.URLShown)
		if len(r.Conditions) > 0 {
			head += " in " + foreign.Line(strings.Join(r.Conditions, ", "), foreign.URLShown)
		}
		if r.From != "" {
			head += ", inherited from " + r.From
		}
		if r.Specificity != [3]int{} {
			head += fmt.Sprintf(" [%d,%d,%d]", r.Specificity[0], r.Specificity[1], r.Specificity[2])
		}
		if r.Key != "" {
			head += " key " + r.Key
		}
		lines = append(lines, head+" ("+foreign.Line(cmp.Or(r.Original, r.Source, r.Origin), foreign.URLShown)+")")
		for _, one := range r.Declarations {
			text := foreign.Field(one.Name) + ": " + foreign.Field(one.Value)
			if one.Important {
				text += " !important"
			}
			switch {
			case one.Off:
				text = "/* " + text + " */"
			case one.Unknown:
				text += " (not understood)"
			case one.Beaten:
				text = "~~" + text + "~~"
			}
			add("  %d %s", one.Index, text)
		}
	}
	if len(d.Computed) > 0 {
		add("computed, where it is not the default")
	}
	for _, v := range d.Computed {
		add("  %s: %s", foreign.Field(v.Name), foreign.Field(v.Value))
	}
	for _, f := range d.Fonts {
		add("font %s (%s), %d characters", foreign.Field(f.Family), foreign.Field(f.Name), f.Glyphs)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Access.Properties)) {
		add("accessibility %s: %s", foreign.Field(name), foreign.Field(d.Access.Properties[name]))
	}
	for _, l := range d.Listeners {
		add("listener %s %s", foreign.Field(l.Type), foreign.Line(l.Source, foreign.URLShown))
	}
	for _, a := range d.Attrs {
		add("attribute %s: %s", foreign.Field(a.Name), foreign.Field(a.Value))
	}
	if d.Text != "" {
		add("text %s", foreign.Field(d.Text))
	}
	return lines
}

func (c *commands) runEdit(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	want := protocol.ElementEdit{
		Element: in.Args.Text("element"), What: in.Args.Text("what"), Rule: in.Args.Text("rule"), Index: -1, Name: in.Args.Text("name"), Value: in.Args.Text("value"),
		Remove: in.Args.Flag("remove"), Off: in.Args.Flag("off"), On: in.Args.Flag("on"),
	}
	if in.Args.Given("index") {
		want.Index = in.Args.Number("index")
	}
	if want.What == protocol.EditText && !in.Args.Given("value") {
		want.Name, want.Value = "", want.Name
	}
	modes := 0
	for _, mode := range []string{"undo", "redo", "history"} {
		if in.Args.Flag(mode) {
			modes++
		}
	}
	var edits protocol.Edits
	var err error
	switch {
	case modes > 1 || modes == 1 && want.Element != "":
		return "", command.Result{}, command.BadArgument("edit takes one of: a change, --undo, --redo, --history", "", protocol.Example("edit", "--undo"))
	case in.Args.Flag("undo"):
		edits, err = c.Browser.UndoEdit(ctx, in.By(), in.Tab, in.Args.Flag("all"))
	case in.Args.Flag("redo"):
		edits, err = c.Browser.RedoEdit(ctx, in.By(), in.Tab)
	case in.Args.Flag("history"):
		edits, err = c.Browser.EditHistory(ctx, in.By(), in.Tab)
	default:
		if err = completeEdit(want, in.Args); err == nil {
			edits, err = c.Browser.EditElement(ctx, in.By(), in.Tab, want)
		}
	}
	if err != nil {
		return "", command.Result{}, err
	}
	var lines []string
	for _, e := range edits.Edits {
		line := fmt.Sprintf("%d %s: %s → %s", e.Number, foreign.Field(cmp.Or(e.Selector, e.Element)), cmp.Or(foreign.Field(e.Before), "(none)"), cmp.Or(foreign.Field(e.After), "(none)"))
		if e.Undone {
			line += ", undone"
		}
		lines = append(lines, line)
	}
	for line := range strings.SplitSeq(edits.Diff, "\n") {
		if line != "" {
			lines = append(lines, foreign.Line(line, foreign.URLShown))
		}
	}
	return edits.URL, command.Result{Text: listing.First(in, edits.URL, lines, "changes"), Data: edits}, nil
}

// completeEdit refuses a change that lacks something, or says two things.
func completeEdit(want protocol.ElementEdit, args command.Values) error {
	change := args.Given("value") || want.Remove || want.Off || want.On
	switch {
	case want.Element == "" || want.What == "":
		return command.BadArgument("edit needs an element and what to change", "", protocol.Example("edit", "e5", "style", "color", "tomato"))
	case want.What != protocol.EditDeclaration && (want.Rule != "" || want.Index >= 0 || want.Off || want.On):
		return command.BadArgument("--rule, --index, --off and --on are for a style", "", protocol.Example("edit", "e5", "style", "color", "tomato"))
	case want.What == protocol.EditText && want.Remove:
		return command.BadArgument("a text is not removed but emptied", "give an empty text")
	case want.What == protocol.EditText, want.What == protocol.EditClass && want.Name != "":
		return nil
	case want.What == protocol.EditDeclaration && want.Index >= 0 && (want.Name != "" || change):
		return nil
	case want.Name == "" || !change:
		return command.BadArgument("edit needs a name and a value, or --remove", "", protocol.Example("edit", "e5", "attribute", "title", "Hello"))
	}
	return nil
}

func (c *commands) runForce(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	states := strings.FieldsFunc(strings.ToLower(in.Args.Text("states")), func(r rune) bool { return r == ',' || r == ' ' || r == ':' })
	if slices.Equal(states, []string{"none"}) {
		states = nil
	}
	forced, err := c.Browser.ForceStates(ctx, in.By(), in.Tab, in.Args.Text("element"), states)
	if err != nil {
		return "", command.Result{}, err
	}
	said := "is shown as it is"
	if len(forced.States) > 0 {
		said = "is shown as :" + strings.Join(forced.States, ", :")
	}
	return forced.URL, command.Result{Text: in.Foreign(forced.URL, foreign.Field(forced.Element)) + " " + said, Data: forced}, nil
}

func (c *commands) runPick(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	if in.Agent() {
		return "", command.Result{}, protocol.NewError(protocol.CodeRefused, "only the user picks elements", "ask for one in words, or take a snapshot", protocol.Try("shows what is there", "snapshot"))
	}
	element, err := c.Browser.PickElement(ctx, in.Tab)
	if err != nil {
		return "", command.Result{}, err
	}
	url := in.Current()
	picked := protocol.Picked{URL: url, Element: element}
	if element == nil {
		return url, command.Result{Text: "nothing was picked", Data: picked}, nil
	}
	return url, command.Result{Text: in.Foreign(url, fmt.Sprintf("%s %s %q", element.Ref, foreign.Field(element.Role), foreign.Field(element.Name))), Data: picked}, nil
}
