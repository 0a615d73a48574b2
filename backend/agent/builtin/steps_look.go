package builtin

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// selectOption chooses an option of a list by its name, ignoring case.
func (r *running) selectOption(ctx context.Context, s grammar.Step) (done, error) {
	if s.Target.Empty() {
		return r.choose(ctx, s)
	}
	at, err := r.resolve(ctx, s.Target, grammar.VerbSelect)
	if err != nil {
		return done{}, err
	}
	return r.option(ctx, at, s.Text)
}

// option chooses in a list that was found.
func (r *running) option(ctx context.Context, at aimed, want string) (done, error) {
	d, e, err := r.act(ctx, "select", args{"target": at.target, "value": want}, "Chose "+markdown.Quote(want)+" in "+at.label)
	if err == nil {
		if e.Value != nil {
			d.line = "Chose " + markdown.Quote(*e.Value) + " in " + at.label
		}
		return d, nil
	}
	if protocol.AsError(err).Code != protocol.CodeBadArgument {
		return done{}, err
	}
	// No option is written exactly so; try a similar one.
	forms, failed := r.forms(ctx)
	if failed != nil {
		return done{}, err
	}
	for _, f := range forms {
		if f.Ref != at.target {
			continue
		}
		if same := optionLike(f.Options, want); same != "" && same != want {
			d, _, err := r.act(ctx, "select", args{"target": at.target, "value": same}, "Chose "+markdown.Quote(same)+" in "+at.label)
			return d, err
		}
	}
	return done{}, err
}

// optionLike returns the one option that a name means; empty if none or several
// match.
func optionLike(options []string, want string) string {
	for _, fits := range []func(string) bool{
		func(s string) bool { return s == want },
		func(s string) bool { return match.Even(s) == match.Even(want) },
		func(s string) bool { return match.Squeezed(s) == match.Squeezed(want) },
		func(s string) bool { return strings.HasPrefix(match.Even(s)+" ", match.Even(want)+" ") },
	} {
		var found []string
		for _, o := range options {
			if fits(o) {
				found = append(found, o)
			}
		}
		if len(found) == 1 {
			return found[0]
		}
	}
	return ""
}

// forms returns the fields of the page.
func (r *running) forms(ctx context.Context) ([]protocol.FormField, error) {
	var forms []protocol.Form
	if _, err := r.command(ctx, "forms", nil, &forms); err != nil {
		return nil, err
	}
	var all []protocol.FormField
	for _, f := range forms {
		all = append(all, f.Fields...)
	}
	return all, nil
}

// choose selects an option without a named list: a radio button, a tab, or an
// option that only one list has.
func (r *running) choose(ctx context.Context, s grammar.Step) (done, error) {
	all, _, err := r.snap(ctx)
	if err != nil {
		return done{}, err
	}
	target := grammar.Target{Name: s.Text, Quoted: true}
	found := match.ByName(match.OfRole(withRef(all), []string{"radio", "menuitemradio", "option", "tab", "treeitem"}), s.Text, true)
	if len(found) == 1 {
		return r.take(ctx, aim(found[0]))
	} else if len(found) > 1 {
		at, err := r.decided(several(found, target))
		if err != nil {
			return done{}, err
		}
		return r.take(ctx, at)
	}
	forms, err := r.forms(ctx)
	if err != nil {
		return done{}, err
	}
	var lists []protocol.FormField
	for _, f := range forms {
		if optionLike(f.Options, s.Text) != "" {
			lists = append(lists, f)
		}
	}
	if len(lists) == 1 {
		return r.option(ctx, aimed{target: lists[0].Ref, label: markdown.Cut(markdown.OneLine(lists[0].Label), 60)}, optionLike(lists[0].Options, s.Text))
	}
	if len(lists) > 1 {
		return done{}, protocol.NewError(protocol.CodeAmbiguous, fmt.Sprintf("%d lists of this page have “%s”", len(lists), s.Text), "say in which: “select "+s.Text+" in …”")
	}
	at, err := r.decided(missing(all, target, grammar.VerbClick))
	if err != nil {
		return done{}, err
	}
	return r.take(ctx, at)
}

