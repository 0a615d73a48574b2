package input

import (
	"slices"
	"sync"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// heldInputs is what all callers hold down: keys and mouse buttons that went down in one
// command and go up in another. An entry ends with its caller, and when the tab
// navigates to another document.
type heldInputs struct {
	mu sync.Mutex
	by map[holder]*heldInput
}

// holder is a caller in a tab.
type holder struct {
	Tab    protocol.TabID
	Caller string
}

// heldInput is what one caller holds down in one tab. Its methods are safe for concurrent
// use. A nil heldInput holds nothing; Mods, Find, Has, Pressed, Names and TakeLost may be
// called on it.
type heldInput struct {
	mu      sync.Mutex
	down    []key
	buttons int64
	at      page.Point      // where the pointer was moved to
	data    *input.DragData // the data of a native drag
	// lost names what was released since the caller's last action because the tab
	// navigated to another document.
	lost []string
}

// Of returns what a caller holds down in a tab.
func (h *heldInputs) Of(by protocol.Caller, id protocol.TabID) *heldInput {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = make(map[holder]*heldInput)
	}
	k := holder{id, by.Name}
	if h.by[k] == nil {
		h.by[k] = &heldInput{}
	}
	return h.by[k]
}

// Tidy removes a caller that holds nothing and whose pointer position is unknown.
func (h *heldInputs) Tidy(by protocol.Caller, id protocol.TabID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := holder{id, by.Name}
	if one := h.by[k]; one != nil && one.Idle() {
		delete(h.by, k)
	}
}

// Those returns the holders for which ok returns true.
func (h *heldInputs) Those(ok func(holder) bool) map[holder]*heldInput {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[holder]*heldInput)
	for k, one := range h.by {
		if ok(k) {
			out[k] = one
		}
	}
	return out
}

// Forget removes the holders for which ok returns true.
func (h *heldInputs) Forget(ok func(holder) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k := range h.by {
		if ok(k) {
			delete(h.by, k)
		}
	}
}

// Idle reports whether nothing is held down, the pointer position is unknown, and the
// caller need not be informed of anything.
func (h *heldInput) Idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.down) == 0 && h.buttons == 0 && h.at == page.Point{} && len(h.lost) == 0
}

// Mods returns the modifiers that are held down.
func (h *heldInput) Mods() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bits()
}

func (h *heldInput) bits() int64 {
	var bits int64
	for _, k := range h.down {
		bits |= k.Bit()
	}
	return bits
}

// sameKey reports whether two keys are the same physical key.
func sameKey(a, b key) bool {
	if a.Code == "" || b.Code == "" {
		return a.Name == b.Name
	}
	return a.Code == b.Code
}

// Find returns a key as it was when it went down.
func (h *heldInput) Find(k key) (key, bool) {
	if h == nil {
		return key{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.down, func(o key) bool { return sameKey(o, k) })
	if i < 0 {
		return key{}, false
	}
	return h.down[i], true
}

// Has reports whether a key is down.
func (h *heldInput) Has(k key) bool {
	_, ok := h.Find(k)
	return ok
}

// Push records that a key goes down; repeat reports that it was already down.
func (h *heldInput) Push(k key) (repeat bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.down, func(o key) bool { return sameKey(o, k) }) {
		return true
	}
	h.down = append(h.down, k)
	return false
}

// Drop records that a key goes up.
func (h *heldInput) Drop(k key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = slices.DeleteFunc(h.down, func(o key) bool { return sameKey(o, k) })
}

// Button records that buttons went down or up, and returns those that are down now.
func (h *heldInput) Button(bits int64, down bool) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if down {
		h.buttons |= bits
	} else {
		h.buttons &^= bits
	}
	return h.buttons
}

// Drag records that a native drag began.
func (h *heldInput) Drag(data *input.DragData) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.data = data
}

// Dragging returns the data of the native drag; nil for none.
func (h *heldInput) Dragging() *input.DragData {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data
}

// Dropped ends the native drag and returns its data.
func (h *heldInput) Dropped() *input.DragData {
	h.mu.Lock()
	defer h.mu.Unlock()
	data := h.data
	h.data = nil
	return data
}

// Pressed returns the mouse buttons that are held down, as bits.
func (h *heldInput) Pressed() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buttons
}

// Move records where the pointer is.
func (h *heldInput) Move(at page.Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
}

// Pointer returns where the pointer was moved to.
func (h *heldInput) Pointer() page.Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// Take releases everything and returns the events that do so, in the opposite order.
func (h *heldInput) Take() []message {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []message
	bits := h.bits()
	pressed := h.buttons != 0
	if h.data != nil {
		out = append(out, dragMessage(input.DispatchDragEventTypeDragCancel, h.at, h.data))
		h.data = nil
	}
	for _, b := range buttons {
		if h.buttons&b.bit != 0 {
			h.buttons &^= b.bit
			out = append(out, mouseMessage(input.DispatchMouseEventTypeMouseReleased, h.at, b.button, h.buttons, 1, bits))
		}
	}
	if pressed {
		out = append(out, message{Method: input.SetInterceptDrags.Method, Params: input.SetInterceptDragsParams{Enabled: false}})
	}
	for _, k := range slices.Backward(h.down) {
		bits &^= k.Bit()
		out = append(out, keyMessages(k.Up(bits))...)
	}
	h.down = nil
	return out
}

// Names returns what is held down, for people.
func (h *heldInput) Names() []string {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []string
	for _, k := range h.down {
		name := k.Name
		if name == " " {
			name = "Space"
		}
		out = append(out, name)
	}
	for _, b := range buttons {
		if h.buttons&b.bit != 0 {
			out = append(out, string(b.button)+" mouse button")
		}
	}
	return out
}

// Lose releases everything without the caller's request, and returns the events that
// do so. The caller learns of it with its next action.
func (h *heldInput) Lose() []message {
	names := h.Names()
	messages := h.Take()
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lost = append(h.lost, names...)
	return messages
}

// TakeLost returns, once, what was released without the caller's request.
func (h *heldInput) TakeLost() []string {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	lost := h.lost
	h.lost = nil
	return lost
}

// buttons are CDP's mouse buttons with their bits.
var buttons = []struct {
	button input.MouseButton
	bit    int64
}{{input.MouseButtonLeft, 1}, {input.MouseButtonRight, 2}, {input.MouseButtonMiddle, 4}}

// buttonOf returns the first mouse button of some bits; empty for none.
func buttonOf(bits int64) input.MouseButton {
	for _, b := range buttons {
		if bits&b.bit != 0 {
			return b.button
		}
	}
	return ""
}
