// Package input acts on pages by trusted input, as a user does with mouse, keyboard and
// fingers, and says what came of it.
package input

import (
	"log/slog"
	"time"

	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/mask"
	"pilotfish/backend/browser/news"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// windowWait is how long a window or download that was announced may take to begin.
const windowWait = 3 * time.Second

// Config is what input needs of its browser beside the pages. Nothing may be nil.
type Config struct {
	// Open are the tabs.
	Open *tabs.Registry
	// Masks let the input of commands pass.
	Masks *mask.Masks
	// Panel is the panel that the user types in; nil for none.
	Panel func() *focus.Panel
	// News are told what a caller knows from the effect of its action.
	News *news.News
	// DialogPolicy is accept or dismiss where a tab's dialogs are answered so; empty
	// where they are left open.
	DialogPolicy func(id protocol.TabID) string
	Log          *slog.Logger
}

// Input is the input of a browser's tabs.
type Input struct {
	tabs   page.Tabs
	config Config
	holds  holds // keys and buttons that callers hold down
}

// New returns the input of a browser's tabs: nothing is held down.
func New(all page.Tabs, c Config) *Input { return &Input{tabs: all, config: c} }
