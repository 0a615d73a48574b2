package chromium

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// openOnClick is the preference in which Chromium keeps that a click on our icon
// opens the panel (chrome.sidePanel.setPanelBehavior). Without it a click is
// lost until the worker has run for the first time, 150 to 250 ms later (seen).
const openOnClick = "open_side_panel_on_icon_click"

// preferences is what we read and write of a profile's Preferences.
type preferences struct {
	Extensions struct {
		Settings map[string]map[string]any `json:"settings"`
	} `json:"extensions"`
	Browser struct {
		Placement *placement `json:"window_placement,omitempty"`
	} `json:"browser"`
}

// placement is where a browser's window was when the profile was used last, and
// the work area of that screen, in device independent pixels. Chromium writes it,
// and fits the window into today's work area where that is another one. So a
// switch must not name a size: it would hold at every start, also beyond the
// screen, and the maximised state would be lost (seen with Chromium 156).
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

// The first window's place, which is wide enough for a page beside the panel.
// Chromium's own first size is half a wide screen.
const (
	firstLeft, firstTop     = 10, 10
	firstWidth, firstHeight = 1360, 900
)

// firstPlacement says that the window was on a screen of its own size, so that
// Chromium fits it into any that is smaller.
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

// Clickable says whether the first click on our icon will open the panel without
// the worker. A profile that Chromium has never used is told so beforehand (Seed);
// of any other it is read, and where it cannot be read the worker is waited for.
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
