// Package observe keeps what tabs report: their console, requests, dialogs, traces and
// the tools that their pages offer.
package observe

import (
	"context"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Tabs are the tabs that may be watched. They change with each life of the browser.
type Tabs interface {
	// Of returns the keeper of a tab, attached.
	Of(ctx context.Context, id protocol.TabID) (*watch.Keeper, error)
	// Kept returns the keeper of a tab if there is one, or nil.
	Kept(id protocol.TabID) *watch.Keeper
	// Explain turns an error of a tab into what its caller is told; nil stays nil.
	Explain(ctx context.Context, id protocol.TabID, err error) error
}

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
	tabs   Tabs
	config Config
}

// New returns the observer of a browser's tabs.
func New(tabs Tabs, c Config) *Observer { return &Observer{tabs: tabs, config: c} }
