package chat

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"pilotfish/backend/protocol"
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
	m := &Manager{config: Config{WorkDir: func() string { return dir }}}
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
		got, err := m.Paths(t.Context(), protocol.ChatPathsRequest{Text: text})
		if err != nil {
			t.Fatal(err)
		}
		if text == "src/chat/" {
			slices.Sort(got.Paths)
		}
		if !slices.Equal(got.Paths, want) {
			t.Errorf("%q is completed by %q, want %q", text, got.Paths, want)
		}
	}
	for i := range chatPathsMax + 10 {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("many%d", i)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := m.Paths(t.Context(), protocol.ChatPathsRequest{Text: "many"}); err != nil || len(got.Paths) != chatPathsMax {
		t.Errorf("%d paths, %v", len(got.Paths), err)
	}
	gone := &Manager{config: Config{WorkDir: func() string { return filepath.Join(dir, "not made yet") }}}
	if got, err := gone.Paths(t.Context(), protocol.ChatPathsRequest{}); err != nil || len(got.Paths) != 0 {
		t.Errorf("%q, %v", got.Paths, err)
	}
}
