package activity

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"pilotfish/backend/protocol"
)

// Markdown writes entries, oldest first, as Markdown: a heading for each day, and
// a line for each entry. Texts of entries are in code spans, because pages and
// agents wrote some of them.
func Markdown(entries []protocol.ActivityEntry) string {
	var out strings.Builder
	day := ""
	for _, e := range entries {
		at := e.Time.Local()
		if d := at.Format("2006-01-02"); d != day {
			if day != "" {
				out.WriteByte('\n')
			}
			fmt.Fprintf(&out, "## %s\n\n", d)
			day = d
		}
		fmt.Fprintf(&out, "- %s %s", at.Format("15:04:05"), code(e.Actor.Name))
		if e.Tab != "" {
			fmt.Fprintf(&out, " in %s", code(string(e.Tab)))
		}
		fmt.Fprintf(&out, ": **%s**", e.What())
		if e.Command != "" && e.Command != string(e.Kind) {
			out.WriteString(" " + code(e.Command))
		}
		for _, name := range slices.Sorted(maps.Keys(e.Args)) {
			fmt.Fprintf(&out, " %s=%s", code(name), code(e.Args[name]))
		}
		out.WriteString(result(e))
		if e.Summary != "" {
			out.WriteString(": " + code(e.Summary))
		}
		out.WriteByte('\n')
	}
	return out.String()
}

// result writes how an entry ended.
func result(e protocol.ActivityEntry) string {
	switch {
	case e.Phase != "":
		return " (" + string(e.Phase) + ")"
	case !e.OK && e.Code != "":
		return fmt.Sprintf(" (failed: %s, %.0f ms)", e.Code, e.DurationMS)
	case e.What() != protocol.ActivityCommand:
		return ""
	case !e.OK:
		return fmt.Sprintf(" (failed, %.0f ms)", e.DurationMS)
	}
	return fmt.Sprintf(" (%.0f ms)", e.DurationMS)
}

// code writes a text as a code span. The span's marks are longer than any run of
// marks in the text, so that the text cannot end it.
func code(text string) string {
	text = strings.NewReplacer("\n", " ", "\r", " ").Replace(text)
	longest, run := 0, 0
	for _, r := range text {
		if r != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	marks := strings.Repeat("`", longest+1)
	if longest > 0 || text == "" {
		return marks + " " + text + " " + marks
	}
	return marks + text + marks
}
