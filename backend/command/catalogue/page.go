package catalogue

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/foreign"
	"pilotfish/backend/command/listing"
	"pilotfish/backend/protocol"
)

// page returns the commands that read the content of a page, whole or in parts.
func (c *commands) page() []command.Command {
	read := protocol.ScopeRead
	return []command.Command{
		{Spec: command.Spec{
			Name: "markdown", Aliases: []string{"md"}, Scope: read, Summary: "print the page, or an element, as Markdown",
			Help:    "Headings, lists, links and tables are kept, hidden content is left out, frames are included in place.",
			Args:    []command.Arg{elementArg("only this element: a ref, CSS, text=…"), listing.BudgetArg()},
			Returns: "url, title, text, length", Examples: []string{"markdown", "markdown main --max 4000"},
		}, Tab: command.OwnTab, ByPage: true, Run: reading(c.runMarkdown)},
		{Spec: command.Spec{
			Name: "html", Aliases: []string{"source"}, Scope: read, Summary: "print the current HTML of the page, or of an element",
			Help: "Values of fields for passwords, cards and one-time codes are masked.",
			Args: []command.Arg{
				elementArg("only this element: a ref, CSS, text=…"),
				{Name: "outer", Type: command.Boolean, Flag: true, Help: "with the element's own tag; this is the default"},
				{Name: "inner", Type: command.Boolean, Flag: true, Help: "without the element's own tag"},
				listing.BudgetArg(),
			},
			Returns: "url, title, text, length", Examples: []string{"html", "html e5 --inner", "html '#menu' --max 2000"},
		}, Tab: command.OwnTab, Run: reading(c.runHTML)},
		{Spec: command.Spec{
			Name: "links", Scope: read, Summary: "list the links of the page with their refs", Args: []command.Arg{listing.BudgetArg()},
			Returns: "ref, text and url of each", Examples: []string{"links"},
		}, Tab: command.OwnTab, Run: reading(c.runLinks)},
		{Spec: command.Spec{
			Name: "forms", Scope: read, Summary: "list the forms of the page with their fields, refs and values",
			Help: "Passwords, card numbers and one-time codes are masked.", Args: []command.Arg{listing.BudgetArg()},
			Returns: "name, action, method and fields of each", Examples: []string{"forms"},
		}, Tab: command.OwnTab, Run: reading(c.runForms)},
		{Spec: command.Spec{
			Name: "tables", Scope: read, Summary: "print the tables of the page, one line per row, cells between bars", Args: []command.Arg{listing.BudgetArg()},
			Returns: "caption, head and rows of each", Examples: []string{"tables", "tables --max 50000"},
		}, Tab: command.OwnTab, Run: reading(c.runTables)},
		{Spec: command.Spec{
			Name: "media", Aliases: []string{"images"}, Scope: read, Summary: "list the images, videos and sounds of the page", Args: []command.Arg{listing.BudgetArg()},
			Returns: "kind, url, text, width and height of each", Examples: []string{"media"},
		}, Tab: command.OwnTab, Run: reading(c.runMedia)},
		{Spec: command.Spec{
			Name: "data", Aliases: []string{"meta"}, Scope: read, Summary: "print the page's metadata: JSON-LD, Open Graph, meta tags", Args: []command.Arg{listing.BudgetArg()},
			Returns: "title, url, language, canonical, meta, openGraph, jsonLd", Examples: []string{"data"},
		}, Tab: command.OwnTab, Run: reading(c.runData)},
		{Spec: command.Spec{
			Name: "find", Aliases: []string{"grep"}, Scope: read, Summary: "find a text or a /regular expression/ on the page, with its surroundings",
			Help: "A text matches in upper and lower case; an expression needs the flag i for that. A match in an element that can be acted on has its ref.",
			Args: []command.Arg{
				{Name: "what", Type: command.String, Required: true, Help: "a text, or /expression/flags"},
				{Name: "count", Type: command.Integer, Flag: true, Min: 1, Max: 1000, Default: "20", Help: "at most so many matches"},
			},
			Returns: "total, and ref, before, text and after of each", Examples: []string{"find 'sign in'", "find '/order \\d+/i' --count 5"},
		}, Tab: command.OwnTab, ByPage: true, Run: reading(c.runFind)},
		{Spec: command.Spec{
			Name: "frame", Aliases: []string{"frames"}, Scope: read, Summary: "list the frames of the page and how their refs begin", Args: []command.Arg{listing.BudgetArg()},
			Returns: "id, depth, name, url and apart of each", Examples: []string{"frame"},
		}, Tab: command.OwnTab, Run: reading(c.runFrames)},
	}
}

