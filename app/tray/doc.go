// Command pilotfish-tray is the icon in the desktop's tray. It is a separate
// program because Wails and the tray library both want to own the GTK main
// loop. It is a stateless client: it draws the last protocol.TrayState from its
// standard input completely, and writes the user's clicks to its standard
// output as protocol.TrayAction. It ends when its input ends, so it cannot
// outlive the app.
package main
