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
// is created. The library that draws the icon (libayatana-appindicator 0.5.92)
// requests the connection and the tray host at the same time. If the host's
// answer comes before the connection, the library never asks the host to show
// the icon. With an existing connection, the first answer needs no round trip.
func connectBus() { C.connect_bus() }