// take chooses one of several elements that the page shows side by side.
func (r *running) take(ctx context.Context, at aimed) (done, error) {
	name := "click"
	if at.item != nil && slices.Contains([]string{"radio", "menuitemradio"}, at.item.Role) {
		name = "check"
	}
	d, _, err := r.act(ctx, name, args{"target": at.target}, "Chose "+at.label)
	return d, err
}

// set sets the value of the target, whatever kind of element it is.
func (r *running) set(ctx context.Context, s grammar.Step) (done, error) {
	at, err := r.resolve(ctx, s.Target, grammar.VerbSet)
	if err != nil {
		return done{}, err
	}
	role := "textbox"
	if at.item != nil {
		role = at.item.Role
	}
	switch {
	case slices.Contains(match.Switches(), role):
		switch strings.ToLower(s.Text) {
		case "on", "true", "yes", "checked", "enabled":
			d, _, err := r.act(ctx, "check", args{"target": at.target}, "Switched on "+at.label)
			return d, err
		case "off", "false", "no", "unchecked", "disabled":
			d, _, err := r.act(ctx, "uncheck", args{"target": at.target}, "Switched off "+at.label)
			return d, err
		}
		return done{}, protocol.NewError(protocol.CodeBadArgument, at.label+" is a switch: it can be on or off", "")
	case slices.Contains(match.Lists(), role):
		return r.option(ctx, at, s.Text)
	}
	s.Verb = grammar.VerbFill
	return r.fill(ctx, at, s)
}

// tabs opens, shows and closes tabs. The following steps of the plan act in the
// tab that was opened or shown.
func (r *running) tabs(ctx context.Context, s grammar.Step) (done, error) {
	if s.Verb == grammar.VerbNewTab {
		a := args{"front": s.How != "back"}
		if s.Text != "" {
			a["url"] = s.Text
		}
		var info protocol.PageInfo
		reply, err := r.command(ctx, "newtab", a, &info)
		if err != nil {
			return done{}, err
		}
		r.tab = reply.Tab
		d := done{line: "Opened the tab " + string(reply.Tab)}
		if s.Text != "" {
			d.line += ": " + markdown.Cut(markdown.OneLine(info.URL), 300)
			if info.Title != "" {
				d.line += " " + markdown.Quote(info.Title)
			}
		}
		return d, nil
	}
	a := args{}
	if s.Text != "" {
		tab, err := r.whichTab(ctx, s.Text)
		if err != nil {
			return done{}, err
		}
		a["tab"] = string(tab)
	}
	name := "tab"
	if s.Verb == grammar.VerbCloseTab {
		name = "closetab"
	}
	before := r.tab
	if a["tab"] != nil {
		r.tab = "" // the argument names the tab
	}
	reply, err := r.command(ctx, name, a, nil)
	if err != nil {
		return done{}, err
	}
	if s.Verb == grammar.VerbCloseTab {
		r.tab = before
		if reply.Tab == before {
			r.tab = ""
		}
		return done{line: "Closed the tab " + string(reply.Tab)}, nil
	}
	r.tab = reply.Tab
	return done{line: "Switched to the tab " + string(reply.Tab)}, nil
}

