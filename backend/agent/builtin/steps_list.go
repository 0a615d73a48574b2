package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/agent/builtin/grammar"
	"pilotfish/backend/agent/builtin/markdown"
	"pilotfish/backend/agent/builtin/match"
	"pilotfish/backend/protocol"
)

// item is one line of a list: as plain text, with a ref to name it by, and as
// Markdown for the user.
type item struct{ plain, marked string }

// list lists the elements of one kind.
func (r *running) list(ctx context.Context, s grammar.Step) (done, error) {
	var items []item
	switch s.How {
	case "links":
		var links []protocol.Link
		if _, err := r.command(ctx, "links", nil, &links); err != nil {
			return done{}, err
		}
		for _, l := range links {
			items = append(items, item{fmt.Sprintf("@%s %s → %s", l.Ref, markdown.OneLine(l.Text), markdown.Cut(markdown.OneLine(l.URL), 200)), markdown.LinkNamed(markdown.Cut(markdown.OneLine(l.Text), 200), l.URL)})
		}
	case "forms", "fields", "checkboxes":
		forms, err := r.forms(ctx)
		if err != nil {
			return done{}, err
		}
		for _, f := range forms {
			if s.How == "checkboxes" && f.Checked == nil {
				continue
			}
			items = append(items, item{"@" + f.Ref + " " + fieldLine(f), markdown.Escaped(fieldLine(f))})
		}
	case "tabs":
		var tabs []protocol.Tab
		if _, err := r.command(ctx, "tabs", nil, &tabs); err != nil {
			return done{}, err
		}
		for _, t := range tabs {
			mark := ""
			if t.Active {
				mark = " (in front)"
			}
			items = append(items, item{
				fmt.Sprintf("%s %s %s%s", t.ID, markdown.Quote(t.Title), markdown.Cut(markdown.OneLine(t.URL), 200), mark),
				string(t.ID) + ": " + markdown.LinkNamed(markdown.Cut(markdown.OneLine(t.Title), 200), t.URL) + mark,
			})
		}
	case "tables":
		return r.tables(ctx)
	case "images":
		var media []protocol.Medium
		if _, err := r.command(ctx, "media", nil, &media); err != nil {
			return done{}, err
		}
		for _, m := range media {
			size := ""
			if m.Width > 0 && m.Height > 0 {
				size = fmt.Sprintf(", %d × %d", m.Width, m.Height)
			}
			items = append(items, item{
				strings.TrimSpace(markdown.OneLine(m.Text)+" "+markdown.Cut(markdown.OneLine(m.URL), 200)) + size, markdown.LinkNamed(markdown.Cut(markdown.OneLine(m.Text), 200), m.URL) + size,
			})
		}
	case "downloads":
		var files []protocol.Download
		if _, err := r.command(ctx, "downloads", nil, &files); err != nil {
			return done{}, err
		}
		for _, f := range files {
			line := markdown.OneLine(f.Name) + ", " + f.State
			items = append(items, item{f.ID + " " + line, markdown.Escaped(line)})
		}
	case "frames", "console":
		return r.listed(ctx, s.How)
	default:
		all, snap, err := r.snap(ctx)
		if err != nil {
			return done{}, err
		}
		if s.How == "everything" {
			d := done{line: "This is what the page shows"}
			d.data, d.left = markdown.TrimmedLines(strings.Split(snap.Text, "\n"), "lines")
			return d, nil
		}
		items = things(all, s.How)
	}
	return counted(items, s.How), nil
}

// tables shows the tables of the page.
func (r *running) tables(ctx context.Context) (done, error) {
	var found []protocol.Table
	reply, err := r.command(ctx, "tables", nil, &found)
	if err != nil {
		return done{}, err
	}
	d := counted(make([]item, len(found)), "tables")
	if len(found) == 0 {
		return d, nil
	}
	d.data, d.left = markdown.TrimmedLines(strings.Split(markdown.Unwrapped(reply.Text), "\n"), "lines")
	parts, used := []string{}, 0
	for _, t := range found {
		part := markdown.Table(t, tableRows)
		if used += len([]rune(part)); used > 2*markdown.Shown && len(parts) > 0 {
			break
		}
		parts = append(parts, part)
	}
	d.shown = new(markdown.Paragraphs(parts...))
	if d.left = ""; len(parts) < len(found) {
		d.left = fmt.Sprintf("… %d more tables are not shown.", len(found)-len(parts))
	}
	return d, nil
}

