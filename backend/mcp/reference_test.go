package mcp

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

var update = flag.Bool("update", false, "write docs/reference/mcp.md anew")

// TestReference keeps docs/reference/mcp.md equal to the tools.
func TestReference(t *testing.T) {
	path := filepath.Join("..", "..", "docs", "reference", "mcp.md")
	specs := catalogue.Specs()
	want := []byte(reference(specs, tools(specs)))
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s differs from the tools (make generate writes it)", path)
	}
}

// reference returns the tools as Markdown.
func reference(specs []command.Spec, made []tool) string {
	var b strings.Builder
	b.WriteString(`# MCP tools

Generated from the registry (` + "`backend/command`, `backend/mcp`" + `) by ` + "`make generate`" + `. Do not edit.

` + "`pilotfish mcp`" + ` serves the tools over stdio, ` + "`/mcp`" + ` of the app's server over streamable HTTP. A caller with a tab of its
own may leave ` + "`tab`" + ` out. Every command of [commands.md](commands.md) can be run as a line of ` + "`browser_run`" + `.

A model gets these instructions (here for a caller without a tab of its own):

`)
	for line := range strings.Lines(instructions(Config{Specs: specs})) {
		b.WriteString("> " + strings.TrimSpace(line) + "\n")
	}
	for _, tool := range made {
		fmt.Fprintf(&b, "\n## %s\n\n**%s.** %s\n", tool.Name, tool.Annotations.Title, tool.Description)
		if tool.Annotations.ReadOnlyHint {
			b.WriteString("\nIt only reads.\n")
		}
		schema, ok := tool.InputSchema.(object)
		if !ok {
			continue
		}
		b.WriteString("\n| argument | type | |\n|---|---|---|\n")
		rows(&b, "", schema)
	}
	return b.String()
}

// rows writes the properties of a schema, and below a list those of its items.
func rows(b *strings.Builder, prefix string, schema object) {
	properties, _ := schema["properties"].(object)
	required, _ := schema["required"].([]string)
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		p, _ := properties[name].(object)
		var about []string
		if text, _ := p["description"].(string); text != "" {
			about = append(about, strings.TrimSuffix(text, ".")+".")
		}
		if slices.Contains(required, name) {
			about = append(about, "Required.")
		}
		if choices, _ := p["enum"].([]string); len(choices) > 0 {
			about = append(about, "One of `"+strings.Join(choices, "`, `")+"`.")
		}
		cell := strings.NewReplacer("|", `\|`, "<", "&lt;").Replace(strings.Join(about, " "))
		fmt.Fprintf(b, "| `%s` | %v | %s |\n", prefix+name, p["type"], cell)
		if items, _ := p["items"].(object); items["properties"] != nil {
			rows(b, prefix+name+"[].", items)
		}
	}
}
