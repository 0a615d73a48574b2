package main

import (
	_ "embed" // the icons

	"pilotfish/backend/protocol"
)

// The icons are drawn by build/icons/tray/make.sh. systray hands their memory to
// C as it is and keeps it, which is right for embedded bytes only: the garbage
// collector never moves or frees them.
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

// iconFor returns the PNG of an icon; one that this version does not know is
// drawn as an error, because that is the one that makes a person look.
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
