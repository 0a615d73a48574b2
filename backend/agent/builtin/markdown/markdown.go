package markdown

import (
	"fmt"
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// Linked returns an address as Markdown: a web address as a link, any other
// address as text.
func Linked(to string) string { return LinkNamed(Cut(OneLine(to), 200), to) }

// LinkNamed returns a web address as a link with a text of the page. Any other
// address becomes the text, followed by the address as code.
func LinkNamed(text, to string) string {
	text, to = Escaped(OneLine(text)), OneLine(to)
	if text == "" {
		text = Escaped(Cut(to, 120))
	}
	u, err := url.Parse(to)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		if to == "" || text == Escaped(to) {
			return text
		}
		return text + " (" + Code(Cut(to, 120)) + ")"
	}
	return "[" + text + "](<" + strings.NewReplacer("<", "%3C", ">", "%3E", `\`, "%5C").Replace(u.String()) + ">)"
}

// Quotation shows Markdown of a page as a quotation: each line begins with the
// sign of a quotation, so that nothing in it ends the quotation. Images and
// HTML are escaped.
func Quotation(text string) string {
	text = strings.NewReplacer("![", `\![`, "<http", "<http", "<", `\<`).Replace(text)
	var b strings.Builder
	for line := range strings.Lines(strings.TrimSpace(Visible(text))) {
		b.WriteString(strings.TrimRight("> "+strings.TrimRight(line, "\n"), " ") + "\n")
	}
	return strings.TrimRight(b.String(), "\n")
}

// Table shows a table of a page; rows beyond most are counted.
func Table(t protocol.Table, most int) string {
	width := len(t.Head)
	for _, row := range t.Rows {
		width = max(width, len(row))
	}
	if width == 0 {
		return ""
	}
	line := func(cells []string) string {
		var b strings.Builder
		for i := range width {
			cell := ""
			if i < len(cells) {
				cell = Escaped(Cut(OneLine(cells[i]), 200))
			}
			b.WriteString("| " + cell + " ")
		}
		return b.String() + "|"
	}
	var lines []string
	if t.Caption != "" {
		lines = append(lines, Escaped(Cut(OneLine(t.Caption), 200))+":", "")
	}
	lines = append(lines, line(t.Head), strings.Repeat("|---", width)+"|")
	for i, row := range t.Rows {
		if i == most {
			lines = append(lines, "", fmt.Sprintf("… %s more rows are not shown.", Thousands(len(t.Rows)-most)))
			break
		}
		lines = append(lines, line(row))
	}
	return strings.Join(lines, "\n")
}

// Bullets returns the items as lines of a Markdown list.
func Bullets(items []string) []string {
	lines := make([]string, len(items))
	for i, item := range items {
		lines[i] = "- " + item
	}
	return lines
}