func elementArg(help string) command.Arg {
	return command.Arg{Name: "element", Type: command.String, Help: help}
}

// requiredElement is the argument of commands about one element.
func requiredElement() command.Arg {
	return command.Arg{Name: "element", Type: command.String, Required: true, Help: "a ref (e5), CSS, role=button name=\"Save\", text=… or label=…"}
}

// reading guards a command that shows content of a page. It checks the address
// before the command, and the address that the content came from after it,
// because the page can navigate in between.
func reading(run func(ctx context.Context, in *command.Invocation) (url string, res command.Result, err error)) func(context.Context, *command.Invocation) (command.Result, error) {
	return func(ctx context.Context, in *command.Invocation) (command.Result, error) {
		if err := in.Readable(ctx); err != nil {
			return command.Result{}, err
		}
		url, res, err := run(ctx, in)
		if err != nil {
			return command.Result{}, err
		}
		if in.Agent() && url != "" {
			if err := in.MayOpen(url); err != nil {
				return command.Result{}, err
			}
		}
		return res, nil
	}
}

func (c *commands) runMarkdown(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	page, err := c.Browser.Markdown(ctx, in.By(), in.Tab, in.Args.Text("element"), listing.Budget(in))
	return page.URL, command.Result{Text: listing.Text(in, page), Data: page}, err
}

func (c *commands) runHTML(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	if in.Args.Flag("outer") && in.Args.Flag("inner") {
		return "", command.Result{}, protocol.NewError(protocol.CodeBadArgument, "html takes --outer or --inner, not both", "", protocol.Example("html", "e5", "--inner"))
	}
	page, err := c.Browser.HTML(ctx, in.By(), in.Tab, in.Args.Text("element"), in.Args.Flag("inner"), listing.Budget(in))
	return page.URL, command.Result{Text: listing.Text(in, page), Data: page}, err
}

func (c *commands) runLinks(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	url, links, err := c.Browser.Links(ctx, in.By(), in.Tab)
	lines := make([]string, len(links))
	for i, l := range links {
		lines[i] = fmt.Sprintf("%s %q %s", l.Ref, foreign.Field(l.Text), foreign.Line(l.URL, foreign.URLShown))
	}
	return url, command.Result{Text: listing.First(in, url, lines, "links"), Data: links}, err
}

func (c *commands) runForms(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	url, forms, err := c.Browser.Forms(ctx, in.By(), in.Tab)
	var lines []string
	for _, f := range forms {
		if f.Action == "" {
			lines = append(lines, "fields outside of any form:")
		} else {
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("form %s", foreign.Field(f.Name)))+fmt.Sprintf(" %s %s:", strings.ToUpper(foreign.Field(f.Method)), foreign.Line(f.Action, foreign.URLShown)))
		}
		for _, x := range f.Fields {
			lines = append(lines, "  "+fieldLine(x))
		}
	}
	return url, command.Result{Text: listing.First(in, url, lines, "forms"), Data: forms}, err
}

