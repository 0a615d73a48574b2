package builtin

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// intent describes what a step is going to do.
func intent(s grammar.Step) string {
	what := s.Target.Spoken()
	switch s.Verb {
	case grammar.VerbGoto:
		return "Go to " + markdown.Cut(s.Text, 200)
	case grammar.VerbSearch:
		return "Search " + siteOf(grammar.SearchAddress(s.How, "")) + " for “" + s.Text + "”"
	case grammar.VerbSearchHere:
		return "Search this site for “" + s.Text + "”"
	case grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight, grammar.VerbFocus:
		return upperFirst(string(s.Verb)) + " " + what
	case grammar.VerbHover:
		return "Hover over " + what
	case grammar.VerbType:
		if what == "" {
			what = "what has the focus"
		}
		return "Type into " + what
	case grammar.VerbFill:
		if s.Text == "" {
			return "Clear " + what
		}
		return "Fill " + what
	case grammar.VerbSet:
		return "Set " + what
	case grammar.VerbPress:
		if what != "" {
			what = " in " + what
		}
		return "Press " + s.Text + what
	case grammar.VerbSelect:
		if what == "" {
			return "Choose “" + s.Text + "”"
		}
		return "Choose “" + s.Text + "” in " + what
	case grammar.VerbCheck:
		return "Switch on " + what
	case grammar.VerbUncheck:
		return "Switch off " + what
	case grammar.VerbDrag:
		return "Drag " + what + " to " + s.To.Spoken()
	case grammar.VerbScroll:
		return scrollIntent(s, what)
	case grammar.VerbBack, grammar.VerbForward:
		return "Go " + string(s.Verb)
	case grammar.VerbReload:
		return "Reload the page"
	case grammar.VerbNewTab:
		return strings.TrimSpace("Open a new tab " + s.Text)
	case grammar.VerbTab:
		return "Switch to the tab “" + s.Text + "”"
	case grammar.VerbCloseTab:
		if s.Text == "" {
			return "Close the tab"
		}
		return "Close the tab “" + s.Text + "”"
	case grammar.VerbScreenshot:
		return "Take a screenshot"
	case grammar.VerbPDF:
		return "Save the page as PDF"
	case grammar.VerbRead:
		return "Read the page"
	case grammar.VerbList:
		return "List the " + s.How
	case grammar.VerbFind:
		return "Find “" + s.Text + "”"
	case grammar.VerbAsk:
		return "Look where this is"
	case grammar.VerbWait:
		return waitIntent(s, what)
	case grammar.VerbDialog:
		return upperFirst(s.How) + " the dialog"
	case grammar.VerbHelp:
		return "Help"
	}
	return string(s.Verb)
}

func scrollIntent(s grammar.Step, what string) string {
	if what != "" {
		return "Scroll to " + what
	}
	return "Scroll " + scrollWay(s)
}

// scrollWay describes where a step without a target scrolls.
func scrollWay(s grammar.Step) string {
	switch {
	case s.N >= grammar.FarAway:
		return "to the bottom"
	case s.N <= -grammar.FarAway:
		return "to the top"
	case s.How == "x" && s.N > 0:
		return "right"
	case s.How == "x":
		return "left"
	case s.N > 0:
		return "down"
	}
	return "up"
}

func waitIntent(s grammar.Step, what string) string {
	switch s.How {
	case "time":
		return fmt.Sprintf("Wait %g s", float64(s.N)/1000)
	case "load":
		return "Wait until the page is loaded"
	case "gone":
		return "Wait until " + what + " is gone"
	case "element":
		return "Wait for " + what
	}
	return "Wait for “" + s.Text + "”"
}

func upperFirst(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:]
}

// siteOf returns the host of an address.
func siteOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return address
	}
	return strings.TrimPrefix(u.Host, "www.")
}

