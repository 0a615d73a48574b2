package chromium

import (
	"bytes"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/backend/journal"
	"pilotfish/backend/protocol"
)

// openOnClick is the preference in which Chromium stores that a click on our
// toolbar icon opens the panel (chrome.sidePanel.setPanelBehavior). Without it a
// click is lost until the worker has run for the first time, 150 to 250 ms later
// (measured).
const openOnClick = "open_side_panel_on_icon_click"

// preferences is the part of a profile's Preferences file that we read and write.
type preferences struct {
	Extensions struct {
		Settings map[string]map[string]any `json:"settings"`
	} `json:"extensions"`
	Browser struct {
		Placement *placement `json:"window_placement,omitempty"`
	} `json:"browser"`
}

// placement is the position of the browser's window when the profile was last
// used, and the work area of that screen, in device-independent pixels. Chromium
// writes it, and fits the window into the current work area when that is a
// different one. A command line switch must not set a size: it would apply at
// every start, even beyond the screen, and the maximised state would be lost
// (observed with Chromium 156).
type placement struct {
	Left       int  `json:"left"`
	Top        int  `json:"top"`
	Right      int  `json:"right"`
	Bottom     int  `json:"bottom"`
	Maximised  bool `json:"maximized"`
	AreaLeft   int  `json:"work_area_left"`
	AreaTop    int  `json:"work_area_top"`
	AreaRight  int  `json:"work_area_right"`
	AreaBottom int  `json:"work_area_bottom"`
}

// The first window's position and size, wide enough for a page beside the panel.
// Chromium's own first window is half as wide as a wide screen.
const (
	firstLeft, firstTop     = 10, 10
	firstWidth, firstHeight = 1360, 900
)

// firstPlacement says that the window was on a screen of the window's own size,
// so that Chromium fits it into any smaller screen.
func firstPlacement() *placement {
	return &placement{
		Left: firstLeft, Top: firstTop, Right: firstLeft + firstWidth, Bottom: firstTop + firstHeight,
		AreaRight: firstWidth, AreaBottom: firstHeight,
	}
}

// Seed writes the preferences of a new profile.
func Seed(path string) error {
	var p preferences
	p.Browser.Placement = firstPlacement()
	p.Extensions.Settings = map[string]map[string]any{protocol.ExtensionID: {openOnClick: true}}
	raw, err := json.Marshal(p)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return os.WriteFile(path, raw, 0o600)
}

// Clickable reports whether the first click on our icon will open the panel
// without the worker. For a profile that Chromium has never used, it writes that
// preference (Seed); for any other it reads it. It returns false when the
// preference cannot be read, and then the panel waits for the worker.
func Clickable(profile string) bool {
	state, err := os.ReadFile(filepath.Join(profile, "Local State"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		return false
	default:
		var used struct {
			Profile struct {
				Last string `json:"last_used"`
			} `json:"profile"`
		}
		if json.Unmarshal(state, &used) != nil || (used.Profile.Last != "" && used.Profile.Last != "Default") {
			return false
		}
	}
	path := filepath.Join(profile, "Default", "Preferences")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return Seed(path) == nil
	}
	var known preferences
	if err != nil || json.Unmarshal(raw, &known) != nil {
		return false
	}
	on, _ := known.Extensions.Settings[protocol.ExtensionID][openOnClick].(bool)
	return on
}

// SavesInto makes a folder the one in which the browser saves what its user downloads, if
// the user has not chosen one, and reports whether the profile says so now. The browser
// must not run.
func SavesInto(profile, dir string) bool {
	return change(profile, func(all map[string]any) bool {
		saving, _ := all["download"].(map[string]any)
		if chosen, _ := saving["default_directory"].(string); chosen != "" {
			return false
		}
		if saving == nil {
			saving = map[string]any{}
			all["download"] = saving
		}
		saving["default_directory"] = dir
		return true
	})
}

// unpacked is how a profile says that an extension was loaded from a folder
// (ManifestLocation::kUnpacked), and not by a switch.
const unpacked = json.Number("4")

// Unload makes the browser forget that it loaded our extension for a task, and reports whether it
// has: a headless browser would load it at each start, and in one with a window the switch
// replaces it just when the panel opens, which is then lost (seen). What the extension stores
// stays. The browser must not run.
func Unload(profile string) bool {
	return change(profile, func(all map[string]any) bool {
		known, _ := all["extensions"].(map[string]any)
		settings, _ := known["settings"].(map[string]any)
		ours, _ := settings[protocol.ExtensionID].(map[string]any)
		if ours["location"] != unpacked {
			return false
		}
		settings[protocol.ExtensionID] = map[string]any{openOnClick: true}
		return true
	})
}

// change changes the preferences of a profile if f returns true, and reports whether they are
// as they should be.
func change(profile string, f func(all map[string]any) bool) bool {
	path := filepath.Join(profile, "Default", "Preferences")
	raw, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		raw, err = []byte("{}"), nil
	}
	var all map[string]any
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber() // what is not ours stays to the digit
	if err != nil || decoder.Decode(&all) != nil {
		return false
	}
	if !f(all) {
		return true
	}
	if raw, err = json.Marshal(all); err != nil || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return false
	}
	return journal.WriteFile(path, raw, 0o600) == nil
}
