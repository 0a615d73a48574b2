package desktop

import (
	"fmt"
	"path/filepath"
	"strings"

	"pilotfish/backend/protocol"
)

// entryPath follows the XDG autostart specification. It is not absolute when the home
// folder is unknown.
func entryPath(getenv func(string) string) string {
	base := getenv("XDG_CONFIG_HOME")
	if home := getenv(protocol.EnvHome); home != "" {
		base = filepath.Join(home, "config")
	} else if !filepath.IsAbs(base) {
		base = filepath.Join(getenv("HOME"), ".config")
	}
	return filepath.Join(base, "autostart", "pilotfish.desktop")
}

// entryText returns a desktop entry that starts a command.
func entryText(command []string) []byte {
	words := make([]string, 0, len(command))
	for _, word := range command {
		words = append(words, quoteExec(word))
	}
	return fmt.Appendf(nil, `[Desktop Entry]
Type=Application
Version=1.5
Name=Pilotfish
Comment=A browser with an agent beside each page
Exec=%s
Icon=pilotfish
Terminal=false
X-GNOME-Autostart-enabled=true
`, strings.Join(words, " "))
}

// entryStarts reports whether the desktop starts the entry's program.
func entryStarts(data []byte) bool {
	starts := false
	for line := range strings.Lines(string(data)) {
		key, value, _ := strings.Cut(line, "=")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); {
		case key == "Exec":
			starts = value != ""
		case key == "Hidden" && value == "true", key == "X-GNOME-Autostart-enabled" && value == "false":
			return false
		}
	}
	return starts
}

// quoteExec quotes one word of an Exec line. Two rules apply, one inside the other:
// the specification's quoting of a word ("Exec key": \" \` \$ \\), and that of every
// string value (\\ for \). A % is doubled, because a single one begins a field code.
func quoteExec(word string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(word)
	return `"` + strings.ReplaceAll(quoted, `\`, `\\`) + `"`
}
