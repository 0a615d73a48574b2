// Package observe keeps what tabs report: their console, requests, dialogs, traces and
// the tools that their pages offer.
package observe

import (
	"context"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Config is what an Observer needs of the browser.
type Config struct {
	// Folder is where bodies, HARs and traces are saved.
	Folder files.Folder
	// Page tells a tab's address and title.
	Page func(ctx context.Context, id protocol.TabID) (protocol.PageInfo, error)
	// Info is the browser that runs.
	Info func() protocol.BrowserInfo
}

// Observer keeps what the tabs of a browser report.
type Observer struct {
	tabs   watch.Source
	config Config
}

// New returns the observer of a browser's tabs.
func New(tabs watch.Source, c Config) *Observer { return &Observer{tabs: tabs, config: c} }
