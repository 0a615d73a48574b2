// Package observe keeps what tabs report: their console, requests, dialogs, traces and
// the tools that their pages offer.
package observe

import (
	"context"

	"pilotfish/backend/browser/files"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Config is what an Observer needs of the browser.
type Config struct {
	// Folder is where bodies, HARs and traces are saved.
	Folder files.Folder
	// Page tells a tab's address and title.
	Page func(ctx context.Context, id protocol.TabID) (protocol.PageInfo, error)
	// Beside runs f with the page of a tab past what is queued for it; see page.Tabs.
	Beside func(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *page.Page) error) error
	// Answered is told of a dialog that a caller answered.
	Answered func(ctx context.Context, id protocol.TabID, kind, message string)
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
