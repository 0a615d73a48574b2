package session

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"
)

// A change is noticed however an editor makes it: in place, by a new file in the place
// of the old one, and through a symbolic link.
func TestFileChangesAreNoticed(t *testing.T) {
	dir, other := t.TempDir(), t.TempDir()
	path, target := filepath.Join(dir, "settings.toml"), filepath.Join(other, "mine.toml")
	put := func(path, text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	put(target, "0")
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	heard := make(chan string, 16)
	ended := make(chan error)
	go func() {
		ended <- watchFile(ctx, path, func() {
			text, _ := os.ReadFile(path)
			heard <- string(text)
		})
	}()
	wait := func(want string) {
		t.Helper()
		deadline := time.After(3 * time.Minute)
		for {
			select {
			case got := <-heard:
				if got == want {
					return
				}
			case <-deadline:
				t.Fatalf("%q was not noticed", want)
			}
		}
	}
	wait("0") // what was changed before
	put(target, "1")
	wait("1")
	put(filepath.Join(dir, "new"), "2")
	if err := os.Rename(filepath.Join(dir, "new"), path); err != nil {
		t.Fatal(err)
	}
	wait("2")
	put(filepath.Join(dir, "another file"), "x")
	put(path, "3")
	wait("3")
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func TestWatchWithoutFolder(t *testing.T) {
	if err := watchFile(t.Context(), filepath.Join(t.TempDir(), "gone", "x"), func() {}); err == nil {
		t.Error("a folder that there is not is watched")
	}
}
