// Package overrides is what a tab is made to believe, and which of its requests are
// blocked or answered in place of their servers.
package overrides

import (
	"context"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Tabs are the tabs of a browser.
type Tabs interface {
	// Of returns the keeper of a tab, attached.
	Of(ctx context.Context, id protocol.TabID) (*watch.Keeper, error)
	// Kept returns the keeper of a tab if there is one, or nil.
	Kept(id protocol.TabID) *watch.Keeper
	// Explain turns an error of a tab into what its caller is told; nil stays nil.
	Explain(ctx context.Context, id protocol.TabID, err error) error
	// OnTab runs f with the page of a tab; see page.Tabs.
	OnTab(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *page.Page) error) error
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
