package trusting_test

import (
	"bytes"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/app/service/trusting"
	"pilotfish/backend/identity"
	"pilotfish/backend/protocol"
	"pilotfish/backend/trust"
)

func TestTrust(t *testing.T) {
	repo, env := t.TempDir(), map[string]string{}
	deep := filepath.Join(repo, "src")
	if err := os.MkdirAll(deep, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(repo, ".git"), 0o700); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(repo, "pilotfish.toml")
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	store := trust.NewStore(filepath.Join(t.TempDir(), "trust.json"), slog.New(slog.DiscardHandler))
	run := func(answer string, req trusting.Request) (string, error) {
		var out bytes.Buffer
		err := trusting.Run(t.Context(), trusting.Place{Getenv: func(name string) string { return env[name] }, Store: store, In: strings.NewReader(answer)}, req, &out)
		return out.String(), err
	}
	// trusted says whether the running app starts the session without a question.
	trusted := func() bool {
		_, _, err := identity.Project(t.Context(), file, trust.NewFolders(store), identity.Nobody{})
		return err == nil
	}
	refused := func(err error) bool {
		e := protocol.AsError(err)
		return e != nil && e.Code == protocol.CodeRefused && e.Hint != ""
	}

	if _, err := run("y\n", trusting.Request{Dir: deep}); protocol.AsError(err) == nil || !strings.Contains(err.Error(), "pilotfish.toml") {
		t.Errorf("no file: %v", err)
	}
	write("proxy = 'http://ada:hunter2@proxy.test:1'\nlanguages = ['de']\n")
	for _, no := range []string{"", "n\n", "\n", "yesterday\n"} {
		if out, err := run(no, trusting.Request{Dir: deep}); !refused(err) || trusted() || !strings.Contains(out, "proxy: http://proxy.test:1\n") || strings.Contains(out, "hunter2") {
			t.Errorf("%q: %s, %v", no, out, err)
		}
	}
	if out, err := run("y\n", trusting.Request{Dir: deep, JSON: true}); !refused(err) || trusted() || out != "" {
		t.Errorf("a program is asked: %q, %v", out, err)
	}
	env[protocol.EnvMark] = "x"
	if _, err := run("y\n", trusting.Request{Dir: deep, Yes: true}); !refused(err) || trusted() {
		t.Errorf("an agent: %v", err)
	}
	delete(env, protocol.EnvMark)

	out, err := run("Y\n", trusting.Request{Dir: deep})
	if err != nil || !trusted() || !strings.Contains(out, `languages: ["de"]`) || !strings.Contains(out, "is trusted until it changes") {
		t.Errorf("%s, %v", out, err)
	}
	// A change is another file.
	write("languages = ['fr']\n")
	if trusted() {
		t.Error("a changed file is trusted")
	}
	if out, err := run("", trusting.Request{Dir: repo, Yes: true, JSON: true}); err != nil || !trusted() || !strings.Contains(out, `"sets":{"languages":["fr"]},"trusted":true`) {
		t.Errorf("%s, %v", out, err)
	}
	write("flags = ['--no-sandbox']\n")
	if _, err := run("", trusting.Request{Dir: repo, Yes: true}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument {
		t.Errorf("a file with what is refused: %v", err)
	}
}

// Without a window, the error says which command to run.
func TestNobody(t *testing.T) {
	file := filepath.Join(t.TempDir(), "pilotfish.toml")
	if err := os.WriteFile(file, []byte("languages = ['de']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	folders := trust.NewFolders(trust.NewStore(filepath.Join(t.TempDir(), "trust.json"), slog.New(slog.DiscardHandler)))
	_, _, err := identity.Project(t.Context(), file, folders, identity.Nobody{})
	e := protocol.AsError(err)
	if e == nil || e.Code != protocol.CodeRefused || len(e.Next) != 1 || e.Next[0].Command != "trust" || e.Next[0].Args[0] != filepath.Dir(file) {
		t.Errorf("%+v", e)
	}
}

// Where an app without a window refuses a folder with settings for agents, the error names
// the command that trusts it, which shows the files and does not answer for an agent.
func TestTrustSettings(t *testing.T) {
	t.Setenv("HOME", t.TempDir())
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	hooks := filepath.Join(dir, ".claude", "settings.json")
	store, env := trust.NewStore(filepath.Join(t.TempDir(), "trust.json"), slog.New(slog.DiscardHandler)), map[string]string{}
	run := func(answer string, req trusting.Request) (string, error) {
		var out bytes.Buffer
		req.Dir, req.Agents = dir, true
		err := trusting.Run(t.Context(), trusting.Place{Getenv: func(name string) string { return env[name] }, Store: store, In: strings.NewReader(answer)}, req, &out)
		return out.String(), err
	}
	// start is what the running app does before an agent starts in the folder.
	start := func() error {
		may, err := trust.NewFolders(store).MayStart(t.Context(), trust.Nobody{}, protocol.Actor{}, "t1", dir)
		if err == nil && !may {
			t.Error("neither allowed nor an error")
		}
		return err
	}

	if _, err := run("y\n", trusting.Request{}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeBadArgument || start() != nil {
		t.Errorf("without settings: %v, %v", err, start())
	}
	if err := os.Mkdir(filepath.Dir(hooks), 0o700); err != nil {
		t.Fatal(err)
	}
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile(hooks, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("{}")
	e := protocol.AsError(start())
	if e == nil || e.Code != protocol.CodeRefused || len(e.Next) != 1 || e.Next[0].Line() != "trust "+dir+" --agents" {
		t.Errorf("untrusted: %+v", e)
	}
	if out, err := run("n\n", trusting.Request{}); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeRefused || start() == nil || !strings.Contains(out, "settings: "+hooks+"\n") {
		t.Errorf("no: %s, %v", out, err)
	}
	env[protocol.EnvMark] = "x"
	if _, err := run("y\n", trusting.Request{Yes: true}); err == nil || start() == nil {
		t.Error("an agent trusts")
	}
	delete(env, protocol.EnvMark)
	if out, err := run("y\n", trusting.Request{}); err != nil || start() != nil || !strings.Contains(out, "are trusted until they change") {
		t.Errorf("yes: %s, %v, %v", out, err, start())
	}
	write(`{"hooks": {}}`)
	if start() == nil {
		t.Error("changed settings are trusted")
	}
	if out, err := run("", trusting.Request{Yes: true, JSON: true}); err != nil || start() != nil || !strings.Contains(out, `"settings":["`+hooks+`"],"trusted":true`) {
		t.Errorf("as data: %s, %v", out, err)
	}
}
