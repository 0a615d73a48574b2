package main

/*
#cgo pkg-config: glib-2.0
#include <glib.h>

static void name_program(void) { g_set_prgname("pilotfish"); }
*/
import "C"

// nameProgram gives the window the name by which a desktop finds its entry
// (build/linux/pilotfish.desktop): GTK takes it once, when it begins, and would take
// that of this program's file.
func nameProgram() { C.name_program() }
