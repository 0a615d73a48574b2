// Command pilotfish-tray is the icon in the desktop's tray. It is a program of
// its own because Wails and the tray's library both own the GTK main loop. It is
// a client that holds no truth: it draws the last protocol.TrayState that it
// read from its standard input, whole, and writes what the person clicked to its
// standard output as protocol.TrayAction. It ends when its input ends, so it
// cannot outlive the app.
package main
