package main

/*
#cgo pkg-config: gio-2.0
#include <gio/gio.h>

// The connection is GLib's own and lives as long as the program.
static void connect_bus(void) {
	g_bus_get_sync(G_BUS_TYPE_SESSION, NULL, NULL);
}
*/
import "C"

// connectBus connects GLib to the session bus, if there is one, before the icon
// is made. The library that draws it (libayatana-appindicator 0.5.92) asks for
// the connection and for the tray's host at once; where the host's answer comes
// before the connection, it asks nobody to show the icon, ever. With a connection
// that is there already the first answer takes no round trip.
func connectBus() { C.connect_bus() }
