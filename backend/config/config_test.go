package config_test

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

func dirs(t *testing.T) config.Dirs {
	t.Helper()
	d, err := config.UserDirs(func(name string) string {
		if name == protocol.EnvHome {
			return filepath.Join(t.TempDir(), "home")
		}
		return ""
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestFoldersAreOurs(t *testing.T) {
	d := dirs(t)
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	s, err := d.Session("work")
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{d.Config, d.State, d.LogDir(), d.ProcessDir(), s.Root, s.Agent, s.Work, s.Profile, s.Downloads, s.Screenshots, s.Extension} {
		info, err := os.Stat(dir)
		if err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%s: %v, mode %v, want 0700", dir, err, info.Mode())
		}
	}
	names, err := d.Sessions()
	if err != nil || len(names) != 1 || names[0] != "work" {
		t.Errorf("Sessions() = %v, %v", names, err)
	}
	if err := d.RemoveSession("work"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(s.Root); err == nil {
		t.Error("the session's folder is still there")
	}
	if err := d.RemoveSession("../x"); err == nil {
		t.Error("a name that leads elsewhere was taken")
	}
}

// The folder of the browsers' sockets has a short path, is hidden from agents, and is
// emptied of what an earlier run left.
func TestTemporaryDir(t *testing.T) {
	long := config.Dirs{Config: "/c", State: "/" + strings.Repeat("long/", 20)}
	if dir := long.TemporaryDir(); len(dir) > 49 || !slices.Contains(long.Hidden(protocol.Settings{}), dir) {
		t.Errorf("with a long state: %s of %d bytes, hidden %q", dir, len(dir), long.Hidden(protocol.Settings{}))
	}
	if dir := (config.Dirs{State: "/home/somebody/.local/state/pilotfish"}).TemporaryDir(); dir != "/home/somebody/.local/state/pilotfish/tmp" {
		t.Errorf("as usual: %s", dir)
	}
	d := dirs(t)
	if err := d.Prepare(); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(d.TemporaryDir(), "17", "org.chromium.Chromium.x"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := d.EmptyTemporary(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(d.TemporaryDir())
	left, readErr := os.ReadDir(d.TemporaryDir())
	if err != nil || readErr != nil || info.Mode().Perm() != 0o700 || len(left) > 0 {
		t.Errorf("%v, %v, %v, %v", info, err, left, readErr)
	}
	if err := os.RemoveAll(d.TemporaryDir()); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), d.TemporaryDir()); err != nil {
		t.Fatal(err)
	}
	if err := d.EmptyTemporary(); err == nil {
		t.Error("a link in its place was taken")
	}
}

// TestPlantedFolders creates folders that an attacker could create before the first
// start.
func TestPlantedFolders(t *testing.T) {
	t.Run("a symlink", func(t *testing.T) {
		d := dirs(t)
		elsewhere := t.TempDir()
		if err := os.MkdirAll(filepath.Dir(d.State), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(elsewhere, d.State); err != nil {
			t.Fatal(err)
		}
		if err := d.Prepare(); err == nil || protocol.AsError(err).Code != protocol.CodeNotWritable {
			t.Errorf("Prepare() = %v, want CodeNotWritable", err)
		}
	})
	t.Run("open to all", func(t *testing.T) {
		d := dirs(t)
		if err := os.MkdirAll(d.State, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(d.State, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := d.Prepare(); err != nil {
			t.Fatal(err)
		}
		if info, err := os.Stat(d.State); err != nil || info.Mode().Perm() != 0o700 {
			t.Errorf("%v, mode %v, want 0700", err, info.Mode())
		}
	})
	t.Run("a file", func(t *testing.T) {
		d := dirs(t)
		if err := os.MkdirAll(filepath.Dir(d.State), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(d.State, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		err := d.Prepare()
		if protocol.AsError(err).Hint == "" {
			t.Errorf("Prepare() = %v, want an error that says what to do", err)
		}
	})
	t.Run("of another user", func(t *testing.T) {
		if os.Geteuid() != 0 {
			t.Skip("only root can give a folder away")
		}
		d := dirs(t)
		if err := os.MkdirAll(d.State, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.Chown(d.State, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := d.Prepare(); err == nil || !strings.Contains(err.Error(), "another user") {
			t.Errorf("Prepare() = %v", err)
		}
	})
}

func TestConventions(t *testing.T) {
	t.Setenv("HOME", "/home/someone")
	d, err := config.UserDirs(func(name string) string {
		return map[string]string{"XDG_CONFIG_HOME": "/cfg", "XDG_STATE_HOME": "relative/does/not/count"}[name]
	})
	if err != nil || d.Config != "/cfg/pilotfish" || d.State != "/home/someone/.local/state/pilotfish" {
		t.Errorf("UserDirs() = %+v, %v", d, err)
	}
}

func same(a, b protocol.Settings) bool { return reflect.DeepEqual(a, b) }

func TestSettingsSurvive(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, err := config.Open(path)
	if err != nil || problem(store) != nil || !same(store.Get(), config.Defaults()) {
		t.Fatalf("Open of nothing: %v, %v, %+v", err, problem(store), store.Get())
	}
	want := config.Defaults()
	want.Agent, want.AgentCommand, want.AgentArgs = protocol.AgentCustom, `my-agent "with quotes"`, "--fast 'a b'"
	want.FontSize, want.TerminalGraceMinutes, want.StartURL, want.EveryTab = 15, 0, "https://example.com/", true
	want.ChatAgent, want.ChatSilenceMinutes = "gemini", 9
	want.CDPAllow, want.CDPAllowAgents = "Page.captureScreenshot DOM.focus", "DOM.focus"
	want.ChatRouting = protocol.ChatRouting{
		Strong: []string{"why", "read … and …"}, LongText: 10,
		Models: map[protocol.AgentKind]protocol.ChatModels{"claude": {Fast: "haiku"}, "gemini": {Fast: "flash", Strong: "pro"}},
	}
	if got, err := store.Save(want); err != nil || !same(got, want) {
		t.Fatalf("Save: %v, %+v", err, got)
	}
	again, err := config.Open(path)
	if err != nil || problem(again) != nil || !same(again.Get(), want) {
		t.Errorf("Open: %v, %v, %+v, want %+v", err, problem(again), again.Get(), want)
	}
	data, err := os.ReadFile(path)
	if err != nil || !strings.Contains(string(data), "# The terminal's font size") {
		t.Errorf("the file does not explain itself (%v):\n%s", err, data)
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, mode %v, want 0600", err, info.Mode())
	}
}

func TestWrongSettingsChangeNothing(t *testing.T) {
	plain := filepath.Join(t.TempDir(), "plain")
	if err := os.WriteFile(plain, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for field, spoil := range map[string]func(*protocol.Settings){
		"cdpAllow":             func(s *protocol.Settings) { s.CDPAllow = "Page.captureScreenshot, everything" },
		"cdpAllowAgents":       func(s *protocol.Settings) { s.CDPAllowAgents = "*" },
		"fontSize":             func(s *protocol.Settings) { s.FontSize = 7 },
		"terminalGraceMinutes": func(s *protocol.Settings) { s.TerminalGraceMinutes = -1 },
		"chatAgent":            func(s *protocol.Settings) { s.ChatAgent = protocol.AgentShell },
		"chatCommand":          func(s *protocol.Settings) { s.ChatAgent = protocol.AgentCustom },
		"chatSilenceMinutes":   func(s *protocol.Settings) { s.ChatSilenceMinutes = 0 },
		"chatRouting":          func(s *protocol.Settings) { s.ChatRouting.LongText = -1 },
		"agent":                func(s *protocol.Settings) { s.Agent = "" },
		"agentCommand":         func(s *protocol.Settings) { s.Agent = protocol.AgentCustom },
		"startUrl":             func(s *protocol.Settings) { s.StartURL = "javascript:alert(1)" },
		"browserPath":          func(s *protocol.Settings) { s.BrowserPath = plain },
		"profileDir":           func(s *protocol.Settings) { s.ProfileDir = "relative" },
		"notifyUrl":            func(s *protocol.Settings) { s.NotifyURL = "http://ntfy.example/s3cret" },
		"workDir":              func(s *protocol.Settings) { s.WorkDir = "/nowhere/at/all" },
	} {
		store, err := config.Open(filepath.Join(t.TempDir(), "settings.toml"))
		if err != nil {
			t.Fatal(err)
		}
		settings := config.Defaults()
		spoil(&settings)
		_, err = store.Save(settings)
		wrong, ok := errors.AsType[*config.FieldError](err)
		if !ok || wrong.Field() != field || protocol.AsError(err).Hint == "" {
			t.Errorf("%s: Save() = %v, want an error about this field that says what to do", field, err)
		}
		if !same(store.Get(), config.Defaults()) {
			t.Errorf("%s: the settings changed to %+v", field, store.Get())
		}
	}
}

func problem(s *config.Store) *protocol.SettingsProblem {
	p, _ := s.Problem()
	return p
}

// A file with a mistake stays where it is. What is wrong is said with its line and with
// what is allowed; a save keeps the file beside the new one.
func TestMistakesInTheFile(t *testing.T) {
	for name, c := range map[string]struct {
		text    string
		line    int
		setting string
		allowed string
	}{
		"not TOML":     {"agent = ", 1, "agent", `"auto", "claude"`},
		"zeros":        {"\x00\x00\x00", 1, "", "one setting on each line"},
		"newer":        {"version = 99\n", 1, "version", "version = 1"},
		"wrong type":   {"every_tab = true\nfont_size = \"big\"\n", 2, "font_size", "a whole number from 8 to 32"},
		"out of range": {"\n\n# big\n font_size = 99\n", 4, "font_size", "a whole number from 8 to 32 pixels"},
		"no such word": {"theme = 'pink'\n", 1, "theme", `"system", "light" or "dark"`},
		"of a table":   {"[chat_models]\nclaude = 3\n", 2, "chat_models", "a table for each agent"},
		"in a table":   {"chat_long_text = -1\n", 1, "chat_long_text", "0 to 1000000 characters"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "settings.toml")
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			store, err := config.Open(path)
			if err != nil || !same(store.Get(), config.Defaults()) {
				t.Fatalf("Open() = %v, %+v", err, store)
			}
			p := problem(store)
			if p == nil || p.Line != c.line || p.Name != c.setting || !strings.Contains(p.Allowed, c.allowed) || p.Message == "" || p.File != path {
				t.Errorf("the problem is %+v", p)
			}
			if kept, err := os.ReadFile(path); err != nil || string(kept) != c.text {
				t.Errorf("the file was touched: %q, %v", kept, err)
			}
			if _, err := store.Save(store.Get()); err != nil || problem(store) != nil {
				t.Fatal(err, problem(store))
			}
			kept, err := os.ReadFile(path + ".bad")
			if err != nil || string(kept) != c.text {
				t.Errorf("the file was not kept: %q, %v", kept, err)
			}
		})
	}
}

// After a wrong edit the last valid settings stay in force, also in the next run, until
// the file is mended.
func TestLastValidSettingsStayInForce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	edit := func(text string) {
		t.Helper()
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	edit("font_size = 20\n")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	var heard []int
	store.OnChange(func(s protocol.Settings) { heard = append(heard, s.FontSize) })
	store.Reload()
	edit("font_size = 21\n")
	if _, err := store.Save(store.Get()); protocol.AsError(err) == nil || protocol.AsError(err).Code != protocol.CodeChanged {
		t.Errorf("a save over an edit: %v", err)
	}
	edit("font_size = 2\n")
	store.Reload()
	again, err := config.Open(path)
	if err != nil || again.Get().FontSize != 21 || problem(again) == nil || store.Get().FontSize != 21 || problem(store) == nil {
		t.Errorf("after a wrong edit: %v, %d, %d", err, store.Get().FontSize, again.Get().FontSize)
	}
	edit("font_size = 22\n")
	store.Reload()
	if problem(store) != nil || store.Get().FontSize != 22 || !slices.Equal(heard, []int{21, 21, 22}) {
		t.Errorf("after it was mended: %+v, %d, heard %v", problem(store), store.Get().FontSize, heard)
	}
}

// A misspelt setting affects only itself: the other settings apply, the notice
// suggests what was meant, and the user's text is kept.
func TestUnknownSettingsCostOnlyThemselves(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	const text = "fontsize = 20\nevery_tab = true\ncolour = \"red\"\n\n[chat_models.claude]\nfast = \"haiku\"\nslow = \"x\"\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	store, err := config.Open(path)
	notice := problem(store)
	if err != nil || notice == nil || !notice.Unknown || notice.Line != 1 {
		t.Fatalf("Open() = %v, problem %+v", err, notice)
	}
	for _, want := range []string{`"fontsize" (did you mean font_size?)`, `"colour"`, `"chat_models.claude.slow"`} {
		if !strings.Contains(notice.Message, want) {
			t.Errorf("the notice is %q, without %s", notice.Message, want)
		}
	}
	if got := store.Get(); !got.EveryTab || got.FontSize != config.Defaults().FontSize || got.ChatRouting.Models["claude"].Fast != "haiku" {
		t.Errorf("the settings are %+v", got)
	}
	if kept, err := os.ReadFile(path); err != nil || string(kept) != text {
		t.Errorf("the file was touched: %q, %v", kept, err)
	}
	for range 2 { // the second save does not lose what the first one kept
		if _, err := store.Save(store.Get()); err != nil {
			t.Fatal(err)
		}
	}
	if kept, err := os.ReadFile(path + ".bak"); err != nil || string(kept) != text {
		t.Errorf("what the person wrote is gone: %q, %v", kept, err)
	}
	if again, err := config.Open(path); err != nil || problem(again) != nil || !again.Get().EveryTab {
		t.Errorf("after a save: %v", err)
	}
}

func TestFullDiskKeepsTheOldSettings(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := store.Save(config.Defaults()); err != nil {
		t.Fatal(err)
	}
	// A folder at this path represents every reason why a file cannot be replaced.
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(path, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	changed := config.Defaults()
	changed.FontSize = 20
	if _, err := store.Save(changed); protocol.AsError(err).Code != protocol.CodeNotWritable {
		t.Errorf("Save() = %v, want CodeNotWritable", err)
	}
	if store.Get().FontSize == 20 {
		t.Error("settings that were not written are in force")
	}
}
