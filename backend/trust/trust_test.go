//go:build unix

package trust

import (
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
)

// put writes a file and the folders above it.
func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, dir, home string) Folder {
	t.Helper()
	f, err := Look(dir, home)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// Settings in the folder and above it count, up to the home folder, whose settings
// are the user's own.
func TestLook(t *testing.T) {
	home, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	project := filepath.Join(home, "src", "project")
	put(t, filepath.Join(project, "main.go"), "package main")
	put(t, filepath.Join(home, ".claude", "settings.json"), "{}")
	if f := look(t, project, home); len(f.Files) != 0 {
		t.Errorf("a folder without settings has %q", f.Files)
	}
	put(t, filepath.Join(home, "src", ".mcp.json"), "{}")
	put(t, filepath.Join(project, ".claude", "settings.local.json"), "{}")
	put(t, filepath.Join(project, ".opencode", "plugin", "p.js"), "")
	put(t, filepath.Join(project, ".opencode", "node_modules", "x.js"), "")
	if err := os.Symlink(home, filepath.Join(project, ".opencode", "loop")); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mkfifo(filepath.Join(project, "opencode.json"), 0o600); err != nil {
		t.Fatal(err)
	}
	want := []string{filepath.Join(project, ".claude", "settings.local.json"), filepath.Join(project, ".opencode", "plugin", "p.js"), filepath.Join(home, "src", ".mcp.json")}
	if f := look(t, project, home); !slices.Equal(f.Files, want) {
		t.Errorf("found %q, want %q", f.Files, want)
	}
	if f := look(t, home, home); len(f.Files) != 0 {
		t.Errorf("the home folder has %q", f.Files)
	}
	// A link leads to the same folder, and hides nothing.
	link := filepath.Join(home, "link")
	if err := os.Symlink(project, link); err != nil {
		t.Fatal(err)
	}
	if f := look(t, link, home); f.Path != project || !f.Same(look(t, project, home)) {
		t.Errorf("through a link it is %+v", f)
	}
}

// Trust is for the settings as they were: every change ends it, and undoing the
// change brings it back.
func TestTrustEndsWithAChange(t *testing.T) {
	home := t.TempDir()
	project, state := filepath.Join(home, "project"), filepath.Join(home, "trust.json")
	hooks := filepath.Join(project, ".claude", "settings.json")
	put(t, hooks, "{}")
	s := NewStore(state, slog.New(slog.DiscardHandler))
	if s.Trusts(look(t, project, home)) {
		t.Fatal("a folder is trusted that nobody was asked about")
	}
	if err := s.Trust(look(t, project, home)); err != nil {
		t.Fatal(err)
	}
	s = NewStore(state, slog.New(slog.DiscardHandler))
	if !s.Trusts(look(t, project, home)) {
		t.Error("a trusted folder is not trusted by the next start")
	}
	for name, change := range map[string]func(){
		"another content": func() { put(t, hooks, "{ }") },
		"another file":    func() { put(t, filepath.Join(project, ".mcp.json"), "{}") },
		"one file less":   func() { _ = os.Remove(hooks) },
	} {
		change()
		if s.Trusts(look(t, project, home)) {
			t.Errorf("%s: still trusted", name)
		}
		put(t, hooks, "{}")
		_ = os.Remove(filepath.Join(project, ".mcp.json"))
		if !s.Trusts(look(t, project, home)) {
			t.Errorf("%s, undone: not trusted", name)
		}
	}
}

// A file that is damaged or of a newer version is put aside, and trusts nothing.
func TestAFileThatCannotBeRead(t *testing.T) {
	home := t.TempDir()
	project, state := filepath.Join(home, "project"), filepath.Join(home, "trust.json")
	put(t, filepath.Join(project, ".mcp.json"), "{}")
	f := look(t, project, home)
	for _, text := range []string{"{", `{"version":99,"folders":{"` + f.Path + `":"` + f.sum + `"}}`, `{"version":1}`} {
		put(t, state, text)
		if NewStore(state, slog.New(slog.DiscardHandler)).Trusts(f) {
			t.Errorf("%s: trusted", text)
		}
		if got, err := os.ReadFile(state + ".bad"); err != nil || string(got) != text {
			t.Errorf("%s is not put aside: %q, %v", text, got, err)
		}
	}
}
