package config_test

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

var update = flag.Bool("update", false, "write docs/reference/settings.md and testdata/registry.json anew")

// TestReference checks that docs/reference/settings.md, and the registry that the
// window's tests have, agree with the registry.
func TestReference(t *testing.T) {
	r := config.Registry("/home/ada/.config/pilotfish/settings.toml")
	var b strings.Builder
	b.WriteString(`# Settings

Generated from the registry (` + "`backend/config`" + `) by ` + "`make generate`" + `. Do not edit.

They are in ` + "`settings.toml`" + ` and on the page Settings of the window. An edit of the file counts as soon as it is saved.
An edit with a mistake changes nothing: the window and ` + "`pilotfish status`" + ` say where it is and what is allowed.
`)
	for _, g := range r.Groups {
		fmt.Fprintf(&b, "\n## %s\n\n| name | what | value | default |\n|---|---|---|---|\n", g.Title)
		for _, s := range r.Settings {
			if s.Group != g.ID {
				continue
			}
			value, err := json.Marshal(s.Default)
			if err != nil {
				t.Fatal(err)
			}
			empty := ""
			if s.Empty != "" {
				empty = " Empty: " + s.Empty + "."
			}
			fmt.Fprintf(&b, "| `%s` | %s: %s%s | %s | `%s` |\n", s.Name, s.Label, s.Explanation, empty, strings.TrimSpace(config.Allowed(s)+" "+s.Unit), value)
		}
	}
	registry, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string][]byte{
		filepath.Join("..", "..", "docs", "reference", "settings.md"): []byte(b.String()),
		filepath.Join("testdata", "registry.json"):                    append(registry, '\n'),
	} {
		if *update {
			if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, want, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		if have, err := os.ReadFile(path); err != nil || !bytes.Equal(have, want) {
			t.Errorf("%s differs from the registry (make generate writes it)", path)
		}
	}
}

// Every value of the settings is in the registry once, and everything in the registry
// is a value of the settings, with a default that is allowed.
func TestRegistryIsComplete(t *testing.T) {
	text, err := json.Marshal(config.Defaults())
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	routing, _ := values["chatRouting"].(map[string]any)
	delete(values, "chatRouting")
	for name, value := range routing {
		values["chatRouting."+name] = value
	}
	groups := map[string]bool{}
	r := config.Registry("/c/settings.toml")
	for _, g := range r.Groups {
		groups[g.ID] = true
	}
	for _, s := range r.Settings {
		if _, is := values[s.Field]; !is {
			t.Errorf("%s: there is no %s, or it is listed twice", s.Name, s.Field)
		}
		delete(values, s.Field)
		if !groups[s.Group] || s.Label == "" || !strings.HasSuffix(s.Explanation, ".") || s.Default == nil || config.Allowed(s) == "" {
			t.Errorf("%+v", s)
		}
		if s.When != nil && (s.When.Is == "") == (s.When.Not == "") {
			t.Errorf("%s: %+v", s.Name, s.When)
		}
	}
	for name := range values {
		t.Errorf("%s is not in the registry", name)
	}
}

// The file explains each setting, its limits and what empty means.
func TestFileExplainsItself(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	want := config.Defaults()
	want.ChatRouting.Models = map[protocol.AgentKind]protocol.ChatModels{"claude": {Fast: "haiku"}}
	if _, err := store.Save(want); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range config.Registry(path).Settings {
		if strings.Count(string(text), "# "+s.Explanation) != 1 {
			t.Errorf("%s is not explained once:\n%s", s.Name, text)
		}
	}
	for _, line := range []string{
		"# The terminal's font size. A whole number from 8 to 32 pixels.\nfont_size = 13",
		"# The first page of a session. Empty: the welcome page. Example: https://example.com/\nstart_url = ''",
	} {
		if !strings.Contains(string(text), line) {
			t.Errorf("the file lacks %q:\n%s", line, text)
		}
	}
}
