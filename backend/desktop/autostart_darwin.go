package desktop

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// label names the LaunchAgent.
const label = "app.pilotfish"

// path is the LaunchAgent's file; see the Linux one for protocol.EnvHome.
func (a Autostart) path() (string, error) {
	home := a.getenv(protocol.EnvHome)
	if home == "" {
		home = a.getenv("HOME")
	}
	if !filepath.IsAbs(home) {
		return "", protocol.NewError(protocol.CodeNotWritable, "your home folder is not known", "set HOME")
	}
	return filepath.Join(home, "Library", "LaunchAgents", label+".plist"), nil
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
	var words bytes.Buffer
	for _, word := range append([]string{program}, args...) {
		words.WriteString("\t\t<string>")
		if err := xml.EscapeText(&words, []byte(word)); err != nil {
			return fmt.Errorf("write the autostart entry: %w", err)
		}
		words.WriteString("</string>\n")
	}
	return writeEntry(path, []byte(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>`+label+`</string>
	<key>ProgramArguments</key>
	<array>
`+words.String()+`	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
</dict>
</plist>
`))
}

// Disable removes the entry.
func (a Autostart) Disable() error {
	path, err := a.path()
	if err != nil {
		return err
	}
	return removeEntry(path)
}

// Enabled reports whether there is an entry.
func (a Autostart) Enabled() (bool, error) {
	path, err := a.path()
	if err != nil {
		return false, err
	}
	_, err = os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, fmt.Errorf("read the autostart entry: %w", err)
	}
	return true, nil
}
