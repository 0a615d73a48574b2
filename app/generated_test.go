package main_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// The generated TypeScript is committed, so that reviews show changes of
// messages. It must be equal to what the generator makes of the current Go code.
func TestGeneratedTypeScriptIsFresh(t *testing.T) {
	const target = "frontend/ui/protocol/protocol.ts"
	dir := t.TempDir()
	config, err := os.ReadFile("../build/tygo.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(config), target) {
		t.Fatalf("build/tygo.yaml does not write %s", target)
	}
	made := filepath.Join(dir, "protocol.ts")
	configFile := filepath.Join(dir, "tygo.yaml")
	if err := os.WriteFile(configFile, []byte(strings.ReplaceAll(string(config), target, made)), 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "go", "tool", "-modfile=build/tools/go.mod", "tygo", "generate", "--config", configFile)

	// The second step works on the file in its own folder.
	refine, err := os.ReadFile("../frontend/ui/protocol/refine.mjs")
	if err != nil {
		t.Fatal(err)
	}
	step := filepath.Join(dir, "refine.mjs")
	if err := os.WriteFile(step, refine, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, "node", step)

	fresh, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile("../" + target)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, have) {
		t.Errorf("%s is stale: run make generate, and commit it", target)
	}
}

// run runs a program at the top of the tree.
func run(t *testing.T, name string, args ...string) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = ".."
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}
