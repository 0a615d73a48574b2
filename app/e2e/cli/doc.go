// Package cli tests the built command line with a real headless browser. It needs
// no display.
package cli
