// Package observe records what tabs report: their console, requests, dialogs,
// traces, and the tools that their pages offer.
package observe

import (
	"pilotfish/backend/browser/background"
	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/history"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/sourcemaps"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Config is what an Observer needs from the browser.
type Config struct {
	// Folder is where bodies, HARs and traces are saved.
	Folder files.Folder
	// History knows a tab's URL and title.
	History *history.History
	// Pages are the pages of the tabs.
	Pages page.Tabs
	// Background records which dialogs a caller has answered.
	Background *background.Events
	// Open lists the tabs.
	Open *tabs.Registry
	// Info returns the browser that is running.
	Info func() protocol.BrowserInfo
}

// Observer records what the tabs of a browser report.
type Observer struct {
	tabs   watch.Source
	config Config
	values *values
	leases leases
	maps   tabMaps
}

// New returns the observer of a browser's tabs.
func New(tabs watch.Source, c Config) *Observer {
	return &Observer{tabs: tabs, config: c, values: newValues(), leases: newLeases(), maps: tabMaps{tab: make(map[protocol.TabID]*sourcemaps.Maps)}}
}
