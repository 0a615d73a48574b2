package browser

import (
	"os"
	"path/filepath"
	"testing"

	"pilotfish/backend/protocol"
)

func TestClickable(t *testing.T) {
	const known = `{"extensions":{"settings":{"` + protocol.ExtensionID + `":{"open_side_panel_on_icon_click":true}}}}`
	for _, c := range []struct {
		name, preferences, state string
		want                     bool
	}{
		{"a new profile", "", "", true},
		{"one that the worker ran in", known, `{"profile":{"last_used":"Default"}}`, true},
		{"one that it never ran in", `{"extensions":{}}`, "", false},
		{"one that cannot be read", `{`, "", false},
		{"one with another profile in front", known, `{"profile":{"last_used":"Profile 1"}}`, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			write := func(path, text string) {
				t.Helper()
				if text == "" {
					return
				}
				path = filepath.Join(dir, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			write("Default/Preferences", c.preferences)
			write("Local State", c.state)
			if got := clickable(dir); got != c.want {
				t.Errorf("clickable is %t", got)
			}
			if c.want && !clickable(dir) {
				t.Error("and not the next time")
			}
		})
	}
}
