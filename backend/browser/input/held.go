package input

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/keys"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// holds is what callers hold down: keys and mouse buttons that went down in one
// command and go up in another. It ends with the caller (ReleaseInput), and when
// the tab goes to another document.
type holds struct {
	mu sync.Mutex
	by map[holder]*held
}

// holder is a caller in a tab.
type holder struct {
	tab    protocol.TabID
	caller string
}

// held is what one caller holds down in one tab. Its methods may be called for
// nil, which holds nothing, and from several goroutines.
type held struct {
	mu      sync.Mutex
	down    []keys.Key
	buttons int64
	at      page.Point      // where the pointer was moved to
	data    *input.DragData // what is dragged natively
	// lost is what was let go because the tab went to another document, since the
	// caller's last action.
	lost []string
}

// heldBy is what the caller of ctx holds down in a tab.
func (in *Input) heldBy(ctx context.Context, id protocol.TabID) *held {
	in.holds.forget(func(k holder) bool { _, open := in.config.Open.Lookup(k.tab); return !open })
	return in.holds.of(ctx, id)
}

func (h *holds) of(ctx context.Context, id protocol.TabID) *held {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.by == nil {
		h.by = make(map[holder]*held)
	}
	k := holder{id, protocol.CallerOf(ctx)}
	if h.by[k] == nil {
		h.by[k] = &held{}
	}
	return h.by[k]
}

// tidy forgets a caller that holds nothing and has not said where the pointer is.
func (h *holds) tidy(ctx context.Context, id protocol.TabID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	k := holder{id, protocol.CallerOf(ctx)}
	if one := h.by[k]; one != nil && one.idle() {
		delete(h.by, k)
	}
}

// those are the holders that ok says yes to.
func (h *holds) those(ok func(holder) bool) map[holder]*held {
	h.mu.Lock()
	defer h.mu.Unlock()
	out := make(map[holder]*held)
	for k, one := range h.by {
		if ok(k) {
			out[k] = one
		}
	}
	return out
}

func (h *holds) forget(ok func(holder) bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for k := range h.by {
		if ok(k) {
			delete(h.by, k)
		}
	}
}

func (h *held) idle() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.down) == 0 && h.buttons == 0 && h.at == page.Point{} && len(h.lost) == 0
}

// mods are the modifiers that are held down.
func (h *held) mods() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.bits()
}

func (h *held) bits() int64 {
	var bits int64
	for _, k := range h.down {
		bits |= k.Bit()
	}
	return bits
}

// sameKey says whether two keys are one of the keyboard.
func sameKey(a, b keys.Key) bool {
	if a.Code == "" || b.Code == "" {
		return a.Name == b.Name
	}
	return a.Code == b.Code
}

// find returns a key as it went down.
func (h *held) find(k keys.Key) (keys.Key, bool) {
	if h == nil {
		return keys.Key{}, false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	i := slices.IndexFunc(h.down, func(o keys.Key) bool { return sameKey(o, k) })
	if i < 0 {
		return keys.Key{}, false
	}
	return h.down[i], true
}

func (h *held) has(k keys.Key) bool {
	_, ok := h.find(k)
	return ok
}

// push holds a key down; repeat says that it was down already.
func (h *held) push(k keys.Key) (repeat bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if slices.ContainsFunc(h.down, func(o keys.Key) bool { return sameKey(o, k) }) {
		return true
	}
	h.down = append(h.down, k)
	return false
}

func (h *held) drop(k keys.Key) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = slices.DeleteFunc(h.down, func(o keys.Key) bool { return sameKey(o, k) })
}

// button notes that buttons went down or up.
func (h *held) button(bits int64, down bool) int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	if down {
		h.buttons |= bits
	} else {
		h.buttons &^= bits
	}
	return h.buttons
}

// drag notes that something is dragged natively.
func (h *held) drag(data *input.DragData) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.data = data
}

// dragging is what is dragged natively; nil for nothing.
func (h *held) dragging() *input.DragData {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.data
}

// dropped is what was dragged natively, whose drag ends.
func (h *held) dropped() *input.DragData {
	h.mu.Lock()
	defer h.mu.Unlock()
	data := h.data
	h.data = nil
	return data
}

