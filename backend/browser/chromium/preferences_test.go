package chromium

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
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
			if got := Clickable(dir); got != c.want {
				t.Errorf("Clickable is %t", got)
			}
			if c.want && !Clickable(dir) {
				t.Error("and not the next time")
			}
		})
	}
}

// A switch that names a size would hold at every start; see placement.
func TestNewProfileHasAPlacement(t *testing.T) {
	c := Options{ProfileDir: t.TempDir()}
	if !Clickable(c.ProfileDir) {
		t.Fatal("the profile was not written")
	}
	raw, err := os.ReadFile(filepath.Join(c.ProfileDir, "Default", "Preferences"))
	var known struct {
		Browser struct {
			Placement map[string]any `json:"window_placement"`
		} `json:"browser"`
	}
	if err == nil {
		err = json.Unmarshal(raw, &known)
	}
	// Without "maximized" Chromium ignores the whole placement (observed).
	if at := known.Browser.Placement; err != nil || at["right"] != 1370.0 || at["work_area_right"] != 1360.0 || at["maximized"] != false {
		t.Errorf("the preferences are %s (%v)", raw, err)
	}
	for _, a := range args(&c) {
		if strings.HasPrefix(a, "--window-") || a == "--start-maximized" {
			t.Errorf("%s is given", a)
		}
	}
}

// An extension that was loaded for a task is forgotten, and nothing else is.
func TestUnload(t *testing.T) {
	profile := t.TempDir()
	path := filepath.Join(profile, "Default", "Preferences")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	const kept = `{"extensions":{"settings":{"` + protocol.ExtensionID + `":{"location":%s,"path":"/x"},"other":{"location":4}}},"n":12345678901234567890}`
	for location, want := range map[string]string{
		"4": `{"extensions":{"settings":{"` + protocol.ExtensionID + `":{"open_side_panel_on_icon_click":true},"other":{"location":4}}},"n":12345678901234567890}`,
		"8": fmt.Sprintf(kept, "8"),
	} {
		if err := os.WriteFile(path, fmt.Appendf(nil, kept, location), 0o600); err != nil {
			t.Fatal(err)
		}
		if !Unload(profile) {
			t.Errorf("location %s: it failed", location)
		}
		if raw, err := os.ReadFile(path); err != nil || string(raw) != want {
			t.Errorf("location %s: %s, %v", location, raw, err)
		}
	}
	if !Unload(t.TempDir()) {
		t.Error("a new profile cannot be used")
	}
}
