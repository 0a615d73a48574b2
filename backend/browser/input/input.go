// Package input acts on pages by trusted input, as a user does with mouse, keyboard and
// fingers, and says what came of it.
package input

import (
	"log/slog"

	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/held"
	"pilotfish/backend/browser/mask"
	"pilotfish/backend/browser/page"
)

// Config is what input needs of its browser beside the pages. Nothing may be nil.
type Config struct {
	// Effects is what follows the effects of actions.
	Effects effects.Config
	// Masks let the input of commands pass.
	Masks *mask.Masks
	// Panel is the panel that the user types in; nil for none.
	Panel func() *focus.Panel
	Log   *slog.Logger
}

// Input is the input of a browser's tabs.
type Input struct {
	tabs   page.Tabs
	config Config
	holds  held.All // keys and buttons that callers hold down
}

// New returns the input of a browser's tabs: nothing is held down.
func New(all page.Tabs, c Config) *Input { return &Input{tabs: all, config: c} }
