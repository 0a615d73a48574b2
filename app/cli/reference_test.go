package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/reference/cli.md anew")

// TestReference checks that docs/reference/cli.md agrees with the help of the
// program's own commands.
func TestReference(t *testing.T) {
	var b strings.Builder
	b.WriteString(`# Commands of the program

Generated from the help of ` + "`pilotfish`" + ` (` + "`app/cli`" + `) by ` + "`make generate`" + `. Do not edit.

These commands are about the app, its agents and the shell. The commands of the browser are in
[commands.md](commands.md); ` + "`pilotfish help`" + ` lists both.

Exit codes: 0 done, 1 failed, 2 wrong arguments, 3 not running or not startable, 4 not allowed, 5 out of time, 6 no such
tab, terminal or session.
`)
	for _, command := range builtins() {
		if command.Hidden {
			continue
		}
		var help strings.Builder
		p := newProgram()
		p.stdout = &help
		if code := p.run([]string{"help", command.Name}); code != 0 {
			t.Fatalf("help %s: exit %d", command.Name, code)
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n%s\n```\n", command.Name, strings.TrimSpace(help.String()))
	}
	path := filepath.Join("..", "..", "docs", "reference", "cli.md")
	want := []byte(b.String())
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(have, want) {
		t.Errorf("%s differs from the help (make generate writes it)", path)
	}
}
