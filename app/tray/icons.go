package main

import (
	_ "embed" // the icons

	"pilotfish/backend/protocol"
)

// build/icons/tray/make.sh draws the icons. systray passes their memory to C
// without a copy, and C keeps it. That is safe for embedded bytes only: the
// garbage collector never moves or frees them.
var (
	//go:embed icons/stopped.png
	iconStopped []byte
	//go:embed icons/running.png
	iconRunning []byte
	//go:embed icons/working.png
	iconWorking []byte
	//go:embed icons/needs_you.png
	iconNeedsYou []byte
	//go:embed icons/error.png
	iconError []byte
)

// iconFor returns the PNG of an icon. An icon that this version does not know
// becomes the error icon, because that one makes the user check.
func iconFor(icon protocol.TrayIcon) []byte {
	switch icon {
	case protocol.IconStopped:
		return iconStopped
	case protocol.IconRunning:
		return iconRunning
	case protocol.IconWorking:
		return iconWorking
	case protocol.IconNeedsYou:
		return iconNeedsYou
	default:
		return iconError
	}
}
