//go:build !linux

package desktop

import "context"

// KeyringRuns returns true: macOS and Windows always have a keyring.
func KeyringRuns(context.Context) bool { return true }
