package browser

import (
	"context"
	"encoding/json"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// focusBinding is the name of the binding in the panel.
const focusBinding = "pilotfishFocus"

// keyboard is where the user types: the panel that has the keyboard focus. A
// press by the protocol makes the browser focus the page that it meets (see
// docs/adr/030), so each press is followed, in the browser's own queue, by the
// command that gives the focus back.
type keyboard struct {
	mu     sync.Mutex
	panels map[target.ID]*heldPanel
	holder *heldPanel // the panel that has the focus; nil for none
}

// heldPanel is a panel, and the keys that pages pass on to it in their order.
type heldPanel struct {
	*devtools.Session
	keys chan heldKey
}

// keyQueue is how many keys may wait for a panel.
const keyQueue = 64

// followPanel attaches to a panel and hears from it when it gets and loses the
// focus. It returns when the panel is gone.
func (r *run) followPanel(ctx context.Context, info *target.Info) {
	if info.Type != "page" || !strings.HasPrefix(info.URL, tabs.PanelURL) || r.keyboard.knows(info.TargetID) {
		return
	}
	go func() {
		if err := r.hearPanel(ctx, info.TargetID); err != nil {
			r.keyboard.forget(info.TargetID)
			r.log.DebugContext(ctx, "the panel's focus is not followed", "error", err)
		}
	}()
}

// knows says whether a panel is followed, and notes it if not.
func (k *keyboard) knows(id target.ID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.panels[id]; known {
		return true
	}
	if k.panels == nil {
		k.panels = make(map[target.ID]*heldPanel)
	}
	k.panels[id] = nil
	return false
}

func (k *keyboard) forget(id target.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holder != nil && k.holder == k.panels[id] {
		k.holder = nil
	}
	delete(k.panels, id)
}

func (r *run) hearPanel(ctx context.Context, id target.ID) error {
	s, err := r.conn.Attach(ctx, id)
	if err != nil {
		return err
	}
	k, held := &r.keyboard, &heldPanel{Session: s, keys: make(chan heldKey, keyQueue)}
	k.mu.Lock()
	k.panels[id] = held
	k.mu.Unlock()
	s.Follow(func(e devtools.Event) {
		if e.Method != runtime.BindingCalled.Method {
			return
		}
		if call, ok := devtools.Decode(e, runtime.BindingCalled); ok && call.Name == focusBinding {
			k.told(held, call.Payload == "1")
		}
	})
	go func() { // it ends with its session
		defer k.forget(id)
		for {
			select {
			case <-s.Done:
				return
			case key := <-held.keys:
				_ = s.Post(ctx, input.DispatchKeyEvent.Method, key.event()) // it ends with the panel
			}
		}
	}()
	if err := devtools.Post(ctx, s, runtime.Enable, cdp.Empty{}); err != nil {
		return err
	}
	if err := devtools.Post(ctx, s, runtime.AddBinding, runtime.AddBindingParams{Name: focusBinding}); err != nil {
		return err
	}
	// It may have told before there was a binding.
	return devtools.Post(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: `globalThis.pilotfishTellFocus?.()`})
}

// told takes in that a panel got or lost the focus.
func (k *keyboard) told(s *heldPanel, has bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case has:
		k.holder = s
	case k.holder == s:
		k.holder = nil
	}
}

// at is the panel that has the focus; nil for none.
func (k *keyboard) at() *heldPanel {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.holder
}

// giveBackAfter returns the focus to the panel that has it when a command was sent
// that takes it.
func (k *keyboard) giveBackAfter(ctx context.Context, s *devtools.Session, params any) {
	if !takesFocus(params) {
		return
	}
	if panel := k.at(); panel != nil && panel.Session != s {
		giveBack(ctx, panel)
	}
}

// takesFocus says whether a command makes the browser focus the page that it is
// sent to.
func takesFocus(params any) bool {
	switch q := params.(type) {
	case input.DispatchMouseEventParams:
		return q.Type == input.DispatchMouseEventTypeMousePressed
	case input.DispatchTouchEventParams:
		return q.Type == input.DispatchTouchEventTypeTouchStart
	case input.SynthesizeTapGestureParams, input.SynthesizePinchGestureParams, input.SynthesizeScrollGestureParams:
		return true
	}
	return false
}

