// Package sitedata reads and changes the data of sites in the browser: cookies,
// storage, permissions and the clipboard. It also saves cookies and storage as
// encrypted states.
package sitedata

import (
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
)

// Config is what Sites needs from the browser.
type Config struct {
	// Folder is where states are saved.
	Folder files.Folder
	// Open is the registry of tabs.
	Open *tabs.Registry
	// Watches keeps the storage that is restored in a tab when a site is opened.
	Watches watch.Source
}

// Sites gives access to the data of sites in one browser.
type Sites struct {
	config Config

	tabs        page.Tabs
	permissions permissions
}

// New returns access to the data of sites in the browser with these tabs.
func New(tabs page.Tabs, c Config) *Sites { return &Sites{config: c, tabs: tabs} }
