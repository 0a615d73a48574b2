package identity_test

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
	"pilotfish/backend/trust"
)

func TestFindProject(t *testing.T) {
	top := t.TempDir()
	file := put(t, filepath.Join(top, "repo", "pilotfish.toml"), nil)
	deep := filepath.Join(top, "repo", "a", "b")
	for _, dir := range []string{deep, filepath.Join(top, "repo", ".git")} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for from, want := range map[string]string{deep: file, filepath.Dir(file): file, top: ""} {
		if got := config.FindProject(from); got != want {
			t.Errorf("from %s: %q, want %q", from, got, want)
		}
	}
	// Without a work tree, a file above may be anybody's.
	above := put(t, filepath.Join(top, "pilotfish.toml"), nil)
	other := filepath.Join(top, "other")
	if err := os.Mkdir(other, 0o700); err != nil {
		t.Fatal(err)
	}
	if got := config.FindProject(other); got != "" {
		t.Errorf("%q", got)
	}
	if got := config.FindProject(top); got != above {
		t.Errorf("%q", got)
	}
	if a, b := identity.ProjectSession(file), identity.ProjectSession(above); a == b || !strings.HasPrefix(string(a), "repo-") {
		t.Errorf("%s, %s", a, b)
	}
	if _, err := protocol.ParseSessionName(string(identity.ProjectSession("/" + strings.Repeat("Ä very long name ", 9) + "/pilotfish.toml"))); err != nil {
		t.Error(err)
	}
}

// A repository cannot weaken the browser, and errors name the line.
func TestParseProject(t *testing.T) {
	for text, want := range map[string]string{
		"color = '#112233'\nproxy = 'http://h:1'\nstart_pages = ['http://localhost:3000/']": "",
		"\nflags = ['--mute-audio']":                                      "pilotfish.toml:2: flags: a repository cannot",
		"extensions = ['/tmp/e']":                                         "pilotfish.toml:1: extensions: a repository cannot",
		"ca_files = ['/tmp/ca.pem']":                                      "ca_files: a repository cannot",
		"accept = [{host='a', sha256='" + strings.Repeat("0", 64) + "'}]": "accept: a repository cannot",
		"proxy = 'http://a@h:1'\nproxy_secret = 's'":                      "proxy_secret: a repository cannot",
		"profile = 'copy:default'":                                        "profile: a repository cannot",
		"browser = 'in:default'":                                          "browser: a repository cannot",
		"start_pages = ['file:///etc/passwd']":                            "start_pages: \"file:///etc/passwd\" is not",
		"flags = ['--no-sandbox']":                                        "flags: \"--no-sandbox\" is refused",
		"\n\nstart_page = 'x'":                                            "pilotfish.toml:3: there is no setting",
		"color = 3":                                                       "pilotfish.toml:1:",
	} {
		_, err := identity.ParseProject([]byte(text))
		if (err == nil) != (want == "") || err != nil && (!strings.Contains(err.Error(), want) || protocol.AsError(err).Hint == "") {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

type asker struct {
	answer protocol.ApprovalAnswer
	asked  []protocol.Approval
	during func()
}

func (a *asker) Ask(_ context.Context, q protocol.Approval) (protocol.ApprovalAnswer, error) {
	a.asked = append(a.asked, q)
	if a.during != nil {
		a.during()
		a.during = nil
	}
	return a.answer, nil
}

// Nothing of the file acts before the user trusts its content, and they are asked once
// for each content.
func TestProjectIsTrusted(t *testing.T) {
	dir := t.TempDir()
	file := put(t, filepath.Join(dir, "pilotfish.toml"), []byte("proxy = 'http://ada:pw@proxy.test:1'\nlanguages = ['de']\n"))
	store := trust.NewStore(filepath.Join(t.TempDir(), "trust.json"), slog.New(slog.DiscardHandler))
	user := &asker{answer: protocol.AnswerDeny}
	folders := trust.NewFolders(store)
	for range 2 {
		if _, _, err := identity.Project(t.Context(), file, folders, user); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeRefused {
			t.Fatal(err)
		}
	}
	if len(user.asked) != 1 {
		t.Fatalf("asked %d times", len(user.asked))
	}
	shown := map[string]string{}
	for _, arg := range user.asked[0].Args {
		shown[arg.Name] = arg.Value
	}
	if shown["file"] != file || shown["proxy"] != "http://proxy.test:1" || shown["languages"] != `["de"]` {
		t.Errorf("%v", shown)
	}
	// The next run asks again. A file that changes while the user reads is asked about
	// again, too.
	user = &asker{answer: protocol.AnswerAlways, during: func() { put(t, file, []byte("languages = ['fr']\n")) }}
	for range 2 {
		name, id, err := identity.Project(t.Context(), file, trust.NewFolders(store), user)
		if err != nil || name != identity.ProjectSession(file) || id.Proxy != "" || id.Languages[0] != "fr" {
			t.Fatalf("%s, %+v, %v", name, id, err)
		}
	}
	if len(user.asked) != 2 {
		t.Errorf("asked %d times", len(user.asked))
	}
	put(t, file, []byte("languages = ['it']\n"))
	if _, _, err := identity.Project(t.Context(), file, trust.NewFolders(store), user); err != nil || len(user.asked) != 3 {
		t.Errorf("asked %d times, %v", len(user.asked), err)
	}
	// What is not such a file is not read.
	link := filepath.Join(t.TempDir(), "pilotfish.toml")
	if err := os.Symlink(file, link); err != nil {
		t.Fatal(err)
	}
	large := put(t, filepath.Join(t.TempDir(), "pilotfish.toml"), make([]byte, 65<<10))
	for _, bad := range []string{link, large, filepath.Join(dir, "settings.toml"), "pilotfish.toml", filepath.Join(dir, "x", "pilotfish.toml")} {
		if _, _, err := identity.Project(t.Context(), bad, folders, user); err == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
			t.Errorf("%s: %v", bad, err)
		}
	}
}