// giveBack returns the focus to a panel. It is not waited for: what matters is
// that it stands right behind the command that took the focus. In a panel that
// has the focus it does nothing.
func giveBack(ctx context.Context, panel *heldPanel) {
	_ = devtools.Post(ctx, panel.Session, cdppage.BringToFront, cdp.Empty{}) // a panel that is gone has no focus
}

// holdKeys has the page pass on what the user types while the browser presses
// there: between the press and the return of the focus lies a moment in which a
// key would reach the page. It ends with freeKeys.
func (a *action) holdKeys(ctx context.Context) {
	switch a.q.Kind {
	case protocol.ActClick, protocol.ActCheck, protocol.ActDrag, protocol.ActTap, protocol.ActSwipe, protocol.ActPinch:
	case protocol.ActMouse:
		if a.q.Do != "down" {
			return
		}
	default:
		return
	}
	if a.keys = a.p.r.keyboard.at(); a.keys == nil {
		return
	}
	for _, f := range a.p.Frames.All() {
		if s, world := a.p.Frames.State(f); world != "" {
			_ = a.p.tell(ctx, f, s, world, "hold")
		}
	}
}

// freeKeys ends holdKeys in every frame, and returns the focus once more where
// the action opened a tab, which takes it when it comes to the front.
func (a *action) freeKeys(ctx context.Context) {
	if a.keys == nil {
		return
	}
	// The browser answers in order: behind this the focus is back. On a busy machine
	// that is later than what came of the input.
	_, _ = cdp.Call(ctx, a.keys.Session, cdppage.GetNavigationHistory, cdp.Empty{}) // a panel that is gone has no focus
	ctx = context.WithoutCancel(ctx)
	for _, f := range a.p.Frames.All() {
		if s, world := a.p.Frames.State(f); world != "" {
			_ = a.p.tell(ctx, f, s, world, "free")
		}
	}
	if len(a.fx.out.Tabs) > 0 {
		giveBack(ctx, a.keys)
	}
}

// heldKey is a key that a page passed on.
type heldKey struct {
	Type      string `json:"type"`
	Key       string `json:"key"`
	Code      string `json:"code"`
	KeyCode   int64  `json:"keyCode"`
	Location  int64  `json:"location"`
	Repeat    bool   `json:"repeat"`
	Modifiers int64  `json:"modifiers"`
}

// passKey hands a key that a page passed on to the panel that it was meant for.
// The reader calls it, which must not wait.
func (p *tabPage) passKey(e devtools.Event) {
	call, ok := devtools.Decode(e, runtime.BindingCalled)
	if !ok || call.Name != page.KeyBinding {
		return
	}
	var k heldKey
	panel := p.r.keyboard.at()
	if json.Unmarshal([]byte(call.Payload), &k) != nil || panel == nil {
		return
	}
	select {
	case panel.keys <- k:
	default: // a page that makes up keys
	}
}

// event is the key as the protocol presses it.
func (k *heldKey) event() input.DispatchKeyEventParams {
	out := input.DispatchKeyEventParams{
		Type: input.DispatchKeyEventTypeKeyUp, Key: k.Key, Code: k.Code, WindowsVirtualKeyCode: k.KeyCode,
		Location: k.Location, Modifiers: k.Modifiers,
	}
	if k.Type != "keydown" {
		return out
	}
	out.Type, out.AutoRepeat = input.DispatchKeyEventTypeRawKeyDown, &k.Repeat
	text := ""
	switch {
	case k.Key == "Enter":
		text = "\r"
	case len([]rune(k.Key)) == 1 && k.Modifiers&(modControl|modMeta) == 0:
		text = k.Key
	}
	if text != "" {
		out.Type, out.Text = input.DispatchKeyEventTypeKeyDown, text
	}
	return out
}
