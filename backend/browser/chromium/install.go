package chromium

import (
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// InstallCommand returns the command that installs Chromium on this system, as
// its makers document it; empty when we do not know one.
func InstallCommand() string {
	switch runtime.GOOS {
	case "linux":
		for _, path := range []string{"/etc/os-release", "/usr/lib/os-release"} {
			if text, err := os.ReadFile(path); err == nil {
				return installCommand(string(text))
			}
		}
		return ""
	case "darwin":
		return "brew install --cask chromium"
	case "windows":
		return "winget install Hibbiki.Chromium"
	default:
		return ""
	}
}

// installCommand returns the command for the distribution that an os-release
// file describes: for itself, or for the first one that it says it is like.
func installCommand(release string) string {
	values := map[string]string{}
	for line := range strings.Lines(release) {
		if key, value, found := strings.Cut(strings.TrimSpace(line), "="); found {
			values[key] = strings.Trim(value, `"'`)
		}
	}
	for _, id := range append([]string{values["ID"]}, strings.Fields(values["ID_LIKE"])...) {
		switch id {
		case "ubuntu": // its package chromium only installs the snap
			return "sudo snap install chromium"
		case "debian":
			return "sudo apt install chromium"
		case "fedora", "rhel", "centos":
			return "sudo dnf install chromium"
		case "arch":
			return "sudo pacman -S chromium"
		case "suse", "opensuse":
			return "sudo zypper install chromium"
		case "alpine":
			return "sudo apk add chromium"
		case "void":
			return "sudo xbps-install chromium"
		case "gentoo":
			return "sudo emerge www-client/chromium"
		case "nixos":
			return "nix profile install nixpkgs#chromium"
		}
	}
	return ""
}

// Programs returns the names and the paths under which FindAll looks for a
// browser.
func Programs() []string {
	var names []string
	for _, c := range candidates(runtime.GOOS, os.Getenv) {
		for _, path := range c.Programs {
			if filepath.IsAbs(path) || filepath.Base(path) == path {
				names = append(names, path)
			}
		}
	}
	return slices.Compact(names)
}
