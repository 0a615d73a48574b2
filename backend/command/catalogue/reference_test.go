package catalogue_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

// TestReference keeps docs/reference/commands.md equal to the registry.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "..", "docs", "reference", "commands.md")
	want := []byte(reference(catalogue.Specs()))
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s differs from the registry (make generate writes it)", path)
	}
}

// reference returns the commands as Markdown.
func reference(specs []command.Spec) string {
	var b strings.Builder
	b.WriteString(`# Commands of the browser

Generated from the registry (` + "`backend/command`" + `) by ` + "`make generate`" + `. Do not edit.

Each command has the same name and arguments everywhere: ` + "`pilotfish NAME …`" + ` in a shell, ` + "`POST /command`" + ` over HTTP
([http.md](http.md)), and a line of ` + "`browser_run`" + ` over MCP ([mcp.md](mcp.md)). Every command also takes ` + "`--tab`, `--session`" + `
and ` + "`--timeout`" + ` on the command line. The commands of the program itself are in [cli.md](cli.md).

The scope says who may run a command: ` + "`read` and `act`" + ` are in every agent's token; ` + "`sensitive`" + ` waits for the user's
approval, unless a site rule decides; ` + "`admin`" + ` is for the user's own shell only.

| command | scope | |
|---|---|---|
`)
	for _, s := range specs {
		fmt.Fprintf(&b, "| [`%s`](#%s) | %s | %s |\n", s.Name, s.Name, s.Scope, cell(s.Summary))
	}
	for _, s := range specs {
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n\n%s.", s.Name, s.Usage(), strings.ToUpper(s.Summary[:1])+s.Summary[1:])
		if help := s.About(); help != "" {
			b.WriteString(" " + strings.Join(strings.Fields(help), " "))
		}
		b.WriteString("\n")
		if len(s.Args) > 0 {
			b.WriteString("\n| argument | type | |\n|---|---|---|\n")
		}
		for _, a := range s.Args {
			fmt.Fprintf(&b, "| `%s` | %s | %s |\n", argument(a), a.Type, cell(about(a)))
		}
		fmt.Fprintf(&b, "\n- Scope: `%s`\n", s.Scope)
		if s.Returns != "" {
			fmt.Fprintf(&b, "- Returns: %s\n", s.Returns)
		}
		if len(s.Aliases) > 0 {
			fmt.Fprintf(&b, "- Also called: `%s`\n", strings.Join(s.Aliases, "`, `"))
		}
		for _, example := range s.Examples {
			fmt.Fprintf(&b, "- Example: `pilotfish %s`\n", example)
		}
	}
	return b.String()
}

func argument(a command.Arg) string {
	if a.Flag {
		return "--" + a.Name
	}
	return a.Name
}

// about returns the full description of an argument.
func about(a command.Arg) string {
	parts := []string{a.Help}
	if a.Required {
		parts = append(parts, "Required.")
	}
	if len(a.Choices) > 0 {
		parts = append(parts, "One of `"+strings.Join(a.Choices, "`, `")+"`.")
	}
	if a.Min != 0 || a.Max != 0 {
		parts = append(parts, fmt.Sprintf("From %d to %d.", a.Min, a.Max))
	}
	if a.Default != "" {
		parts = append(parts, "Default: "+a.Default+".")
	}
	if len(parts) > 1 && !strings.HasSuffix(a.Help, ".") {
		parts[0] += "."
	}
	return strings.Join(parts, " ")
}

// cell escapes text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "<", "&lt;").Replace(text)
}
