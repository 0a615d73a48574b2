// Package chromium finds a browser on this machine, prepares its profile, and
// launches it with the two ends of its protocol pipe. It does not use the pipe.
package chromium

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"

	"pilotfish/backend/proc"
	"pilotfish/backend/protocol"
)

// Found is a browser on this machine.
type Found struct {
	Name string // "Chromium", "Google Chrome", "Microsoft Edge", "Brave"
	Path string // absolute
}

// candidates lists the browsers in which a session may run, in order of preference:
// Chromium first, because only it has the extension interface over the pipe, then the
// others by how many people have them.
func candidates(goos string, env func(string) string) []UserBrowser {
	var list []UserBrowser
	for _, id := range []string{"chromium", "chrome", "edge", "brave"} {
		for _, b := range UserBrowsers(goos, env) {
			if b.ID == id {
				list = append(list, b)
			}
		}
	}
	return list
}

// FindAll returns the browsers of this machine in order of preference.
func FindAll() []Found {
	var found []Found
	for _, c := range candidates(runtime.GOOS, os.Getenv) {
		for _, p := range c.Programs {
			if path, err := proc.Look(p); err == nil {
				if path, err = filepath.Abs(path); err == nil {
					found = append(found, Found{Name: c.Name, Path: path})
					break
				}
			}
		}
	}
	return found
}

// Find returns the browser at path, or the preferred one of this machine when
// path is empty. The error has the code CodeNoBrowser and says what to do.
func Find(path string) (Found, error) {
	if path != "" {
		resolved, err := exec.LookPath(path)
		if err == nil {
			resolved, err = filepath.Abs(resolved)
		}
		if err != nil {
			why := "there is no program at " + path
			if errors.Is(err, fs.ErrPermission) {
				why = path + " is not a program that may be run"
			}
			return Found{}, protocol.NewError(protocol.CodeNoBrowser, why, "correct the browser's path in Settings, or leave it empty")
		}
		return Found{Name: nameOf(resolved), Path: resolved}, nil
	}
	if all := FindAll(); len(all) > 0 {
		return all[0], nil
	}
	return Found{}, protocol.NewError(protocol.CodeNoBrowser, "no Chromium was found on this machine", installHint(runtime.GOOS))
}

func installHint(goos string) string {
	switch goos {
	case "linux":
		if command := InstallCommand(); command != "" {
			return "install one (" + command + "), or name a Chromium, Chrome, Edge or Brave in Settings"
		}
		return "install one, or name a Chromium, Chrome, Edge or Brave in Settings"
	default:
		return "install Chromium, Chrome, Edge or Brave, or name its program in Settings"
	}
}

// nameOf guesses a browser's name from the name of its executable.
func nameOf(path string) string {
	base := strings.ToLower(filepath.Base(path))
	switch {
	case strings.Contains(base, "edge"):
		return "Microsoft Edge"
	case strings.Contains(base, "brave"):
		return "Brave"
	case strings.Contains(base, "google"), strings.HasPrefix(base, "chrome"):
		return "Google Chrome"
	default:
		return "Chromium"
	}
}

// Version asks a browser's executable for its version, such as "156.0.8078.79". A
// running browser reports it over its pipe (Browser.Info).
func Version(ctx context.Context, path string) (string, error) {
	out, err := exec.CommandContext(ctx, path, "--version").Output()
	if err != nil {
		return "", fmt.Errorf("asking %s for its version: %w", path, err)
	}
	for word := range strings.FieldsSeq(string(out)) {
		if word[0] >= '0' && word[0] <= '9' && strings.Contains(word, ".") {
			return word, nil
		}
	}
	return "", fmt.Errorf("asking %s for its version: it answered %q", path, strings.TrimSpace(string(out)))
}
