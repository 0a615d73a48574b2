// Package inspect reads pages: the properties of an element, the contents of a page,
// its accessibility, and the value of a script in it. The only thing that it changes
// is the style of an element, which it can undo.
package inspect

import "pilotfish/backend/browser/page"

// Inspector reads the pages of a browser's tabs.
type Inspector struct {
	tabs page.Tabs
}

// New returns the inspector of a browser's tabs.
func New(tabs page.Tabs) *Inspector { return &Inspector{tabs: tabs} }
