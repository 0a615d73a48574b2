// Package desktop provides a real desktop for tests: an X server without a
// screen, a session bus, a window manager and a panel that shows tray icons. Each
// is a separate process that ends with the test. Tests can take screenshots of
// what a user would see, and read and click a tray menu as the panel does. It
// exists on Linux only.
package desktop
