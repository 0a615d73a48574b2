package command

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// partCommands read what stands on a page.
func partCommands() []command {
	read := protocol.ScopeRead
	return []command{
		{Spec: Spec{
			Name: "markdown", Aliases: []string{"md"}, Scope: read, Summary: "print the page, or an element, as Markdown",
			Help:    "Headings, lists, links and tables are kept, hidden content is left out, frames are included in place.",
			Args:    []Arg{elementArg("only this element: a ref, CSS, text=…"), budgetArg()},
			Returns: "url, title, text, length", Examples: []string{"markdown", "markdown main --max 4000"},
		}, tab: ownTab, run: reading(runMarkdown)},
		{Spec: Spec{
			Name: "html", Aliases: []string{"source"}, Scope: read, Summary: "print the current HTML of the page, or of an element",
			Help: "Values of fields for passwords, cards and one-time codes are masked.",
			Args: []Arg{
				elementArg("only this element: a ref, CSS, text=…"),
				{Name: "outer", Type: Boolean, Flag: true, Help: "with the element's own tag; this is the default"},
				{Name: "inner", Type: Boolean, Flag: true, Help: "without the element's own tag"},
				budgetArg(),
			},
			Returns: "url, title, text, length", Examples: []string{"html", "html e5 --inner", "html '#menu' --max 2000"},
		}, tab: ownTab, run: reading(runHTML)},
		{Spec: Spec{
			Name: "links", Scope: read, Summary: "list the links of the page with their refs", Args: []Arg{budgetArg()},
			Returns: "ref, text and url of each", Examples: []string{"links"},
		}, tab: ownTab, run: reading(runLinks)},
		{Spec: Spec{
			Name: "forms", Scope: read, Summary: "list the forms of the page with their fields, refs and values",
			Help: "Passwords, card numbers and one-time codes are masked.", Args: []Arg{budgetArg()},
			Returns: "name, action, method and fields of each", Examples: []string{"forms"},
		}, tab: ownTab, run: reading(runForms)},
		{Spec: Spec{
			Name: "tables", Scope: read, Summary: "print the tables of the page, one line per row, cells between bars", Args: []Arg{budgetArg()},
			Returns: "caption, head and rows of each", Examples: []string{"tables", "tables --max 50000"},
		}, tab: ownTab, run: reading(runTables)},
		{Spec: Spec{
			Name: "media", Aliases: []string{"images"}, Scope: read, Summary: "list the images, videos and sounds of the page", Args: []Arg{budgetArg()},
			Returns: "kind, url, text, width and height of each", Examples: []string{"media"},
		}, tab: ownTab, run: reading(runMedia)},
		{Spec: Spec{
			Name: "data", Aliases: []string{"meta"}, Scope: read, Summary: "print the page's metadata: JSON-LD, Open Graph, meta tags", Args: []Arg{budgetArg()},
			Returns: "title, url, language, canonical, meta, openGraph, jsonLd", Examples: []string{"data"},
		}, tab: ownTab, run: reading(runData)},
		{Spec: Spec{
			Name: "find", Aliases: []string{"grep"}, Scope: read, Summary: "find a text or a /regular expression/ on the page, with its surroundings",
			Help: "A text matches in upper and lower case; an expression needs the flag i for that. A match in an element that can be acted on has its ref.",
			Args: []Arg{
				{Name: "what", Type: String, Required: true, Help: "a text, or /expression/flags"},
				{Name: "count", Type: Integer, Flag: true, Min: 1, Max: 1000, Default: "20", Help: "at most so many matches"},
			},
			Returns: "total, and ref, before, text and after of each", Examples: []string{"find 'sign in'", "find '/order \\d+/i' --count 5"},
		}, tab: ownTab, run: reading(runFind)},
		{Spec: Spec{
			Name: "frame", Aliases: []string{"frames"}, Scope: read, Summary: "list the frames of the page and how their refs begin", Args: []Arg{budgetArg()},
			Returns: "id, depth, name, url and apart of each", Examples: []string{"frame"},
		}, tab: ownTab, run: reading(runFrames)},
	}
}

func runMarkdown(ctx context.Context, in *invocation) (string, result, error) {
	page, err := in.browser.Markdown(ctx, in.tab, in.args.text("element"), in.limit())
	return page.URL, result{text: in.written(page), data: page}, err
}

func runHTML(ctx context.Context, in *invocation) (string, result, error) {
	if in.args.flag("outer") && in.args.flag("inner") {
		return "", result{}, protocol.NewError(protocol.CodeBadArgument, "html takes --outer or --inner, not both", "", protocol.Example("html", "e5", "--inner"))
	}
	page, err := in.browser.HTML(ctx, in.tab, in.args.text("element"), in.args.flag("inner"), in.limit())
	return page.URL, result{text: in.written(page), data: page}, err
}

func runLinks(ctx context.Context, in *invocation) (string, result, error) {
	url, links, err := in.browser.Links(ctx, in.tab)
	lines := make([]string, len(links))
	for i, l := range links {
		lines[i] = fmt.Sprintf("%s %q %s", l.Ref, field(l.Text), line(l.URL, urlShown))
	}
	return url, result{text: in.listed(url, lines, "links"), data: links}, err
}

