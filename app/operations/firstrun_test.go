package operations

import (
	"os"
	"path/filepath"
	"testing"
)

func TestTheFirstRunIsShownOnce(t *testing.T) {
	dir := t.TempDir()
	f := NewFirstRun(dir)
	for range 2 {
		if !f.Wanted() {
			t.Error("the first run of all does not show the steps")
		}
	}
	if err := f.done(); err != nil {
		t.Fatal(err)
	}
	if f.Wanted() || NewFirstRun(dir).Wanted() {
		t.Error("the steps are shown again")
	}
	if NewFirstRun("").Wanted() || NewFirstRun("").done() != nil {
		t.Error("a run that keeps nothing shows steps that it cannot remember")
	}
	// A state folder that cannot be written: not again in this run, and the error says why.
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	f = NewFirstRun(file)
	if f.Wanted() || f.done() == nil {
		t.Error("a folder that is a file")
	}
}
