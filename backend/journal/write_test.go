package journal_test

import (
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pilotfish/backend/journal"
)

func TestWriteFileReplacesWholeAndKeepsTheMode(t *testing.T) {
	path := filepath.Join(t.TempDir(), "state")
	for _, content := range []string{"first", "second, longer", ""} {
		if err := journal.WriteFile(path, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil || string(got) != content {
			t.Fatalf("content %q, %v; want %q", got, err, content)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, want 0600", info.Mode())
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 1 {
		t.Errorf("leftovers in the folder: %v, %v", entries, err)
	}
}

func TestWriteFileDoesNotFollowASymlink(t *testing.T) {
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "state")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	if err := journal.WriteFile(path, []byte("state"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "mine" {
		t.Errorf("the symlink's target was written: %q", got)
	}
}
