// Package tray tests the tray program as a person meets it: the icon is in a
// real panel, and its menu is read and clicked over the session bus.
package tray
