package journal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"pilotfish/backend/journal"
)

func TestAFileIsReplacedWholeAndKeepsTheMode(t *testing.T) {
	t.Run("WriteFile", func(t *testing.T) { replacesWhole(t, journal.WriteFile) })
	t.Run("ReplaceFile", func(t *testing.T) { replacesWhole(t, journal.ReplaceFile) })
}

func replacesWhole(t *testing.T, write func(string, []byte, fs.FileMode) error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "state")
	for _, content := range []string{"first", "second, longer", ""} {
		if err := write(path, []byte(content), 0o600); err != nil {
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

func TestASymlinkIsNotFollowed(t *testing.T) {
	t.Run("WriteFile", func(t *testing.T) { leavesTheTarget(t, journal.WriteFile) })
	t.Run("ReplaceFile", func(t *testing.T) { leavesTheTarget(t, journal.ReplaceFile) })
}

func leavesTheTarget(t *testing.T, write func(string, []byte, fs.FileMode) error) {
	t.Helper()
	dir := t.TempDir()
	victim, path := filepath.Join(dir, "victim"), filepath.Join(dir, "state")
	if err := os.WriteFile(victim, []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(victim, path); err != nil {
		t.Fatal(err)
	}
	if err := write(path, []byte("state"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(victim); string(got) != "mine" {
		t.Errorf("the symlink's target was written: %q", got)
	}
}
