package session

import (
	"pilotfish/backend/browser"
	"pilotfish/backend/command"
)

// The registry gates the tabs of a browser that can, and is silent about one that
// cannot: ours must.
var _ command.Gater = (*browser.Browser)(nil)
