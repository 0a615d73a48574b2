package main

/*
#cgo pkg-config: gtk+-3.0
#include "placement_linux.h"
*/
import "C"

import (
	"runtime"
	"runtime/cgo"
)

// watchPlace places the window before it is shown, and reports when the user
// moves it. Wails can do neither. Call it on the main thread, before Wails
// runs.
func (w *window) watchPlace() {
	runtime.LockOSThread()                                 // GTK's thread from now on, as Wails expects
	C.pilotfish_watch_place(C.uintptr_t(cgo.NewHandle(w))) // never freed: it lives as long as the program
}

//export pilotfishPlace
func pilotfishPlace(handle C.uintptr_t, shown *C.GtkWindow) {
	w := cgo.Handle(handle).Value().(*window)
	var found [mostScreens]C.GdkRectangle
	var areas []area
	for _, r := range found[:C.pilotfish_work_areas(&found[0], mostScreens)] {
		areas = append(areas, areaOf(&r))
	}
	w.mu.Lock()
	was := w.placement
	w.mu.Unlock()
	at, known := place(was, areas)
	C.gtk_window_resize(shown, C.gint(at.width), C.gint(at.height))
	if known {
		var maximised C.gboolean
		if was != nil && was.Maximised {
			maximised = 1
		}
		C.pilotfish_move(shown, C.int(at.x), C.int(at.y), maximised)
	}
	if w.behind {
		C.pilotfish_show_behind(shown)
	}
}

//export pilotfishMoved
func pilotfishMoved(handle C.uintptr_t, at *C.GdkRectangle, maximised C.gboolean) {
	cgo.Handle(handle).Value().(*window).moved(areaOf(at), maximised != 0)
}

func areaOf(r *C.GdkRectangle) area {
	return area{int(r.x), int(r.y), int(r.width), int(r.height)}
}
