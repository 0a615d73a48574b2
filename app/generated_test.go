package main_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

	// The third step takes the folder of what it writes.
	schemas := filepath.Join(dir, "schemas")
	run(t, "node", "frontend/ui/protocol/schemas.mjs", made, schemas)

	same(t, made, "../"+target)
	names := fileNames(t, schemas)
	if have := fileNames(t, "../frontend/ui/protocol/schemas"); !slices.Equal(names, have) {
		t.Errorf("frontend/ui/protocol/schemas has %v instead of %v: run make generate, and commit it", have, names)
	}
	for _, name := range names {
		same(t, filepath.Join(schemas, name), "../frontend/ui/protocol/schemas/"+name)
	}
}

// same compares a committed file with what the generator makes.
func same(t *testing.T, made, committed string) {
	t.Helper()
	fresh, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	have, err := os.ReadFile(committed)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	if !bytes.Equal(fresh, have) {
		t.Errorf("%s is stale: run make generate, and commit it", strings.TrimPrefix(committed, "../"))
	}
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	names := make([]string, len(entries))
	for i, entry := range entries {
		names[i] = entry.Name()
	}
	return names
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
