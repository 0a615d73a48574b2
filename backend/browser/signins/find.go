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

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/signins/firefox"
	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// origins lists the browsers that we can read, by how the system keeps them. Firefox has no
// programs: we read it ourselves.
func origins(goos string, env func(string) string) []chromium.UserBrowser {
	home, all := env("HOME"), chromium.UserBrowsers(goos, env)
	if goos == "darwin" {
		return append(all, chromium.UserBrowser{ID: "firefox", Name: "Firefox", Data: []string{filepath.Join(home, "Library", "Application Support", "Firefox")}})
	}
	return append(all,
		// From version 147 on new profiles are below the folder for settings.
		chromium.UserBrowser{ID: "firefox", Name: "Firefox", Data: []string{filepath.Join(home, ".mozilla", "firefox"), filepath.Join(cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "mozilla/firefox")}},
		chromium.UserBrowser{ID: "firefox-snap", Name: "Firefox (Snap)", Data: inside(filepath.Join(home, "snap", "firefox", "common"), ".config")},
		chromium.UserBrowser{ID: "firefox-flatpak", Name: "Firefox (Flatpak)", Data: inside(filepath.Join(home, ".var", "app", "org.mozilla.firefox"), "config")},
	)
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
		one := source{SignInBrowser: protocol.SignInBrowser{ID: o.ID, Name: o.Name}}
		for _, dir := range o.Data {
			if strings.HasPrefix(o.ID, "firefox") {
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
		for _, name := range o.Programs {
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