func fieldLine(f protocol.FormField) string {
	text := fmt.Sprintf("%s %s %q", f.Ref, foreign.Field(f.Role), foreign.Field(f.Label))
	if f.Name != "" {
		text += " name=" + foreign.Field(f.Name)
	}
	switch {
	case f.Checked != nil && *f.Checked:
		text += " checked"
	case f.Checked == nil && f.Value != "":
		text += fmt.Sprintf(" = %q", foreign.Field(f.Value))
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

func (c *commands) runTables(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	url, tables, err := c.Browser.Tables(ctx, in.By(), in.Tab)
	var lines []string
	for i, t := range tables {
		lines = append(lines, strings.TrimSpace(fmt.Sprintf("table %d, %d rows %s", i+1, len(t.Rows), foreign.Field(t.Caption))))
		if len(t.Head) > 0 {
			lines = append(lines, tableRow(t.Head), strings.Repeat("| --- ", len(t.Head))+"|")
		}
		for _, row := range t.Rows {
			lines = append(lines, tableRow(row))
		}
	}
	return url, command.Result{Text: listing.First(in, url, lines, "lines of tables"), Data: tables}, err
}

// tableRow formats a row on one line; a bar inside a cell is escaped.
func tableRow(row []string) string {
	out := make([]string, len(row))
	for i, c := range row {
		out[i] = strings.ReplaceAll(strings.Join(strings.Fields(foreign.Clean(c)), " "), "|", `\|`)
	}
	return "| " + strings.Join(out, " | ") + " |"
}

func (c *commands) runMedia(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	url, media, err := c.Browser.Media(ctx, in.By(), in.Tab)
	lines := make([]string, len(media))
	for i, m := range media {
		lines[i] = fmt.Sprintf("%s %d × %d %q %s", foreign.Field(m.Kind), m.Width, m.Height, foreign.Field(m.Text), foreign.Line(m.URL, foreign.URLShown))
	}
	return url, command.Result{Text: listing.First(in, url, lines, "media"), Data: media}, err
}

func (c *commands) runData(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	data, err := c.Browser.Data(ctx, in.By(), in.Tab)
	if err != nil {
		return "", command.Result{}, err
	}
	lines := []string{"title: " + foreign.Field(data.Title), "language: " + foreign.Field(data.Language)}
	if data.Canonical != "" {
		lines = append(lines, "canonical: "+foreign.Line(data.Canonical, foreign.URLShown))
	}
	for _, group := range []map[string]string{data.OpenGraph, data.Meta} {
		for _, key := range slices.Sorted(maps.Keys(group)) {
			lines = append(lines, foreign.Field(key)+": "+foreign.Line(group[key], foreign.URLShown))
		}
	}
	for _, ld := range data.JSONLD {
		text, err := json.MarshalIndent(ld, "", " ")
		if err == nil {
			lines = append(lines, "json-ld:")
			lines = append(lines, strings.Split(string(text), "\n")...)
		}
	}
	return data.URL, command.Result{Text: listing.First(in, data.URL, lines, "lines"), Data: data}, nil
}

func (c *commands) runFind(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	count := in.Args.Number("count")
	if count == 0 {
		count = 20
	}
	found, err := c.Browser.Search(ctx, in.By(), in.Tab, in.Args.Text("what"), count)
	if err != nil {
		return "", command.Result{}, err
	}
	if found.Total == 0 {
		return found.URL, command.Result{Text: fmt.Sprintf("%.100q is not on this page", foreign.Clean(in.Args.Text("what"))), Data: found}, nil
	}
	lines := make([]string, len(found.Matches))
	for i, m := range found.Matches {
		lines[i] = strings.TrimSpace(fmt.Sprintf("%s …%s»%s«%s…", m.Ref, foreign.Field(m.Before)+" ", foreign.Field(m.Text), " "+foreign.Field(m.After)))
	}
	text := in.Foreign(found.URL, strings.Join(lines, "\n"))
	if left := found.Total - len(found.Matches); left > 0 {
		text += fmt.Sprintf("\n… %d more places (--count shows more)", left)
	}
	return found.URL, command.Result{Text: text, Data: found}, nil
}

func (c *commands) runFrames(ctx context.Context, in *command.Invocation) (string, command.Result, error) {
	frames, err := c.Browser.Frames(ctx, in.By(), in.Tab)
	if err != nil {
		return "", command.Result{}, err
	}
	lines := make([]string, len(frames))
	for i, f := range frames {
		lines[i] = strings.Repeat("  ", f.Depth) + f.ID + " " + foreign.Line(f.URL, foreign.URLShown)
		if f.Name != "" {
			lines[i] += fmt.Sprintf(" %q", foreign.Field(f.Name))
		}
		if f.Apart {
			lines[i] += " (another site)"
		}
	}
	url := ""
	if len(frames) > 0 {
		url = frames[0].URL
	}
	return url, command.Result{Text: listing.First(in, url, lines, "frames"), Data: frames}, nil
}
