package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"pilotfish/backend/config"
	"pilotfish/backend/protocol"
)

// The tables of sessions outlive a save of the other settings, also those that were
// written after the start.
func TestTablesOfSessionsAreKept(t *testing.T) {
	path := filepath.Join(t.TempDir(), "settings.toml")
	store, err := config.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte("font_size = 12\n[sessions.work]\nproxy = 'http://host:1'\n[sessions.work.geolocation]\nlatitude = 1.5\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	store.Reload()
	settings := store.Get()
	settings.FontSize = 20
	if _, err := store.Save(settings); err != nil {
		t.Fatal(err)
	}
	has := func(want ...string) {
		t.Helper()
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range want {
			if bare, not := strings.CutPrefix(text, "!"); not == strings.Contains(string(data), bare) {
				t.Errorf("%q in:\n%s", text, data)
			}
		}
	}
	has("font_size = 20", "proxy = 'http://host:1'", "latitude = 1.5")
	if err := store.SaveIdentity("home", protocol.SessionIdentity{Languages: []string{"de"}, Headers: []protocol.OriginHeader{{Origin: "https://a.example", Name: "X", Value: "y"}}}); err != nil {
		t.Fatal(err)
	}
	has("font_size = 20", "proxy = 'http://host:1'", "[sessions.home]", "languages = ['de']", "!user_agent")
	if err := store.SaveIdentity("work", protocol.SessionIdentity{}); err != nil {
		t.Fatal(err)
	}
	has("!http://host:1", "[sessions.home]", "https://a.example")
	if _, notice, err := config.Read(path); notice != nil || err != nil {
		t.Errorf("%v, %v", notice, err)
	}
	if err := os.Chmod(filepath.Dir(path), 0o500); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = os.Chmod(filepath.Dir(path), 0o700) }()
	if err := store.SaveIdentity("work", protocol.SessionIdentity{Color: "#000000"}); err == nil && os.Geteuid() != 0 {
		t.Error("a folder that cannot be written was written")
	}
}