// do carries out one step.
func (r *running) do(ctx context.Context, s grammar.Step) (done, error) {
	switch s.Verb {
	case grammar.VerbGoto:
		return r.arrive(ctx, "goto", args{"url": s.Text}, "Went to")
	case grammar.VerbSearch:
		return r.arrive(ctx, "goto", args{"url": grammar.SearchAddress(s.How, s.Text)}, "Searched "+siteOf(grammar.SearchAddress(s.How, ""))+" for "+markdown.Quote(s.Text)+":")
	case grammar.VerbSearchHere:
		return r.searchHere(ctx, s)
	case grammar.VerbBack:
		return r.arrive(ctx, "back", nil, "Went back to")
	case grammar.VerbForward:
		return r.arrive(ctx, "forward", nil, "Went forward to")
	case grammar.VerbReload:
		return r.arrive(ctx, "reload", nil, "Reloaded")
	case grammar.VerbNewTab, grammar.VerbTab, grammar.VerbCloseTab:
		return r.tabs(ctx, s)
	case grammar.VerbClick, grammar.VerbDouble, grammar.VerbRight, grammar.VerbHover, grammar.VerbFocus, grammar.VerbCheck, grammar.VerbUncheck, grammar.VerbDrag:
		return r.point(ctx, s)
	case grammar.VerbType, grammar.VerbFill:
		return r.write(ctx, s)
	case grammar.VerbPress:
		return r.press(ctx, s)
	case grammar.VerbSelect:
		return r.selectOption(ctx, s)
	case grammar.VerbSet:
		return r.set(ctx, s)
	case grammar.VerbScroll:
		return r.scroll(ctx, s)
	case grammar.VerbScreenshot, grammar.VerbPDF:
		return r.file(ctx, s)
	case grammar.VerbRead:
		return r.read(ctx, s)
	case grammar.VerbList:
		return r.list(ctx, s)
	case grammar.VerbFind:
		return r.find(ctx, s)
	case grammar.VerbAsk:
		return r.where(ctx, s)
	case grammar.VerbWait:
		return r.wait(ctx, s)
	case grammar.VerbDialog:
		return r.dialog(ctx, s)
	case grammar.VerbHelp:
		return done{line: "This is what I can do", more: []string{Help()}}, nil
	}
	return done{}, protocol.NewError(protocol.CodeInternal, "there is no way to "+string(s.Verb), "")
}

// arrive runs a command that leads to a page.
func (r *running) arrive(ctx context.Context, name string, a args, did string) (done, error) {
	var info protocol.PageInfo
	if _, err := r.command(ctx, name, a, &info); err != nil {
		return done{}, err
	}
	d := done{line: did + " " + markdown.Cut(markdown.OneLine(info.URL), 300), marked: markdown.Escaped(did) + " " + markdown.Linked(info.URL)}
	if info.Title != "" {
		d.line += " " + markdown.Quote(info.Title)
		d.marked += " " + markdown.Escaped(markdown.Quote(info.Title))
	}
	if info.Status != 0 && (info.Status < 200 || info.Status > 299) {
		d.more = append(d.more, fmt.Sprintf("The server answered %d.", info.Status))
	}
	return d, nil
}

// act runs a command that acts, and reads its report.
func (r *running) act(ctx context.Context, name string, a args, line string) (done, protocol.Effect, error) {
	var e protocol.Effect
	if _, err := r.command(ctx, name, a, &e); err != nil {
		return done{}, e, err
	}
	d := done{line: line}
	effect(&d, &e, name == "type" || name == "fill" || name == "select" || name == "check" || name == "uncheck")
	return d, e, nil
}

// point acts on one element without a text.
func (r *running) point(ctx context.Context, s grammar.Step) (done, error) {
	at, err := r.resolve(ctx, s.Target, s.Verb)
	if err != nil {
		return done{}, err
	}
	a := args{"target": at.target}
	var d done
	switch s.Verb {
	case grammar.VerbDouble:
		d, _, err = r.act(ctx, "dblclick", a, "Double-clicked "+at.label)
	case grammar.VerbRight:
		a["button"] = "right"
		d, _, err = r.act(ctx, "click", a, "Right-clicked "+at.label)
	case grammar.VerbHover:
		d, _, err = r.act(ctx, "hover", a, "Moved the mouse over "+at.label)
	case grammar.VerbFocus:
		d, _, err = r.act(ctx, "focus", a, "Focused "+at.label)
	case grammar.VerbCheck:
		d, _, err = r.act(ctx, "check", a, "Switched on "+at.label)
	case grammar.VerbUncheck:
		d, _, err = r.act(ctx, "uncheck", a, "Switched off "+at.label)
	case grammar.VerbDrag:
		to, failed := r.resolve(ctx, s.To, s.Verb)
		if failed != nil {
			return done{}, failed
		}
		a["to"] = to.target
		d, _, err = r.act(ctx, "drag", a, "Dragged "+at.label+" to "+to.label)
	default:
		d, _, err = r.act(ctx, "click", a, "Clicked "+at.label)
	}
	return d, err
}

// write types into a field or fills it. The line has the new value of the field
// as the page reports it; a secret is masked in it.
func (r *running) write(ctx context.Context, s grammar.Step) (done, error) {
	at, err := r.field(ctx, s)
	if err != nil {
		return done{}, err
	}
	return r.fill(ctx, at, s)
}

