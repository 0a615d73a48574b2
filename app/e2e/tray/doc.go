// Package tray tests the tray program as a user sees it: the icon is in a real
// panel, and the tests read and click its menu over the session bus.
package tray
