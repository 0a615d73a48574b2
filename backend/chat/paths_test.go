package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

func TestPaths(t *testing.T) {
	dir := t.TempDir()
	for _, name := range []string{
		"README.md", ".secret", "src/chat/Chat.svelte", "src/chat/chat.go", "src/other/notes about chat.txt", "node_modules/chat/index.js", "Chat.md",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	outside := t.TempDir()
	if err := os.WriteFile(filepath.Join(outside, "chat.key"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string][]string{
		"":              {"Chat.md", "README.md", "link", "src/"},
		"chat":          {"Chat.md", "src/chat/", "src/chat/Chat.svelte", "src/chat/chat.go", "src/other/notes about chat.txt"},
		"read":          {"README.md"},
		"src/chat/":     {"src/chat/", "src/chat/Chat.svelte", "src/chat/chat.go"},
		"SRC/Chat/chat": {"src/chat/Chat.svelte", "src/chat/chat.go"},
		".sec":          {".secret"},
		"../":           {},
		"nowhere":       {},
	} {
		got, err := completePath(t.Context(), dir, text)
		if err != nil {
			t.Fatal(err)
		}
		if text == "src/chat/" {
			slices.Sort(got)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%q is completed by %q, want %q", text, got, want)
		}
	}
	for i := range maxPathsFound + 10 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("many%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := completePath(t.Context(), dir, "many"); err != nil || len(got) != maxPathsFound {
		t.Errorf("%d paths, %v", len(got), err)
	}
	if got, err := completePath(t.Context(), filepath.Join(dir, "not made yet"), ""); err != nil || len(got) != 0 {
		t.Errorf("%q, %v", got, err)
	}
}
