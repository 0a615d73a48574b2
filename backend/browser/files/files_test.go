package files

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// Only the user can read a file of a command, and nobody can guess its name.
func TestSave(t *testing.T) {
	root := Folder{Path: filepath.Join(t.TempDir(), "files")}
	first, err := root.Save("har", "t1", "har", []byte("data"))
	if err != nil {
		t.Fatal(err)
	}
	second, err := root.Save("har", "t1", "har", nil)
	if err != nil || second.Path == first.Path || first.Bytes != 4 {
		t.Errorf("%+v and %+v, %v", first, second, err)
	}
	for path, want := range map[string]os.FileMode{first.Path: 0o600, filepath.Dir(first.Path): 0o700} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("%s: %v, %v", path, info, err)
		}
	}
	if raw, err := os.ReadFile(first.Path); err != nil || string(raw) != "data" {
		t.Errorf("it holds %q, %v", raw, err)
	}
}

// If nothing can be written, the error names the folder and says what to do.
func TestSaveInVain(t *testing.T) {
	if _, err := (Folder{}).Of("har"); err == nil {
		t.Error("no folder was refused by nobody")
	}
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Folder{Path: plain}.Save("har", "t1", "har", nil)
	if e := protocol.AsError(err); e.Code != protocol.CodeNotWritable || !strings.Contains(e.Error(), plain) || e.Hint == "" {
		t.Errorf("a folder that is a file: %v", err)
	}
}

// Replace leaves the old file or the new one, and no other file.
func TestReplace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "state")
	for _, text := range []string{"one", "two"} {
		if err := Replace(path, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != text {
			t.Errorf("it holds %q, %v", raw, err)
		}
	}
	// A folder cannot be replaced by a file.
	busy := filepath.Join(dir, "busy")
	if err := os.MkdirAll(filepath.Join(busy, "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := Replace(busy, nil); protocol.AsError(err).Code != protocol.CodeNotWritable {
		t.Errorf("a folder was replaced: %v", err)
	}
	if all, err := os.ReadDir(dir); err != nil || len(all) != 2 {
		t.Errorf("%v is left, %v", all, err)
	}
}

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"shop": true, "a_b-1": true, "": false, "..": false, "a/b": false, "A": false, "-a": false,
		strings.Repeat("a", 64): true, strings.Repeat("a", 65): false,
	} {
		if got := IsName(name); got != want {
			t.Errorf("%q is a name: %t", name, got)
		}
	}
}