// fill writes into a field that was found.
func (r *running) fill(ctx context.Context, at aimed, s grammar.Step) (done, error) {
	name, did := "type", "Typed into "
	if s.Verb == grammar.VerbFill {
		name, did = "fill", "Filled "
		if s.Text == "" {
			did = "Cleared "
		}
	}
	d, e, err := r.act(ctx, name, args{"target": at.target, "value": s.Text}, did+at.label)
	if err == nil && e.Value != nil && *e.Value != "" {
		if s.Verb == grammar.VerbFill {
			d.line += " with " + markdown.Quote(*e.Value)
		} else {
			d.line += ", which now contains " + markdown.Quote(*e.Value)
		}
	}
	return d, err
}

// field returns where a step writes: its target, or the focused field, or the
// only field of the page.
func (r *running) field(ctx context.Context, s grammar.Step) (aimed, error) {
	if !s.Target.Empty() {
		return r.resolve(ctx, s.Target, s.Verb)
	}
	all, _, err := r.snap(ctx)
	if err != nil {
		return aimed{}, err
	}
	found := match.OfRole(withRef(all), match.Fields())
	for _, f := range found {
		if slices.Contains(f.States, "focused") {
			return aim(f), nil
		}
	}
	switch len(found) {
	case 0:
		return aimed{}, protocol.NewError(protocol.CodeNoElement, "this page has no field", "")
	case 1:
		return aim(found[0]), nil
	}
	p := &problem{cause: protocol.NewError(protocol.CodeAmbiguous, "this page has several fields", "say into which")}
	p.found, p.ask = found, "Into which one?"
	return r.decided(p)
}

func withRef(all []match.Thing) []match.Thing {
	return slices.DeleteFunc(slices.Clone(all), func(s match.Thing) bool { return s.Ref == "" })
}

// searchHere uses the page's own search field.
func (r *running) searchHere(ctx context.Context, s grammar.Step) (done, error) {
	at, err := r.resolve(ctx, grammar.Target{Kind: "search field"}, grammar.VerbFill)
	if err != nil {
		if p, ok := errors.AsType[*problem](err); ok && p.cause.Code == protocol.CodeNoElement {
			return done{}, protocol.NewError(protocol.CodeNoElement, "This page has no search field that I can find", "say “search the web for "+s.Text+"”")
		}
		return done{}, err
	}
	if _, _, err := r.act(ctx, "fill", args{"target": at.target, "value": s.Text}, ""); err != nil {
		return done{}, err
	}
	d, _, err := r.act(ctx, "press", args{"key": "Enter", "target": at.target}, "Searched here for "+markdown.Quote(s.Text)+" in "+at.label)
	return d, err
}

// press presses keys.
func (r *running) press(ctx context.Context, s grammar.Step) (done, error) {
	a, line := args{"key": s.Text}, "Pressed "+s.Text
	if !s.Target.Empty() {
		at, err := r.resolve(ctx, s.Target, grammar.VerbFocus)
		if err != nil {
			return done{}, err
		}
		a["target"] = at.target
		line += " in " + at.label
	}
	d, _, err := r.act(ctx, "press", a, line)
	return d, err
}

// scroll scrolls the page, or an element into view.
func (r *running) scroll(ctx context.Context, s grammar.Step) (done, error) {
	if s.Target.Empty() {
		d, e, err := r.act(ctx, "scroll", args{s.How: s.N}, "")
		d.line = "Scrolled " + scrollWay(s)
		if err == nil && e.Moved != nil && e.Moved[0] == 0 && e.Moved[1] == 0 {
			d.line = "Nothing moved: the page doesn’t scroll any further that way"
		}
		return d, err
	}
	at, err := r.resolve(ctx, s.Target, s.Verb)
	if err != nil {
		return done{}, err
	}
	d, _, err := r.act(ctx, "scroll", args{"target": at.target}, "Scrolled to "+at.label)
	return d, err
}

// dialog answers the open dialog.
func (r *running) dialog(ctx context.Context, s grammar.Step) (done, error) {
	a := args{"answer": s.How}
	if s.Text != "" {
		a["text"] = s.Text
	}
	var info protocol.DialogInfo
	if _, err := r.command(ctx, "dialog", a, &info); err != nil {
		return done{}, err
	}
	did := "Accepted"
	if s.How == "dismiss" {
		did = "Dismissed"
	}
	return done{line: did + " the dialog " + markdown.Quote(info.Message)}, nil
}
