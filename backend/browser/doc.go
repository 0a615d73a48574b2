// Package browser finds, launches and drives one Chromium: its tabs, which share
// one id space, the extension with its side panel, and the operations on a page
// that the commands are built from. It speaks the DevTools protocol over the
// browser's private pipe, so there is no debugging port that another program
// could find. No type of chromedp or cdproto leaves this package.
package browser
