// Package sitedata reads and changes what sites keep in the browser: cookies and
// storage, and both as states that are saved under lock.
package sitedata

import (
	"context"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Config is what Sites needs of the browser.
type Config struct {
	// Folder is where states are saved.
	Folder files.Folder
	// Open are the tabs that are open.
	Open func() []protocol.Tab
	// Later puts the storage of sites back, by origin, when they are opened in a tab.
	Later func(ctx context.Context, id protocol.TabID, storage map[string]protocol.Storage) error
}

// Sites is what sites keep in a browser.
type Sites struct {
	config Config

	tabs page.Tabs
}

// New returns what sites keep in the browser of some tabs.
func New(tabs page.Tabs, c Config) *Sites { return &Sites{config: c, tabs: tabs} }
