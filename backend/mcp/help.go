package mcp

import (
	"fmt"
	"slices"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
	"pilotfish/backend/protocol"
)

// find returns the spec of a command by name or alias.
func (b *toolbox) find(name string) (command.Spec, error) {
	for _, s := range b.specs {
		if s.Name == name || slices.Contains(s.Aliases, name) {
			return s, nil
		}
	}
	if _, err := catalogue.Find(name); err != nil {
		return command.Spec{}, err // the error suggests the nearest name
	}
	return command.Spec{}, protocol.NewError(protocol.CodeUnknownCommand, fmt.Sprintf("there is no command %.60q", name), "`help` lists the commands")
}

// helpFor returns the text of `help` and `help COMMAND`.
func (b *toolbox) helpFor(words []string) (string, error) {
	var out strings.Builder
	if len(words) == 0 {
		out.WriteString("Commands (help COMMAND says more; every command takes --tab tN and --timeout 10s):\n")
		for _, s := range b.specs {
			fmt.Fprintf(&out, "%s: %s\n", s.Name, s.Summary)
		}
		return out.String(), nil
	}
	for i, name := range words {
		s, err := b.find(name)
		if err != nil {
			return "", err
		}
		if i > 0 {
			out.WriteByte('\n')
		}
		describe(&out, s)
	}
	return out.String(), nil
}

func describe(out *strings.Builder, s command.Spec) {
	fmt.Fprintf(out, "usage: %s\n%s\n", s.Usage(), s.Summary)
	if help := s.About(); help != "" {
		out.WriteString(help + "\n")
	}
	if len(s.Aliases) > 0 {
		fmt.Fprintf(out, "also: %s\n", strings.Join(s.Aliases, ", "))
	}
	for _, a := range s.Args {
		name := a.Name
		if a.Flag {
			name = "--" + name
		}
		fmt.Fprintf(out, "%s: %s", name, a.Help)
		if len(a.Choices) > 0 {
			fmt.Fprintf(out, " (%s)", strings.Join(a.Choices, ", "))
		}
		if a.Default != "" {
			fmt.Fprintf(out, "; default %s", a.Default)
		}
		out.WriteByte('\n')
	}
	if s.Returns != "" {
		fmt.Fprintf(out, "returns: %s\n", s.Returns)
	}
	for _, e := range s.Examples {
		fmt.Fprintf(out, "example: %s\n", e)
	}
}
