// Package desktop is a real desktop for tests: an X server without a screen, a
// session bus, a window manager and a panel that shows tray icons, each a
// process of its own that ends with the test. What a person would see can be
// photographed, and a tray menu can be read and clicked as the panel does it.
// It exists on Linux only.
package desktop
