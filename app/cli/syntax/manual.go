package syntax

import (
	"fmt"
	"strings"
)

// Manual returns the manual page, section 1, in the language of man. date is the day
// that it shows, such as 2026-11-26, and version that of the program.
func (c Commands) Manual(version, date string) string {
	var b strings.Builder
	fmt.Fprintf(&b, ".TH PILOTFISH 1 %q %q \"User Commands\"\n", date, "Pilotfish "+version)
	b.WriteString(".SH NAME\npilotfish \\- drive a browser that agents and their user share\n")
	b.WriteString(".SH SYNOPSIS\n.B pilotfish\n.I COMMAND\n[\\fIARGUMENT\\fR ...] [\\fIOPTION\\fR ...]\n")
	b.WriteString(".SH DESCRIPTION\n" + roff("Pilotfish is a desktop app that owns a browser in which agents work beside their user. This program runs its commands: on the page of a tab, on the app, and for agents. It starts a session when none runs. In a terminal of the app, commands mean the tab beside it.") + "\n")
	for _, group := range groups() {
		fmt.Fprintf(&b, ".SH %s\n", strings.ToUpper(roff(group)))
		for _, s := range c.All() {
			if s.Group != group || s.Hidden {
				continue
			}
			fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(usage(s)), roff(sentence(s.Summary)))
			if s.Help != "" {
				b.WriteString(".IP\n" + roff(strings.TrimSpace(s.Help)) + "\n")
			}
			if len(s.Args) > 0 {
				b.WriteString(".RS\n")
				for _, row := range arguments(s) {
					fmt.Fprintf(&b, ".TP\n.I %s\n%s\n", roff(row[0]), roff(row[1]))
				}
				b.WriteString(".RE\n")
			}
			if len(s.Examples) > 0 {
				b.WriteString(".IP\n.nf\n")
				for _, example := range s.Examples {
					b.WriteString(roff(example) + "\n")
				}
				b.WriteString(".fi\n")
			}
		}
	}
	b.WriteString(".SH OPTIONS\n")
	for _, a := range Globals() {
		fmt.Fprintf(&b, ".TP\n.B %s\n%s\n", roff(flagUsage(a)), roff(sentence(a.Help)))
	}
	b.WriteString(".SH EXIT STATUS\n" + roff(exitCodes) + "\n")
	return b.String()
}

// exitCodes says what the exit codes mean.
const exitCodes = "0 done, 1 failed, 2 wrong arguments, 3 not running or not startable,\n4 not allowed, 5 out of time, 6 no such tab, terminal or session."

// roff escapes a text: a backslash, a hyphen that is not to become a dash, and the
// characters that begin a request at the start of a line.
func roff(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			lines[i] = `\&` + line
		}
	}
	return strings.Join(lines, "\n")
}
