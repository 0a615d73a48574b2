// Package inspect reads pages: the properties of an element, the contents of a page,
// its accessibility, and the value of a script in it. The only thing that it changes
// is the style of an element, which it can undo.
package inspect

import (
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
)

// Inspector reads the pages of a browser's tabs.
type Inspector struct {
	tabs page.Tabs
	open *tabs.Registry
}

// New returns the inspector of a browser's tabs. open lists them.
func New(all page.Tabs, open *tabs.Registry) *Inspector { return &Inspector{tabs: all, open: open} }
