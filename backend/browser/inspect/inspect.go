// Package inspect reads pages: what an element is made of, what a page holds, its
// accessibility, and what a script in it comes to. The only thing that it changes is
// the style of an element, which it can undo.
package inspect

import "pilotfish/backend/browser/page"

// Inspector reads the pages of a browser's tabs.
type Inspector struct {
	tabs page.Tabs
}

// New returns the inspector of a browser's tabs.
func New(tabs page.Tabs) *Inspector { return &Inspector{tabs: tabs} }
