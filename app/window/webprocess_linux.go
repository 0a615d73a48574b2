package main

/*
#cgo pkg-config: gtk+-3.0 webkit2gtk-4.1
#include <stdint.h>

void pilotfish_watch_page(uintptr_t handle);
void pilotfish_reload_page(void);
*/
import "C"

import "runtime/cgo"

// watchPage reloads the window's page when its process dies. WebKit draws the
// page in a separate process, and without it the window stays empty. Wails does
// not handle that. Call it when there is a page.
func (w *window) watchPage() {
	C.pilotfish_watch_page(C.uintptr_t(cgo.NewHandle(w))) // never freed: it lives as long as the program
}

// reloadPage loads the page again.
func reloadPage() { C.pilotfish_reload_page() }

//export pilotfishPageEnded
func pilotfishPageEnded(handle C.uintptr_t) { cgo.Handle(handle).Value().(*window).pageEnded() }