// whichTab finds a tab by its number, position or title.
func (r *running) whichTab(ctx context.Context, said string) (protocol.TabID, error) {
	var tabs []protocol.Tab
	if _, err := r.command(ctx, "tabs", nil, &tabs); err != nil {
		return "", err
	}
	own := slices.IndexFunc(tabs, func(t protocol.Tab) bool { return t.ID == r.tab || r.tab == "" && t.Active })
	unknown := func(message string) error {
		return protocol.NewError(protocol.CodeUnknownTab, message, "say “list the tabs” to see which there are")
	}
	low := strings.ToLower(said)
	place := 0
	if n, ok := grammar.Ordinals()[low]; ok {
		place = n
	}
	switch low {
	case "next", "previous", "prev", "other":
		if own < 0 || len(tabs) < 2 {
			return "", unknown("there is no other tab")
		}
		if low == "other" && len(tabs) > 2 {
			return "", unknown("there are several other tabs")
		}
		step := 1
		if low == "previous" || low == "prev" {
			step = len(tabs) - 1
		}
		return tabs[(own+step)%len(tabs)].ID, nil
	}
	if place < 0 {
		return tabs[len(tabs)-1].ID, nil
	}
	if place > 0 {
		if place > len(tabs) {
			return "", unknown(fmt.Sprintf("there are only %d tabs", len(tabs)))
		}
		return tabs[place-1].ID, nil
	}
	id := low
	if _, err := strconv.Atoi(low); err == nil {
		id = "t" + low
	}
	var found []protocol.TabID
	for _, t := range tabs {
		if string(t.ID) == id {
			return t.ID, nil
		}
		if strings.Contains(" "+match.Even(t.Title)+" ", " "+match.Even(said)+" ") || strings.Contains(siteOf(strings.ToLower(t.URL)), match.Squeezed(said)) && match.Squeezed(said) != "" {
			found = append(found, t.ID)
		}
	}
	switch len(found) {
	case 0:
		return "", unknown("no tab is called “" + said + "”")
	case 1:
		return found[0], nil
	}
	return "", protocol.NewError(protocol.CodeAmbiguous, fmt.Sprintf("%d tabs may be “%s”: %s", len(found), said, joinTabs(found)), "name one by its number")
}

func joinTabs(ids []protocol.TabID) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = string(id)
	}
	return strings.Join(words, ", ")
}

// read shows the page's text.
func (r *running) read(ctx context.Context, s grammar.Step) (done, error) {
	var page protocol.PageText
	name := s.How
	if r.prose {
		name = "markdown"
	}
	if _, err := r.command(ctx, name, args{"max": markdown.Shown}, &page); err != nil {
		return done{}, err
	}
	d := done{line: "Read " + markdown.Cut(markdown.OneLine(page.URL), 300), marked: "Read " + markdown.Linked(page.URL)}
	if page.Title != "" {
		d.line += " " + markdown.Quote(page.Title)
		d.marked += " " + markdown.Escaped(markdown.Quote(page.Title))
	}
	d.data, d.left = markdown.Trimmed(page.Text, page.Length)
	d.shown = new(markdown.Quotation(d.data))
	if s.How == "markdown" {
		// A user who asks for Markdown wants to see its markup.
		d.shown = new(markdown.Block(d.data, "markdown"))
	}
	if strings.TrimSpace(page.Text) == "" {
		d.shown = nil
		d.more = append(d.more, "It shows no text.")
	}
	return d, nil
}

// find looks for a text on the page.
func (r *running) find(ctx context.Context, s grammar.Step) (done, error) {
	var m protocol.Matches
	// A slash would make it a regular expression, but a user searches for a
	// text.
	what := s.Text
	if _, err := r.command(ctx, "find", args{"what": what}, &m); err != nil {
		return done{}, err
	}
	if m.Total == 0 {
		return done{line: markdown.Quote(s.Text) + " is not on this page"}, nil
	}
	d := done{line: fmt.Sprintf("Found %s in %d places", markdown.Quote(s.Text), m.Total)}
	if m.Total == 1 {
		d.line = "Found " + markdown.Quote(s.Text) + " in one place"
	}
	lines := make([]item, len(m.Matches))
	for i, one := range m.Matches {
		lines[i] = item{
			markdown.OneLine(one.Before+" »"+one.Text+"« "+one.After) + refMark(one.Ref),
			strings.TrimSpace(markdown.Escaped(markdown.OneLine(one.Before)) + " **" + markdown.Escaped(markdown.OneLine(one.Text)) + "** " + markdown.Escaped(markdown.OneLine(one.After))),
		}
	}
	d.items(lines, "places")
	if d.left == "" && m.Total > len(m.Matches) {
		d.left = fmt.Sprintf("… %s more places are not shown.", markdown.Thousands(m.Total-len(m.Matches)))
	}
	return d, nil
}