// tableRows is how many rows of a table an answer shows.
const tableRows = 40

// counted returns a list with the number of its items.
func counted(items []item, what string) done {
	one := strings.TrimSuffix(what, "s")
	switch what {
	case "checkboxes":
		one = "checkbox"
	case "forms", "fields":
		what, one = "form fields", "form field"
	}
	if len(items) == 0 {
		return done{line: "There are no " + what + " on this page"}
	}
	d := done{line: fmt.Sprintf("There are %d %s", len(items), what)}
	if len(items) == 1 {
		d.line = "There is one " + one
	}
	d.items(items, what)
	return d
}

// items adds a list to the outcome of a step, as much of it as is shown.
func (d *done) items(list []item, what string) {
	plain, marked := make([]string, len(list)), make([]string, len(list))
	for i, one := range list {
		plain[i], marked[i] = one.plain, one.marked
	}
	d.data, d.left = markdown.TrimmedLines(plain, what)
	n := strings.Count(d.data, "\n") + 1
	d.shown = new(strings.Join(markdown.Bullets(marked[:min(n, len(marked))]), "\n"))
}

// things returns the lines for the headings, buttons or landmarks of a
// snapshot.
func things(all []match.Thing, what string) []item {
	var lines []item
	for _, s := range all {
		switch what {
		case "headings":
			inside := slices.ContainsFunc(s.Parents, func(p *protocol.SnapshotItem) bool { return p.Role == "heading" })
			if (s.Role == "heading" || s.Level > 0) && !inside && s.Name != "" {
				level := min(max(s.Level, 1), 6)
				lines = append(lines, item{strings.Repeat("#", level) + " " + markdown.OneLine(s.Name) + refMark(s.Ref), fmt.Sprintf("H%d: %s", level, markdown.Escaped(markdown.OneLine(s.Name)))})
			}
		case "buttons":
			if s.Role == "button" && s.Ref != "" {
				line := markdown.OneLine(s.Name)
				if where := place(s); where != "" {
					line += ", in " + where
				}
				lines = append(lines, item{"@" + s.Ref + " " + line, markdown.Escaped(line)})
			}
		case "landmarks":
			if slices.Contains([]string{"banner", "navigation", "main", "contentinfo", "complementary", "search", "region", "form"}, s.Role) {
				line := strings.TrimSpace(roleName(s.Role) + " " + markdown.OneLine(s.Name))
				lines = append(lines, item{line, markdown.Escaped(line)})
			}
		}
	}
	return lines
}

// listed shows the registry's own text for a list.
func (r *running) listed(ctx context.Context, what string) (done, error) {
	name := map[string]string{"frames": "frame", "console": "console"}[what]
	reply, err := r.command(ctx, name, nil, nil)
	if err != nil {
		return done{}, err
	}
	d := done{line: "These are the " + what}
	if what == "console" {
		d.line = "This is the page's console"
	}
	d.data, d.left = markdown.TrimmedLines(strings.Split(markdown.Unwrapped(reply.Text), "\n"), "lines")
	return d, nil
}

func fieldLine(f protocol.FormField) string {
	line := roleName(f.Role) + " " + markdown.Quote(f.Label)
	switch {
	case f.Checked != nil && *f.Checked:
		line += " on"
	case f.Checked != nil:
		line += " off"
	case f.Value != "":
		line += " with " + markdown.Quote(f.Value)
	}
	if f.Required {
		line += ", required"
	}
	if len(f.Options) > 0 {
		n := min(len(f.Options), 8)
		line += ": " + markdown.OneLine(strings.Join(f.Options[:n], " | "))
		if len(f.Options) > n {
			line += " | …"
		}
	}
	return line
}
