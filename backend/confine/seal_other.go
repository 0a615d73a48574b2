//go:build !linux

package confine

import (
	"pilotfish/backend/protocol"
)

// Seal is not needed on this system: nothing starts it.
func Seal(path string, _ []string) error {
	return protocol.NewError(protocol.CodeNotConfined, path+" cannot be sealed on this system", "")
}

// DesktopGap says why a confined program can reach the desktop; nil where it cannot.
func DesktopGap(string) *protocol.Error { return nil }