func runForms(ctx context.Context, in *invocation) (string, result, error) {
	url, forms, err := in.browser.Forms(ctx, in.tab)
	var lines []string
	for _, f := range forms {
		if f.Action == "" {
			lines = append(lines, "fields outside of any form:")
		} else {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("form %s", field(f.Name)))+fmt.Sprintf(" %s %s:", strings.ToUpper(field(f.Method)), line(f.Action, urlShown)))
		}
		for _, x := range f.Fields {
			lines = append(lines, "  "+fieldLine(x))
		}
	}
	return url, result{text: in.listed(url, lines, "forms"), data: forms}, err
}

func fieldLine(f protocol.FormField) string {
	text := fmt.Sprintf("%s %s %q", f.Ref, field(f.Role), field(f.Label))
	if f.Name != "" {
		text += " name=" + field(f.Name)
	}
	switch {
	case f.Checked != nil && *f.Checked:
		text += " checked"
	case f.Checked == nil && f.Value != "":
		text += fmt.Sprintf(" = %q", field(f.Value))
	}
	if f.Required {
		text += " required"
	}
	if f.Disabled {
		text += " disabled"
	}
	if len(f.Options) > 0 {
		shown := min(len(f.Options), 12)
		text += fmt.Sprintf(" of %q", f.Options[:shown])
		if rest := len(f.Options) - shown; rest > 0 {
			text += fmt.Sprintf(" … %d more", rest)
		}
	}
	return text
}

func runTables(ctx context.Context, in *invocation) (string, result, error) {
	url, tables, err := in.browser.Tables(ctx, in.tab)
	var lines []string
	for i, t := range tables {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("table %d, %d rows %s", i+1, len(t.Rows), field(t.Caption))))
		if len(t.Head) > 0 {
			lines = append(lines, cells(t.Head), strings.Repeat("| --- ", len(t.Head))+"|")
		}
		for _, row := range t.Rows {
			lines = append(lines, cells(row))
		}
	}
	return url, result{text: in.listed(url, lines, "lines of tables"), data: tables}, err
}

// cells writes a row on one line; a bar inside a cell is escaped.
func cells(row []string) string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = strings.ReplaceAll(strings.Join(strings.Fields(clean(c)), " "), "|", `\|`)
	}
	return "| " + strings.Join(out, " | ") + " |"
}

func runMedia(ctx context.Context, in *invocation) (string, result, error) {
	url, media, err := in.browser.Media(ctx, in.tab)
	lines := make([]string, len(media))
	for i, m := range media {
		lines[i] = fmt.Sprintf("%s %d × %d %q %s", field(m.Kind), m.Width, m.Height, field(m.Text), line(m.URL, urlShown))
	}
	return url, result{text: in.listed(url, lines, "media"), data: media}, err
}

func runData(ctx context.Context, in *invocation) (string, result, error) {
	data, err := in.browser.Data(ctx, in.tab)
	if err != nil {
		return "", result{}, err
	}
	lines := []string{"title: " + field(data.Title), "language: " + field(data.Language)}
	if data.Canonical != "" {
		lines = append(lines, "canonical: "+line(data.Canonical, urlShown))
	}
	for _, group := range []map[string]string{data.OpenGraph, data.Meta} {
		for _, key := range slices.Sorted(maps.Keys(group)) {
			lines = append(lines, field(key)+": "+line(group[key], urlShown))
		}
	}
	for _, ld := range data.JSONLD {
		text, err := json.MarshalIndent(ld, "", " ")
		if err == nil {
			lines = append(lines, "json-ld:")
			lines = append(lines, strings.Split(string(text), "\n")...)
		}
	}
	return data.URL, result{text: in.listed(data.URL, lines, "lines"), data: data}, nil
}

func runFind(ctx context.Context, in *invocation) (string, result, error) {
	count := in.args.number("count")
	if count == 0 {
		count = 20
	}
	found, err := in.browser.Search(ctx, in.tab, in.args.text("what"), count)
	if err != nil {
		return "", result{}, err
	}
	if found.Total == 0 {
		return found.URL, result{text: fmt.Sprintf("%.100q is not on this page", clean(in.args.text("what"))), data: found}, nil
	}
	lines := make([]string, len(found.Matches))
	for i, m := range found.Matches {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s …%s»%s«%s…", m.Ref, field(m.Before)+" ", field(m.Text), " "+field(m.After)))
	}
	text := in.foreign(found.URL, strings.Join(lines, "\n"))
	if left := found.Total - len(found.Matches); left > 0 {
		text += fmt.Sprintf("\n… %d more places (--count shows more)", left)
	}
	return found.URL, result{text: text, data: found}, nil
}

func runFrames(ctx context.Context, in *invocation) (string, result, error) {
	frames, err := in.browser.Frames(ctx, in.tab)
	if err != nil {
		return "", result{}, err
	}
	lines := make([]string, len(frames))
	for i, f := range frames {
		lines[i] = strings.Repeat("  ", f.Depth) + f.ID + " " + line(f.URL, urlShown)
		if f.Name != "" {
			lines[i] += fmt.Sprintf(" %q", field(f.Name))
		}
		if f.Apart {
			lines[i] += " (another site)"
		}
	}
	url := ""
	if len(frames) > 0 {
		url = frames[0].URL
	}
	return url, result{text: in.listed(url, lines, "frames"), data: frames}, nil
}