func refMark(ref string) string {
	if ref == "" {
		return ""
	}
	return "  @" + ref
}

// where answers the questions about the tab's address and title.
func (r *running) where(ctx context.Context, s grammar.Step) (done, error) {
	var info protocol.PageInfo
	if _, err := r.command(ctx, "title", nil, &info); err != nil {
		return done{}, err
	}
	title := markdown.Quote(info.Title)
	if info.Title == "" {
		title = "empty"
	}
	switch s.How {
	case "title":
		return done{line: "The title is " + title}, nil
	case "url":
		return done{line: "The address is " + markdown.Cut(markdown.OneLine(info.URL), 2000), marked: "The address is " + markdown.LinkNamed(markdown.Cut(markdown.OneLine(info.URL), 2000), info.URL)}, nil
	}
	return done{
		line: "This is " + markdown.Cut(markdown.OneLine(info.URL), 500) + ", its title is " + title, marked: "This is " + markdown.Linked(info.URL) + ", its title is " + markdown.Escaped(title),
	}, nil
}

// file saves a screenshot or a PDF.
func (r *running) file(ctx context.Context, s grammar.Step) (done, error) {
	if s.Verb == grammar.VerbPDF {
		var f protocol.PageFile
		if _, err := r.command(ctx, "pdf", nil, &f); err != nil {
			return done{}, err
		}
		return done{line: "Saved the page as PDF", more: []string{markdown.Code(f.Path)}, path: f.Path}, nil
	}
	a, line := args{}, "Took a screenshot of what is in view"
	if s.How == "full" {
		a["full"], line = true, "Took a screenshot of the whole page"
	}
	if !s.Target.Empty() {
		at, err := r.resolve(ctx, s.Target, s.Verb)
		if err != nil {
			return done{}, err
		}
		a["element"], line = at.target, "Took a screenshot of "+at.label
	}
	var shot protocol.Screenshot
	if _, err := r.command(ctx, "screenshot", a, &shot); err != nil {
		return done{}, err
	}
	d := done{line: fmt.Sprintf("%s, %d × %d", line, shot.Width, shot.Height), path: shot.Path, picture: true}
	if !r.prose {
		d.more = []string{markdown.Code(shot.Path)}
	}
	return d, nil
}

// wait waits, and reports for what it waited.
func (r *running) wait(ctx context.Context, s grammar.Step) (done, error) {
	a, line := args{"for": s.How}, ""
	switch s.How {
	case "time":
		a["value"], a["timeout"] = strconv.Itoa(s.N), s.N+int(protocol.CommandTimeout.Milliseconds())
		line = fmt.Sprintf("Waited %g s", float64(s.N)/1000)
	case "load":
		line = "The page is loaded"
	case "text":
		a["value"], line = s.Text, markdown.Quote(s.Text)+" is on the page"
	default:
		a["value"], line = described(s.Target), upperFirst(s.Target.Spoken())+" is there"
		if s.How == "gone" {
			line = upperFirst(s.Target.Spoken()) + " is not on the page"
		}
	}
	_, err := r.command(ctx, "wait", a, nil)
	return done{line: line}, err
}

// described returns the registry's target for an element that need not exist
// yet.
func described(t grammar.Target) string {
	if t.Raw != "" {
		return t.Raw
	}
	roles := match.RolesOf(t.Kind)
	if len(roles) == 0 || t.Name == "" && t.Kind == "" {
		return "text=" + quoted(t.Name)
	}
	if t.Name == "" {
		return "role=" + roles[0]
	}
	if len(roles) == 1 {
		return "role=" + roles[0] + " name=" + quoted(t.Name)
	}
	return "label=" + quoted(t.Name)
}
