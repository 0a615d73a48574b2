// Package input acts on pages by trusted input, as a user does with mouse, keyboard
// and fingers, and reports the effect.
package input

import (
	"log/slog"

	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/page"
)

// Config holds the dependencies of Input, beside the pages. No field may be nil.
type Config struct {
	// Effects configures how the effects of actions are followed.
	Effects effects.Config
	// Overlays are the overlays, which let the input of commands pass.
	Overlays *overlay.Overlays
	// Panel returns the panel in which the user types; nil for none.
	Panel func() *focus.Panel
	Log   *slog.Logger
}

// Input sends input to a browser's tabs.
type Input struct {
	tabs   page.Tabs
	config Config
	holds  heldInputs // keys and buttons that callers hold down
}

// New returns the input of a browser's tabs. Nothing is held down.
func New(all page.Tabs, c Config) *Input { return &Input{tabs: all, config: c} }
