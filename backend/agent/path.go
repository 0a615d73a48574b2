package agent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// loginPath asks the user's login shell for its PATH. A program that the
// desktop starts (a menu entry, autostart, the Dock) inherits the PATH of the
// desktop's session, not the one that .zprofile, .bashrc or a version manager
// set. So an agent that every terminal finds would be missing here. It returns
// "" for a shell whose options we do not know.
func loginPath(ctx context.Context, shell string, env []string) (string, error) {
	switch filepath.Base(shell) {
	case "bash", "zsh", "ksh", "fish", "sh", "dash":
	default:
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, agentPathTimeout)
	defer cancel()
	// The marks separate the output of env from the output of the profile. The
	// shell is interactive, because most users set their PATH in the file for
	// interactive shells. `env` is used because fish keeps PATH as a list.
	mark := "pilotfish-" + rand.Text()
	out, err := output(ctx, env, shell, "-l", "-i", "-c", "echo "+mark+"; /usr/bin/env; echo "+mark)
	_, rest, found := strings.Cut(out, mark)
	text, _, ended := strings.Cut(rest, mark)
	if !found || !ended {
		if err == nil {
			err = errors.New("it printed no environment")
		}
		return "", fmt.Errorf("asking %s for its PATH: %w", shell, err)
	}
	for line := range strings.Lines(text) {
		if value, ok := strings.CutPrefix(strings.TrimRight(line, "\r\n"), "PATH="); ok {
			return value, nil
		}
	}
	return "", fmt.Errorf("asking %s for its PATH: its environment has none", shell)
}

// usualFolders returns folders in which installers of agents put programs
// although these folders are not on everybody's PATH.
func usualFolders(home string, getenv func(string) string) []string {
	folders := []string{
		"~/.local/bin", "~/bin",
		// npm's own prefix, and the folders that its documentation and other
		// package managers suggest for global packages.
		"~/.npm-global/bin", "~/.npm-packages/bin", "~/.local/share/pnpm", "~/Library/pnpm", "~/.yarn/bin", "~/.bun/bin", "~/.deno/bin",
		// Version managers.
		"~/.volta/bin", "~/.asdf/shims", "~/.local/share/mise/shims",
		"~/.cargo/bin", "~/go/bin",
		"/usr/local/bin", "/opt/homebrew/bin", "/home/linuxbrew/.linuxbrew/bin", "/snap/bin", "/usr/bin", "/bin",
	}
	if prefix := npmPrefix(home, getenv); prefix != "" {
		folders = append([]string{filepath.Join(prefix, "bin")}, folders...)
	}
	for i, folder := range folders {
		folders[i] = underHome(folder, home)
	}
	// nvm has one folder for each Node version; the most recently installed
	// comes first.
	versions, err := filepath.Glob(filepath.Join(home, ".nvm/versions/node/*/bin"))
	if err == nil {
		slices.SortFunc(versions, newer)
		folders = append(folders, versions...)
	}
	return folders
}

// newer orders folders by modification time, the newest first.
func newer(a, b string) int {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	if errA != nil || errB != nil {
		return strings.Compare(b, a)
	}
	return second.ModTime().Compare(first.ModTime())
}

// npmPrefix returns the folder into which npm installs global packages, if the
// user has changed it. It reads npm's settings itself, because asking npm would
// take half a second.
func npmPrefix(home string, getenv func(string) string) string {
	for _, name := range []string{"NPM_CONFIG_PREFIX", "npm_config_prefix"} {
		if value := getenv(name); value != "" {
			return value
		}
	}
	text, err := os.ReadFile(filepath.Join(home, ".npmrc"))
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		key, value, found := strings.Cut(line, "=")
		if found && strings.TrimSpace(key) == "prefix" {
			value = strings.Trim(strings.TrimSpace(value), `"'`)
			return underHome(strings.Replace(value, "${HOME}", "~", 1), home)
		}
	}
	return ""
}

// underHome replaces a leading "~".
func underHome(path, home string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return filepath.Join(home, rest)
	}
	return path
}

// joinPath joins several lists of folders. Duplicates are removed. Empty and
// relative folders are removed, too, because they would mean another program in
// each working folder.
func joinPath(lists ...[]string) []string {
	var joined []string
	for _, list := range lists {
		for _, folder := range list {
			if filepath.IsAbs(folder) && !slices.Contains(joined, folder) {
				joined = append(joined, folder)
			}
		}
	}
	return joined
}

// look returns the path of a program in one of the folders; "" if none has it.
func look(program string, folders []string) string {
	names := []string{program}
	if runtime.GOOS == "windows" {
		names = []string{program + ".exe", program + ".cmd", program + ".bat"}
	}
	for _, folder := range folders {
		for _, name := range names {
			path := filepath.Join(folder, name)
			if executable(path) {
				return path
			}
		}
	}
	return ""
}

// executable reports whether path is a file that can be started.
func executable(path string) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	return runtime.GOOS == "windows" || info.Mode().Perm()&0o111 != 0
}
