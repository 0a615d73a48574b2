package main

import "pilotfish/backend/protocol"

// area is a rectangle on the desktop, in device independent pixels.
type area struct{ x, y, width, height int }

// overlap returns how many pixels two areas share.
func (a area) overlap(b area) int {
	w := min(a.x+a.width, b.x+b.width) - max(a.x, b.x)
	h := min(a.y+a.height, b.y+b.height) - max(a.y, b.y)
	return max(w, 0) * max(h, 0)
}

// place computes where to show the window: where it was, or else at the lower
// left, away from the browser's side panel. The result fits into the work area
// of the screen that the window was on, or of the first screen. areas are the
// work areas of the screens. When none is known the window manager decides, and
// ok is false.
func place(was *protocol.WindowPlacement, areas []area) (at area, ok bool) {
	at = area{width: windowWidth, height: windowHeight}
	if was != nil {
		at = area{was.X, was.Y, was.Width, was.Height}
	}
	if len(areas) == 0 {
		return at, false
	}
	on := areas[0]
	for _, a := range areas[1:] {
		if was != nil && a.overlap(at) > on.overlap(at) {
			on = a
		}
	}
	if was == nil {
		at.x, at.y = on.x, on.y+on.height
	}
	at.width = max(min(at.width, on.width), windowMinWidth)
	at.height = max(min(at.height, on.height-titleHeight), windowMinHeight)
	at.x = max(min(at.x, on.x+on.width-at.width), on.x)
	at.y = max(min(at.y, on.y+on.height-titleHeight-at.height), on.y)
	return at, true
}

// moved records where the user has moved the window. While the window is
// maximised, the recorded place stays the one that it returns to.
func (w *window) moved(at area, maximised bool) {
	w.mu.Lock()
	now := protocol.WindowPlacement{X: at.x, Y: at.y, Width: at.width, Height: at.height}
	if maximised {
		if w.placement != nil {
			now = *w.placement
		}
		now.Maximised = true
	}
	changed := w.placement == nil || now != *w.placement
	w.placement = &now
	w.mu.Unlock()
	if changed {
		w.tell(protocol.WindowReport{Report: protocol.ReportPlaced, Placement: &now})
	}
}
