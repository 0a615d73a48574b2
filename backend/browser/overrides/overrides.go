// Package overrides is what a tab is made to believe, and which of its requests are
// blocked or answered in place of their servers.
package overrides

import (
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Tabs are the tabs of a browser, to be watched and to be worked on.
type Tabs interface {
	watch.Source
	page.Tabs
}

// Overrides are those of a browser's tabs.
type Overrides struct {
	tabs Tabs
}

// New returns the overrides of a browser's tabs: none.
func New(tabs Tabs) *Overrides { return &Overrides{tabs: tabs} }

// Viewport is the viewport that a tab is made to have, and the session that holds it
// there; nil for its own.
func (o *Overrides) Viewport(id protocol.TabID) (*devtools.Session, *protocol.EmulatedViewport) {
	k := o.tabs.Kept(id)
	m, ok := watch.Get[*emulationOf](k, featureEmulation)
	if !ok {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if s := k.Session(); s != nil && m.want.Viewport != nil {
		return s, m.want.Viewport
	}
	return nil, nil
}
