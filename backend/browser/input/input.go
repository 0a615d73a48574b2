// Package input acts on pages by trusted input, as a user does with mouse, keyboard
// and fingers, and reports the effect.
package input

import (
	"context"
	"log/slog"

	"pilotfish/backend/browser/background"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/observe"
	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Config holds the dependencies of Input, beside the pages. No field may be nil.
type Config struct {
	// Open is the registry of tabs.
	Open *tabs.Registry
	// Background records which background events a caller already knows from the effect of
	// its action.
	Background *background.Events
	// Observer answers dialogs of tabs.
	Observer *observe.Observer
	// Downloads are those of the browser.
	Downloads *downloads.Waits
	// Front returns the tab that is in front, as the browser says now.
	Front func(ctx context.Context) protocol.TabID
	// Overlays are the overlays, which let the input of commands pass.
	Overlays *overlay.Overlays
	// Panels are the open panels.
	Panels *focus.Panels
	// Elsewhere: the browser is on another machine, and does not see the files of this one.
	Elsewhere bool
	Log       *slog.Logger
}

// Input sends input to a browser's tabs.
type Input struct {
	tabs   page.Tabs
	config Config
	holds  heldInputs // keys and buttons that callers hold down
}

// New returns the input of a browser's tabs. Nothing is held down.
func New(all page.Tabs, c Config) *Input { return &Input{tabs: all, config: c} }
