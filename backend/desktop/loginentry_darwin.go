package desktop

import (
	"bytes"
	"encoding/xml"
	"path/filepath"

	"pilotfish/backend/protocol"
)

// label names the LaunchAgent.
const label = "app.pilotfish"

// entryPath returns the path of the LaunchAgent's file. It is not absolute when the
// home folder is unknown.
func entryPath(getenv func(string) string) string {
	home := getenv(protocol.EnvHome)
	if home == "" {
		home = getenv("HOME")
	}
	return filepath.Join(home, "Library", "LaunchAgents", label+".plist")
}

// entryText returns a LaunchAgent that starts a command.
func entryText(command []string) []byte {
	var text bytes.Buffer
	text.WriteString(`<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
	<key>Label</key>
	<string>` + label + `</string>
	<key>ProgramArguments</key>
	<array>
`)
	for _, word := range command {
		text.WriteString("\t\t<string>")
		_ = xml.EscapeText(&text, []byte(word)) // a buffer accepts all writes
		text.WriteString("</string>\n")
	}
	text.WriteString(`	</array>
	<key>RunAtLoad</key>
	<true/>
	<key>ProcessType</key>
	<string>Interactive</string>
</dict>
</plist>
`)
	return text.Bytes()
}

// entryStarts reports whether a LaunchAgent is active: each one is.
func entryStarts([]byte) bool { return true }
