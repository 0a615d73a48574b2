package main

/*
#cgo pkg-config: glib-2.0
#include <glib.h>

static void name_program(void) { g_set_prgname("pilotfish"); }
*/
import "C"

// nameProgram sets the name by which the desktop finds the window's entry
// (build/linux/pilotfish.desktop). GTK reads it once, when it starts; without
// this it would use the name of this program's file.
func nameProgram() { C.name_program() }
