package catalogue

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/protocol"
)

// What an agent gives to a page is a copy, and nothing that it could not read itself.
func TestUploadsOfAgents(t *testing.T) {
	t.Parallel()
	home := t.TempDir()
	write := func(name, text string) string {
		path := filepath.Join(home, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return path
	}
	link := func(to, name string) string {
		path := filepath.Join(home, name)
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	token := write("state/pilotfish.json", "token")
	shot := write("state/sessions/a/screenshots/t1.png", "shot")
	report := write("project/report.csv", "a,b")
	write("project/dir/one.txt", "one")
	write("project/dir/sub/two.txt", "two")
	write("other/report.csv", "c,d")
	u := Uploads{
		Dir: filepath.Join(home, "state", "uploads"), Private: []string{filepath.Join(home, "state"), filepath.Join(home, "config")},
		Open: []string{filepath.Join(home, "state", "sessions", "a", "screenshots")},
	}
	for name, code := range map[string]protocol.Code{
		token: protocol.CodeForbidden, filepath.Join(home, "project", "..", "state", "pilotfish.json"): protocol.CodeForbidden,
		filepath.Join(home, "state"): protocol.CodeForbidden, home: protocol.CodeForbidden,
		link(token, "link.txt"): protocol.CodeForbidden, link(filepath.Join(home, "state"), "folder") + "/pilotfish.json": protocol.CodeForbidden,
		filepath.Join(home, "state", "none"): protocol.CodeForbidden,
		link(report, "again.csv"):            protocol.CodeBadArgument, filepath.Join(home, "none"): protocol.CodeBadArgument,
	} {
		if got, err := u.copies([]string{report, name}); err == nil || protocol.AsError(err).Code != code {
			t.Errorf("%s: %v, %v, want %s", name, got, err, code)
		}
	}
	got, err := u.copies([]string{report, filepath.Join(home, "other", "report.csv"), shot, filepath.Join(home, "project", "dir")})
	if err != nil {
		t.Fatal(err)
	}
	// The agent puts something else in their place.
	for _, path := range []string{report, filepath.Join(home, "project", "dir", "one.txt")} {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(token, path); err != nil {
			t.Fatal(err)
		}
	}
	for i, want := range map[string]string{got[0]: "a,b", got[1]: "c,d", got[2]: "shot", got[3] + "/one.txt": "one", got[3] + "/sub/two.txt": "two"} {
		if data, err := os.ReadFile(i); err != nil || string(data) != want {
			t.Errorf("%s has %q, %v", i, data, err)
		}
	}
	if filepath.Base(got[0]) != "report.csv" || filepath.Base(got[3]) != "dir" || !strings.HasPrefix(got[0], u.Dir) {
		t.Errorf("they are called %v", got)
	}
	// A link in a folder leads nowhere.
	if got, err := u.copies([]string{filepath.Join(home, "project", "dir")}); err == nil {
		t.Errorf("a folder with a link: %v", got)
	}
}
