package desktop

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"pilotfish/backend/protocol"
)

// path is the entry's file by the XDG autostart specification. With
// protocol.EnvHome it stands there, where no desktop looks: a portable
// installation or a test changes nothing of the person's.
func (a Autostart) path() (string, error) {
	base := a.getenv("XDG_CONFIG_HOME")
	if home := a.getenv(protocol.EnvHome); home != "" {
		base = filepath.Join(home, "config")
	} else if !filepath.IsAbs(base) {
		home := a.getenv("HOME")
		if !filepath.IsAbs(home) {
			return "", protocol.NewError(protocol.CodeNotWritable, "your home folder is not known", "set HOME")
		}
		base = filepath.Join(home, ".config")
	}
	return filepath.Join(base, "autostart", "pilotfish.desktop"), nil
}

// Enable starts program with args at the next login.
func (a Autostart) Enable(program string, args ...string) error {
	path, err := a.path()
	if err != nil {
		return err
	}
	if err := command(program, args); err != nil {
		return err
	}
	words := make([]string, 0, 1+len(args))
	for _, word := range append([]string{program}, args...) {
		words = append(words, quoteExec(word))
	}
	entry := fmt.Sprintf(`[Desktop Entry]
Type=Application
Version=1.5
Name=Pilotfish
Comment=A browser with an agent beside each page
Exec=%s
Icon=pilotfish
Terminal=false
X-GNOME-Autostart-enabled=true
`, strings.Join(words, " "))
	return writeEntry(path, []byte(entry))
}

// Disable removes the entry.
func (a Autostart) Disable() error {
	path, err := a.path()
	if err != nil {
		return err
	}
	return removeEntry(path)
}

// Enabled reports whether the desktop would start the app: an entry that the
// person switched off in the desktop's own settings is not enabled.
func (a Autostart) Enabled() (bool, error) {
	path, err := a.path()
	if err != nil {
		return false, err
	}
	data, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the autostart entry: %w", err)
	}
	enabled := false
	lines := bufio.NewScanner(bytes.NewReader(data))
	for lines.Scan() {
		key, value, _ := strings.Cut(lines.Text(), "=")
		switch key, value = strings.TrimSpace(key), strings.TrimSpace(value); {
		case key == "Exec":
			enabled = value != ""
		case key == "Hidden" && value == "true", key == "X-GNOME-Autostart-enabled" && value == "false":
			return false, nil
		}
	}
	if err := lines.Err(); err != nil {
		return false, fmt.Errorf("read the autostart entry: %w", err)
	}
	return enabled, nil
}

// quoteExec quotes one word of an Exec line. Two rules apply, one inside the
// other: the specification's quoting of a word ("Exec key": \" \` \$ \\), and
// that of every string value (\\ for \). A % is doubled, or it is a field code.
func quoteExec(word string) string {
	quoted := strings.NewReplacer(`\`, `\\`, `"`, `\"`, "`", "\\`", `$`, `\$`, `%`, `%%`).Replace(word)
	return `"` + strings.ReplaceAll(quoted, `\`, `\\`) + `"`
}
