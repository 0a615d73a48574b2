package builtin

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// list shows what there is of one kind.
func (r *running) list(ctx context.Context, s Step) (done, error) {
	var lines []string
	switch s.How {
	case "links":
		var links []protocol.Link
		if _, err := r.command(ctx, "links", nil, &links); err != nil {
			return done{}, err
		}
		for _, l := range links {
			lines = append(lines, fmt.Sprintf("@%s %s → %s", l.Ref, oneLine(l.Text), cut(oneLine(l.URL), 200)))
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
			lines = append(lines, fieldLine(f))
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
			lines = append(lines, fmt.Sprintf("%s %s %s%s", t.ID, quote(t.Title), cut(oneLine(t.URL), 200), mark))
		}
	case "tables", "images", "frames", "console", "downloads":
		return r.listed(ctx, s.How)
	default:
		all, look, err := r.look(ctx)
		if err != nil {
			return done{}, err
		}
		if s.How == "everything" {
			d := done{line: "This is what the page shows"}
			d.data, d.left = trimmedLines(strings.Split(look.Text, "\n"), "lines")
			return d, nil
		}
		lines = things(all, s.How)
	}
	return counted(lines, s.How), nil
}

// counted is a list with how many there are.
func counted(lines []string, what string) done {
	if len(lines) == 0 {
		return done{line: "There are no " + what + " here"}
	}
	one := strings.TrimSuffix(what, "s")
	switch what {
	case "checkboxes":
		one = "checkbox"
	case "forms", "fields":
		what, one = "form fields", "form field"
	}
	d := done{line: fmt.Sprintf("There are %d %s", len(lines), what)}
	if len(lines) == 1 {
		d.line = "There is one " + one
	}
	d.data, d.left = trimmedLines(lines, what)
	return d
}

// things are the lines of the headings, buttons or landmarks of a look.
func things(all []seen, what string) []string {
	var lines []string
	for _, s := range all {
		switch what {
		case "headings":
			inside := slices.ContainsFunc(s.parents, func(p *protocol.LookItem) bool { return p.Role == "heading" })
			if (s.Role == "heading" || s.Level > 0) && !inside && s.Name != "" {
				lines = append(lines, strings.Repeat("#", min(max(s.Level, 1), 6))+" "+oneLine(s.Name)+refMark(s.Ref))
			}
		case "buttons":
			if s.Role == "button" && s.Ref != "" {
				line := "@" + s.Ref + " " + oneLine(s.Name)
				if where := s.place(); where != "" {
					line += ", " + where
				}
				lines = append(lines, line)
			}
		case "landmarks":
			if slices.Contains([]string{"banner", "navigation", "main", "contentinfo", "complementary", "search", "region", "form"}, s.Role) {
				lines = append(lines, strings.TrimSpace(roleName(s.Role)+" "+oneLine(s.Name)))
			}
		}
	}
	return lines
}

// listed shows the registry's own listing.
func (r *running) listed(ctx context.Context, what string) (done, error) {
	name := map[string]string{"tables": "tables", "images": "media", "frames": "frame", "console": "console", "downloads": "downloads"}[what]
	reply, err := r.command(ctx, name, nil, nil)
	if err != nil {
		return done{}, err
	}
	d := done{line: "These are the " + what}
	if what == "console" {
		d.line = "This is the page's console"
	}
	d.data, d.left = trimmedLines(strings.Split(unwrapped(reply.Text), "\n"), "lines")
	return d, nil
}

func fieldLine(f protocol.FormField) string {
	line := fmt.Sprintf("@%s %s %s", f.Ref, roleName(f.Role), quote(f.Label))
	switch {
	case f.Checked != nil && *f.Checked:
		line += " on"
	case f.Checked != nil:
		line += " off"
	case f.Value != "":
		line += " holds " + quote(f.Value)
	}
	if f.Required {
		line += ", required"
	}
	if len(f.Options) > 0 {
		n := min(len(f.Options), 8)
		line += ": " + oneLine(strings.Join(f.Options[:n], " | "))
		if len(f.Options) > n {
			line += " | …"
		}
	}
	return line
}
