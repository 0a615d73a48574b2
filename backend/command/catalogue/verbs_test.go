package catalogue_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pilotfish/backend/command"
	"pilotfish/backend/command/catalogue"
)

var update = flag.Bool("update", false, "write the verbs of Task anew")

// TestVerbsOfTask pins the input verbs that the panel uses: Task makes its
// actions, and their description for the model, from this file.
func TestVerbsOfTask(t *testing.T) {
	var verbs []command.Spec
	for _, spec := range catalogue.Specs() {
		if slices.Contains([]string{"keydown", "keyup", "mouse", "tap", "swipe", "pinch"}, spec.Name) {
			verbs = append(verbs, command.Spec{Name: spec.Name, Summary: spec.Summary, Args: spec.Args})
		}
	}
	want := encoded(t, verbs)
	path := filepath.Join("..", "..", "..", "extension", "src", "panel", "task", "core", "verbs.json")
	if *update {
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%v (go test ./backend/command/catalogue -update writes it)", err)
	}
	var got []command.Spec
	if err := json.Unmarshal(have, &got); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(encoded(t, got), want) {
		t.Errorf("%s differs from the registry (go test ./backend/command/catalogue -update, then npx prettier --write)", path)
	}
}

func encoded(t *testing.T, v any) []byte {
	t.Helper()
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	return append(data, '\n')
}
