package signins

import (
	"cmp"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"pilotfish/backend/browser/signins/firefox"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// origin is a kind of browser, and where it is on this system.
type origin struct {
	id, name string
	data     []string // folders of its profiles; the first that exists counts
	programs []string // absolute, or a name to look up in PATH; none for Firefox, which we read ourselves
}

// origins lists the browsers that we can read, by how the system keeps them.
func origins(goos string, env func(string) string) []origin {
	home := env("HOME")
	if goos == "darwin" {
		support := filepath.Join(home, "Library", "Application Support")
		one := func(id, name, data, app string) origin {
			return origin{id, name, []string{filepath.Join(support, data)}, []string{filepath.Join("/Applications", app+".app", "Contents", "MacOS", app)}}
		}
		return []origin{
			one("chrome", "Google Chrome", "Google/Chrome", "Google Chrome"), one("chromium", "Chromium", "Chromium", "Chromium"),
			one("edge", "Microsoft Edge", "Microsoft Edge", "Microsoft Edge"), one("brave", "Brave", "BraveSoftware/Brave-Browser", "Brave Browser"),
			one("vivaldi", "Vivaldi", "Vivaldi", "Vivaldi"), one("opera", "Opera", "com.operasoftware.Opera", "Opera"),
			{id: "firefox", name: "Firefox", data: []string{filepath.Join(support, "Firefox")}},
		}
	}
	config := cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	under := func(name string) string { return filepath.Join(config, name) }
	return []origin{
		{"chrome", "Google Chrome", []string{under("google-chrome")}, []string{"google-chrome-stable", "google-chrome", "/opt/google/chrome/chrome"}},
		{"chromium", "Chromium", []string{under("chromium"), filepath.Join(home, "snap", "chromium", "common", "chromium")}, []string{"chromium", "chromium-browser", "/usr/bin/chromium"}},
		{"edge", "Microsoft Edge", []string{under("microsoft-edge")}, []string{"microsoft-edge-stable", "microsoft-edge", "/opt/microsoft/msedge/msedge"}},
		{"brave", "Brave", []string{under("BraveSoftware/Brave-Browser")}, []string{"brave-browser-stable", "brave-browser", "brave"}},
		{"vivaldi", "Vivaldi", []string{under("vivaldi")}, []string{"vivaldi-stable", "vivaldi"}},
		{"opera", "Opera", []string{under("opera")}, []string{"opera-stable", "opera"}},
		// From version 147 on new profiles are below the folder for settings.
		{id: "firefox", name: "Firefox", data: []string{filepath.Join(home, ".mozilla", "firefox"), under("mozilla/firefox")}},
		{id: "firefox-snap", name: "Firefox (Snap)", data: inside(filepath.Join(home, "snap", "firefox", "common"), ".config")},
		{id: "firefox-flatpak", name: "Firefox (Flatpak)", data: inside(filepath.Join(home, ".var", "app", "org.mozilla.firefox"), "config")},
	}
}

// inside returns where Firefox keeps profiles inside of a home folder that a package
// system made for it.
func inside(home, config string) []string {
	return []string{filepath.Join(home, ".mozilla", "firefox"), filepath.Join(home, config, "mozilla", "firefox")}
}

// source is a browser of this machine that has profiles.
type source struct {
	protocol.SignInBrowser
	data    string
	program string // "" when it is not installed any more, and for Firefox
	// folders are those of Firefox's profiles, by their id; nil for other browsers.
	folders map[string]string
}

// sources returns the browsers that have profiles with cookies.
func (s *SignIns) sources() []source {
	env := s.config.Getenv
	if env == nil {
		env = os.Getenv
	}
	var found []source
	for _, o := range origins(runtime.GOOS, env) {
		one := source{SignInBrowser: protocol.SignInBrowser{ID: o.id, Name: o.name}}
		for _, dir := range o.data {
			if o.programs == nil {
				one.Profiles, one.folders = firefoxProfiles(dir)
			} else {
				one.Profiles = profiles(dir)
			}
			if len(one.Profiles) > 0 {
				one.data = dir
				break
			}
		}
		if one.data == "" {
			continue
		}
		for _, name := range o.programs {
			if path, err := proc.Look(name); err == nil {
				if one.program, err = filepath.Abs(path); err == nil {
					break
				}
			}
		}
		one.Missing = one.program == "" && one.folders == nil
		found = append(found, one)
	}
	return found
}

// firefoxProfiles returns the profiles of a Firefox that have a cookie store, and their
// folders.
func firefoxProfiles(dir string) ([]protocol.SignInProfile, map[string]string) {
	var found []protocol.SignInProfile
	folders := map[string]string{}
	for _, p := range firefox.Profiles(dir) {
		if _, twice := folders[p.ID]; twice || len(found) == profilesMost {
			continue
		}
		found = append(found, protocol.SignInProfile{ID: p.ID, Name: shown(p.Name)})
		folders[p.ID] = p.Folder
	}
	return found, folders
}

// profilesMost is how many profiles of a browser are listed.
const profilesMost = 50

// profiles returns the profiles of a browser that have a cookie store.
func profiles(dir string) []protocol.SignInProfile {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil
	}
	var state struct {
		Profile struct {
			Known map[string]struct {
				Name string `json:"name"`
			} `json:"info_cache"`
		} `json:"profile"`
	}
	if raw, err := os.ReadFile(filepath.Join(dir, "Local State")); err == nil {
		_ = json.Unmarshal(raw, &state) // then profiles have the names of their folders
	}
	var found []protocol.SignInProfile
	for _, e := range entries {
		if !e.IsDir() || len(stores(filepath.Join(dir, e.Name()))) == 0 || len(found) == profilesMost {
			continue
		}
		found = append(found, protocol.SignInProfile{ID: e.Name(), Name: shown(cmp.Or(state.Profile.Known[e.Name()].Name, e.Name()))})
	}
	slices.SortFunc(found, func(a, b protocol.SignInProfile) int { return cmp.Compare(a.ID, b.ID) })
	return found
}

// stores returns the cookie stores of a profile, relative to it.
func stores(profile string) []string {
	var found []string
	for _, name := range []string{"Cookies", filepath.Join("Network", "Cookies")} {
		if info, err := os.Stat(filepath.Join(profile, name)); err == nil && info.Mode().IsRegular() {
			found = append(found, name)
		}
	}
	return found
}

// shown returns a name of another program's file in one short line.
func shown(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, name)
	if runes := []rune(name); len(runes) > 80 {
		name = string(runes[:79]) + "…"
	}
	return name
}
