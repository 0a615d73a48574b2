//go:build !linux

package desktop

import "context"

// KeyringRuns is true: macOS and Windows always have theirs.
func KeyringRuns(context.Context) bool { return true }
