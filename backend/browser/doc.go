// Package browser finds, launches and drives one Chromium: its tabs under one
// id space, the extension with its side panel, and the operations on a page
// that the commands are made of. It speaks the DevTools protocol over the
// browser's private pipe, so that there is no debugging port for anybody else
// to find. No type of chromedp or cdproto leaves this package.
package browser
