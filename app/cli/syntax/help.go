package syntax

import (
	"fmt"
	"strings"
)

// upper writes the name of an argument as in the usage line.
func upper(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", "-")) }

// usage returns a command with its arguments: "goto URL [--new]".
func usage(s Spec) string {
	var b strings.Builder
	b.WriteString(s.Name)
	for _, a := range s.Places() {
		word := upper(a.Name)
		if a.Rest {
			word += "..."
		}
		if !a.Required {
			word = "[" + word + "]"
		}
		b.WriteString(" " + word)
	}
	if s.Program {
		b.WriteString(" PROGRAM [ARGUMENTS...]")
	}
	for _, a := range s.Flags() {
		word := "--" + a.Name
		if a.Kind != KindBool {
			word += " " + upper(a.Name)
		}
		if !a.Required {
			word = "[" + word + "]"
		}
		b.WriteString(" " + word)
	}
	return b.String()
}

// Help returns the help of a command or, for an empty Spec, that of the program.
func (c Commands) Help(s Spec) string {
	if s.Name == "" {
		return c.overview()
	}
	return describe(s)
}

func (c Commands) overview() string {
	var b strings.Builder
	b.WriteString("pilotfish drives the browser, and the app around it.\n\nUsage: pilotfish COMMAND [ARGUMENT ...] [OPTION ...]\n")
	for _, group := range groups() {
		var rows [][2]string
		for _, s := range c.All() {
			if s.Group == group && !s.Hidden {
				rows = append(rows, [2]string{usage(s), s.Summary})
			}
		}
		table(&b, group, rows)
	}
	rows := make([][2]string, 0, 5)
	for _, a := range Globals() {
		rows = append(rows, [2]string{flagUsage(a), a.Help})
	}
	table(&b, "Options of every command", rows)
	b.WriteString("\nExit codes: " + exitCodes + "\n")
	return b.String()
}

func flagUsage(a Arg) string {
	if a.Kind == KindBool {
		return "--" + a.Name
	}
	return "--" + a.Name + " " + upper(a.Name)
}

func describe(s Spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: pilotfish %s\n\n%s\n", usage(s), sentence(s.Summary))
	if s.Help != "" {
		b.WriteString("\n" + strings.TrimSpace(s.Help) + "\n")
	}
	if len(s.Aliases) > 0 {
		b.WriteString("\nAlso called: " + strings.Join(s.Aliases, ", ") + "\n")
	}
	table(&b, "Arguments", arguments(s))
	if len(s.Examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, example := range s.Examples {
			b.WriteString("  " + example + "\n")
		}
	}
	return b.String()
}

// arguments returns the arguments of a command, each with what it is for.
func arguments(s Spec) [][2]string {
	var rows [][2]string
	for _, a := range s.Args {
		name := upper(a.Name)
		if a.Flag {
			name = flagUsage(a)
		}
		text := a.Help
		if len(a.Choices) > 0 {
			text += " (" + strings.Join(a.Choices, ", ") + ")"
		}
		rows = append(rows, [2]string{name, text})
	}
	return rows
}

// sentence writes a summary as a sentence.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// table writes rows in two columns; a long first column gets its own line.
func table(b *strings.Builder, title string, rows [][2]string) {
	const column = 26
	if len(rows) == 0 {
		return
	}
	b.WriteString("\n" + title + ":\n")
	for _, row := range rows {
		if len(row[0]) > column-2 {
			fmt.Fprintf(b, "  %s\n  %*s%s\n", row[0], column, "", row[1])
			continue
		}
		fmt.Fprintf(b, "  %-*s%s\n", column, row[0], row[1])
	}
}
