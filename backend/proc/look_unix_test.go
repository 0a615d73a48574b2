//go:build unix

package proc

import (
	"os"
	"path/filepath"
	"testing"
)

// A program that another program of the user has put first on the PATH is not taken where
// there is one that it cannot replace, also when a link leads to it.
func TestLookPrefersWhatNobodyReplaces(t *testing.T) {
	home := t.TempDir()
	bin := filepath.Join(home, "bin")
	if err := os.Mkdir(bin, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(bin, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"sh", "only"} {
		if err := os.WriteFile(filepath.Join(bin, name), []byte("#!/bin/sh\n"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	linked := filepath.Join(home, "linked")
	if err := os.Mkdir(linked, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(bin, "sh"), filepath.Join(linked, "sh")); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{bin, linked} {
		t.Setenv("PATH", dir+":.:/usr/bin:/bin")
		got, err := Look("sh")
		if err != nil || filepath.Dir(got) != "/usr/bin" && filepath.Dir(got) != "/bin" {
			t.Errorf("with %s first it is %s, %v", dir, got, err)
		}
	}
	t.Setenv("PATH", bin)
	if got, err := Look("only"); err != nil || got != filepath.Join(bin, "only") || !Replaceable(got) {
		t.Errorf("where there is no other, it is %s, %v", got, err)
	}
	if _, err := Look("none"); err == nil {
		t.Error("what is not there was found")
	}
}
