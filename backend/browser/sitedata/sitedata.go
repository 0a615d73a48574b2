// Package sitedata reads and changes what sites keep in the browser: cookies and
// storage, and both as states that are saved under lock.
package sitedata

import (
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Config is what Sites needs of the browser.
type Config struct {
	// Folder is where states are saved.
	Folder files.Folder
	// Open are the tabs that are open.
	Open func() []protocol.Tab
	// Watches keep what waits in a tab for a site to be opened.
	Watches watch.Source
}

// Sites is what sites keep in a browser.
type Sites struct {
	config Config

	tabs        page.Tabs
	permissions permissions
}

// New returns what sites keep in the browser of some tabs.
func New(tabs page.Tabs, c Config) *Sites { return &Sites{config: c, tabs: tabs} }
