package chromium

import (
	"cmp"
	"path/filepath"
)

// UserBrowser is a kind of browser that people use every day, and where it is on this system.
type UserBrowser struct {
	// ID names it in settings and on the command line, Name is shown.
	ID, Name string
	// Data are the folders of its profiles; the first that exists counts.
	Data []string
	// Programs are absolute, or names to look up in PATH.
	Programs []string
}

// UserBrowsers lists the browsers that are relatives of Chromium, by how many people have
// them.
func UserBrowsers(goos string, env func(string) string) []UserBrowser {
	home := env("HOME")
	switch goos {
	case "darwin":
		one := func(id, name, data, app string) UserBrowser {
			inside := filepath.Join(app+".app", "Contents", "MacOS", app)
			return UserBrowser{
				id, name,
				[]string{filepath.Join(home, "Library", "Application Support", data)},
				[]string{filepath.Join("/Applications", inside), filepath.Join(home, "Applications", inside)},
			}
		}
		return []UserBrowser{
			one("chrome", "Google Chrome", "Google/Chrome", "Google Chrome"), one("chromium", "Chromium", "Chromium", "Chromium"),
			one("edge", "Microsoft Edge", "Microsoft Edge", "Microsoft Edge"), one("brave", "Brave", "BraveSoftware/Brave-Browser", "Brave Browser"),
			one("vivaldi", "Vivaldi", "Vivaldi", "Vivaldi"), one("opera", "Opera", "com.operasoftware.Opera", "Opera"),
		}
	case "windows":
		one := func(id, name, folder, program string) UserBrowser {
			b := UserBrowser{ID: id, Name: name, Data: []string{filepath.Join(env("LOCALAPPDATA"), folder, "User Data")}}
			for _, root := range []string{env("LOCALAPPDATA"), env("PROGRAMFILES"), env("PROGRAMFILES(X86)")} {
				if root != "" {
					b.Programs = append(b.Programs, filepath.Join(root, folder, "Application", program))
				}
			}
			return b
		}
		return []UserBrowser{
			one("chrome", "Google Chrome", "Google/Chrome", "chrome.exe"), one("chromium", "Chromium", "Chromium", "chrome.exe"),
			one("edge", "Microsoft Edge", "Microsoft/Edge", "msedge.exe"), one("brave", "Brave", "BraveSoftware/Brave-Browser", "brave.exe"),
			one("vivaldi", "Vivaldi", "Vivaldi", "vivaldi.exe"),
		}
	}
	config := cmp.Or(env("XDG_CONFIG_HOME"), filepath.Join(home, ".config"))
	under := func(name string) string { return filepath.Join(config, name) }
	return []UserBrowser{
		{"chrome", "Google Chrome", []string{under("google-chrome")}, []string{"google-chrome-stable", "google-chrome", "chrome", "/opt/google/chrome/chrome"}},
		{"chromium", "Chromium", []string{under("chromium"), filepath.Join(home, "snap", "chromium", "common", "chromium")}, []string{"chromium", "chromium-browser", "/usr/bin/chromium", "/snap/bin/chromium", "/usr/lib/chromium/chromium"}},
		{"edge", "Microsoft Edge", []string{under("microsoft-edge")}, []string{"microsoft-edge-stable", "microsoft-edge", "/opt/microsoft/msedge/msedge"}},
		{"brave", "Brave", []string{under("BraveSoftware/Brave-Browser")}, []string{"brave-browser-stable", "brave-browser", "brave", "/opt/brave.com/brave/brave"}},
		{"vivaldi", "Vivaldi", []string{under("vivaldi")}, []string{"vivaldi-stable", "vivaldi"}},
		{"opera", "Opera", []string{under("opera")}, []string{"opera-stable", "opera"}},
	}
}
