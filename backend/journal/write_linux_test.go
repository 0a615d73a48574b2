package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"pilotfish/backend/journal"
	"pilotfish/backend/journal/smalldisk"
)

// A full disk keeps the old file (THREATS, fault 9). For root (as in CI) the test
// uses a tmpfs of 64 KiB, for other users a limit of the file size.
func TestAFullDiskKeepsTheOldFile(t *testing.T) {
	t.Run("WriteFile", func(t *testing.T) { keepsTheOldFile(t, journal.WriteFile) })
	t.Run("ReplaceFile", func(t *testing.T) { keepsTheOldFile(t, journal.ReplaceFile) })
}

func keepsTheOldFile(t *testing.T, write func(string, []byte, fs.FileMode) error) {
	t.Helper()
	dir := t.TempDir()
	want := syscall.ENOSPC
	if os.Getuid() == 0 {
		smalldisk.Mount(t, dir, 64)
	} else {
		var limit syscall.Rlimit
		if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
			t.Fatal(err)
		}
		small := limit
		small.Cur = 64 << 10
		if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
				t.Errorf("restore the limit: %v", err)
			}
		})
		want = syscall.EFBIG
	}
	path := filepath.Join(dir, "state")
	old := bytes.Repeat([]byte("o"), 8<<10)
	if err := write(path, old, 0o600); err != nil {
		t.Fatal(err)
	}
	err := write(path, bytes.Repeat([]byte("n"), 128<<10), 0o600)
	if !errors.Is(err, want) {
		t.Fatalf("error %v, want %v", err, want)
	}
	if got, _ := os.ReadFile(path); !bytes.Equal(got, old) {
		t.Fatal("the old content is gone")
	}
	if entries, _ := os.ReadDir(dir); len(entries) != 1 {
		t.Fatalf("leftovers: %v", entries)
	}
}
