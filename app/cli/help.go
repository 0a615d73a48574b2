package main

import (
	"context"
	"fmt"
	"runtime"
	"strings"

	"pilotfish/app/cli/say"
	"pilotfish/backend/protocol"
)

// upper writes the name of an argument as the usage does.
func upper(name string) string { return strings.ToUpper(strings.ReplaceAll(name, "_", "-")) }

// usage is a command with its arguments: "goto URL [--new]".
func usage(s spec) string {
	var b strings.Builder
	b.WriteString(s.name)
	for _, a := range s.places() {
		word := upper(a.name)
		if a.rest {
			word += "..."
		}
		if !a.required {
			word = "[" + word + "]"
		}
		b.WriteString(" " + word)
	}
	for _, a := range s.flags() {
		word := "--" + a.name
		if a.kind != kindBool {
			word += " " + upper(a.name)
		}
		if !a.required {
			word = "[" + word + "]"
		}
		b.WriteString(" " + word)
	}
	return b.String()
}

func (p *program) help(_ context.Context, in invocation) error {
	name := in.values["command"]
	if name == "" {
		return p.printHelp(spec{})
	}
	found, err := p.find(name)
	if err != nil {
		return err
	}
	return p.printHelp(found)
}

// printHelp prints the help of a command; without one that of the program.
func (p *program) printHelp(s spec) error {
	if s.name == "" {
		return p.print(p.overview())
	}
	return p.print(describe(s))
}

func (p *program) overview() string {
	var b strings.Builder
	b.WriteString("pilotfish drives the browser, and the app around it.\n\nUsage: pilotfish COMMAND [ARGUMENT ...] [OPTION ...]\n")
	for _, group := range groups() {
		var rows [][2]string
		for _, s := range p.all() {
			if s.group == group && !s.hidden {
				rows = append(rows, [2]string{usage(s), s.summary})
			}
		}
		table(&b, group, rows)
	}
	rows := make([][2]string, 0, 5)
	for _, a := range globals() {
		rows = append(rows, [2]string{flagUsage(a), a.help})
	}
	table(&b, "Options of every command", rows)
	b.WriteString("\nExit codes: 0 done, 1 failed, 2 wrong arguments, 3 not running or not startable,\n4 not allowed, 5 out of time, 6 no such tab, terminal or session.\n")
	return b.String()
}

func flagUsage(a arg) string {
	if a.kind == kindBool {
		return "--" + a.name
	}
	return "--" + a.name + " " + upper(a.name)
}

func describe(s spec) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Usage: pilotfish %s\n\n%s\n", usage(s), sentence(s.summary))
	if s.help != "" {
		b.WriteString("\n" + strings.TrimSpace(s.help) + "\n")
	}
	if len(s.aliases) > 0 {
		b.WriteString("\nAlso called: " + strings.Join(s.aliases, ", ") + "\n")
	}
	var rows [][2]string
	for _, a := range s.args {
		name := upper(a.name)
		if a.flag {
			name = flagUsage(a)
		}
		text := a.help
		if len(a.choices) > 0 {
			text += " (" + strings.Join(a.choices, ", ") + ")"
		}
		rows = append(rows, [2]string{name, text})
	}
	table(&b, "Arguments", rows)
	if len(s.examples) > 0 {
		b.WriteString("\nExamples:\n")
		for _, example := range s.examples {
			b.WriteString("  " + example + "\n")
		}
	}
	return b.String()
}

// sentence writes a summary as one.
func sentence(s string) string {
	if s == "" {
		return s
	}
	return strings.ToUpper(s[:1]) + s[1:] + "."
}

// table writes rows in two columns; a long first column has a line of its own.
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

func (p *program) version(_ context.Context, in invocation) error {
	if in.json {
		return p.printJSON(map[string]string{"version": version, "protocol": protocol.Version, "go": runtime.Version()})
	}
	return say.Version(p.stdout, version)
}