// pressed are the mouse buttons that are held down.
func (h *held) pressed() int64 {
	if h == nil {
		return 0
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.buttons
}

// move notes where the pointer is.
func (h *held) move(at page.Point) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.at = at
}

// pointer is where it was moved to.
func (h *held) pointer() page.Point {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.at
}

// take lets go of everything: the events with which it goes up, in the opposite
// order.
func (h *held) take() []message {
	h.mu.Lock()
	defer h.mu.Unlock()
	var out []message
	bits := h.bits()
	pressed := h.buttons != 0
	if h.data != nil {
		out = append(out, dragged(input.DispatchDragEventTypeDragCancel, h.at, h.data))
		h.data = nil
	}
	for _, b := range buttons {
		if h.buttons&b.bit != 0 {
			h.buttons &^= b.bit
			out = append(out, mouse(input.DispatchMouseEventTypeMouseReleased, h.at, b.button, h.buttons, 1, bits))
		}
	}
	if pressed {
		out = append(out, message{input.SetInterceptDrags.Method, input.SetInterceptDragsParams{Enabled: false}})
	}
	for _, k := range slices.Backward(h.down) {
		bits &^= k.Bit()
		out = append(out, keyMessages(k.Up(bits))...)
	}
	h.down = nil
	return out
}

// names is what is held down, for people.
func (h *held) names() []string {
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

// takeLost returns what was let go behind the caller's back, once.
func (h *held) takeLost() []string {
	if h == nil {
		return nil
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	lost := h.lost
	h.lost = nil
	return lost
}

// buttons are the mouse buttons of the protocol.
var buttons = []struct {
	button input.MouseButton
	bit    int64
}{{input.MouseButtonLeft, 1}, {input.MouseButtonRight, 2}, {input.MouseButtonMiddle, 4}}

// Pointer is where the caller of ctx moved the mouse to in a tab, as x,y; empty
// where that is not known.
func (in *Input) Pointer(ctx context.Context, id protocol.TabID) string {
	at := in.heldBy(ctx, id).pointer()
	if at == (page.Point{}) {
		return ""
	}
	return fmt.Sprintf("%g,%g", at.X, at.Y)
}

// ReleaseInput lets go of all keys and mouse buttons that a caller holds down,
// in every tab: the caller has ended.
func (in *Input) ReleaseInput(ctx context.Context, caller string) {
	mine := func(k holder) bool { return k.caller == caller }
	all := in.holds.those(mine)
	in.holds.forget(mine)
	for k, one := range all {
		messages := one.take()
		if len(messages) == 0 {
			continue
		}
		// In a tab that is gone, or a browser that does not run, nothing is held.
		_ = in.tabs.Beside(ctx, k.tab, false, func(ctx context.Context, p *page.Page) error {
			in.letGo(ctx, p, messages)
			return nil
		})
	}
}

// letGo sends the events of keys and buttons that go up, and waits for no answer.
func (in *Input) letGo(ctx context.Context, p *page.Page, messages []message) {
	for _, m := range messages {
		if err := p.Post(ctx, m.method, m.params); err != nil {
			in.config.Log.Debug("input was not released", "error", err)
			return
		}
	}
}

// DropHeld lets go of what is held down in the tab when it goes to another
// document, which never saw it go down. The reader calls it, which must not wait.
func (in *Input) DropHeld(p *page.Page, e devtools.Event) {
	v, ok := devtools.Decode(e, cdppage.FrameNavigated)
	if !ok || v.Frame == nil || v.Frame.ParentID != "" || v.Frame.ID != cdp.FrameID(p.Target) {
		return
	}
	t, ok := in.config.Open.Find(func(t *tabs.Entry) bool { return t.Target == p.Target })
	if !ok {
		return
	}
	for _, one := range in.holds.those(func(k holder) bool { return k.tab == t.ID }) {
		names := one.names()
		if len(names) == 0 {
			continue
		}
		messages := one.take()
		one.mu.Lock()
		one.lost = append(one.lost, names...)
		one.mu.Unlock()
		go in.letGo(context.Background(), p, messages) // it ends with the session
	}
}
