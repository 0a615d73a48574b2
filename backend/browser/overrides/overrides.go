// Package overrides emulates devices and conditions for a tab (screen size,
// locale, network and so on), and blocks or mocks its requests.
package overrides

import (
	"sync"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Overrides holds the emulations and network rules of a browser's tabs.
type Overrides struct {
	tabs    page.Tabs
	watched watch.Source

	mu      sync.Mutex
	changes chan struct{} // closed at the next change of a tab
}

// New returns the overrides of a browser's tabs: none yet.
func New(tabs page.Tabs, watched watch.Source) *Overrides {
	return &Overrides{tabs: tabs, watched: watched, changes: make(chan struct{})}
}

// OverridesChanged returns a channel that is closed when the emulation or the network
// rules of a tab change the next time.
func (o *Overrides) OverridesChanged() <-chan struct{} {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.changes
}

func (o *Overrides) changed() {
	o.mu.Lock()
	defer o.mu.Unlock()
	close(o.changes)
	o.changes = make(chan struct{})
}

// Viewport returns the emulated viewport of a tab, and the session that sets it;
// nil when the tab has its own viewport.
func (o *Overrides) Viewport(id protocol.TabID) (*devtools.Session, *protocol.EmulatedViewport) {
	k := o.watched.Kept(id)
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
