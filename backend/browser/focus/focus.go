// Package focus keeps the keyboard's focus with the user: in the side panel, while a
// command presses in a page.
package focus

import (
	"context"
	"encoding/json"
	"log/slog"
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
)

// focusBinding is the name of the binding in the panel.
const focusBinding = "pilotfishFocus"

// Panels are where the user types: the panel that has the keyboard focus. A
// press by the protocol makes the browser focus the page that it meets (see
// docs/adr/030), so each press is followed, in the browser's own queue, by the
// command that gives the focus back.
type Panels struct {
	log *slog.Logger

	mu     sync.Mutex
	panels map[target.ID]*Panel
	holder *Panel // the panel that has the focus; nil for none
}

// New returns the panels of a life of the browser: none.
func New(log *slog.Logger) *Panels { return &Panels{log: log, panels: make(map[target.ID]*Panel)} }

// Panel is a panel, and the keys that pages pass on to it in their order.
type Panel struct {
	*devtools.Session
	keys chan passedKey
}

// keyQueue is how many keys may wait for a panel.
const keyQueue = 64

// Follow attaches to a panel, once, and hears from it when it gets and loses the
// focus, until it is gone. It does not wait. Another target is left alone.
func (k *Panels) Follow(ctx context.Context, conn *devtools.Conn, info *target.Info) {
	if info.Type != "page" || !strings.HasPrefix(info.URL, tabs.PanelURL) || k.knows(info.TargetID) {
		return
	}
	go func() {
		if err := k.hear(ctx, conn, info.TargetID); err != nil {
			k.forget(info.TargetID)
			k.log.DebugContext(ctx, "the panel's focus is not followed", "error", err)
		}
	}()
}

// knows says whether a panel is followed, and notes it if not.
func (k *Panels) knows(id target.ID) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.panels[id]; known {
		return true
	}
	k.panels[id] = nil
	return false
}

func (k *Panels) forget(id target.ID) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.holder != nil && k.holder == k.panels[id] {
		k.holder = nil
	}
	delete(k.panels, id)
}

func (k *Panels) hear(ctx context.Context, conn *devtools.Conn, id target.ID) error {
	s, err := conn.Attach(ctx, id)
	if err != nil {
		return err
	}
	held := &Panel{Session: s, keys: make(chan passedKey, keyQueue)}
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
func (k *Panels) told(s *Panel, has bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case has:
		k.holder = s
	case k.holder == s:
		k.holder = nil
	}
}

// At is the panel that has the focus; nil for none.
func (k *Panels) At() *Panel {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.holder
}

// GiveBackAfter returns the focus to the panel that has it when a command was sent
// that takes it.
func (k *Panels) GiveBackAfter(ctx context.Context, s *devtools.Session, params any) {
	if !takesFocus(params) {
		return
	}
	if panel := k.At(); panel != nil && panel.Session != s {
		panel.TakeBack(ctx)
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

// TakeBack gives the panel the focus again. It is not waited for: what matters is
// that it stands right behind the command that took the focus. In a panel that
// has the focus it does nothing.
func (p *Panel) TakeBack(ctx context.Context) {
	_ = devtools.Post(ctx, p.Session, cdppage.BringToFront, cdp.Empty{}) // a panel that is gone has no focus
}

// HoldKeys has a page pass on what the user types in the panel while the browser
// presses there: between the press and the return of the focus lies a moment in which
// a key would reach the page. It ends with FreeKeys.
func (p *Panel) HoldKeys(ctx context.Context, in *page.Page) { tellAll(ctx, in, "hold") }

// FreeKeys ends HoldKeys in every frame.
func (p *Panel) FreeKeys(ctx context.Context, in *page.Page) {
	// The browser answers in order: behind this the focus is back. On a busy machine
	// that is later than what came of the input.
	_, _ = cdp.Call(ctx, p.Session, cdppage.GetNavigationHistory, cdp.Empty{}) // a panel that is gone has no focus
	tellAll(context.WithoutCancel(ctx), in, "free")
}

// tellAll calls a function of world.js in every frame that has it.
func tellAll(ctx context.Context, in *page.Page, name string) {
	for _, f := range in.Frames.All() {
		if s, world := in.Frames.State(f); world != "" {
			_ = page.Tell(ctx, in, f, s, world, name)
		}
	}
}

// passedKey is a key that a page passed on.
type passedKey struct {
	Type      string `json:"type"`
	Key       string `json:"key"`
	Code      string `json:"code"`
	KeyCode   int64  `json:"keyCode"`
	Location  int64  `json:"location"`
	Repeat    bool   `json:"repeat"`
	Modifiers int64  `json:"modifiers"`
}

// PassKey hands a key that a page passed on to the panel that it was meant for.
// The reader calls it, which must not wait.
func (k *Panels) PassKey(e devtools.Event) {
	call, ok := devtools.Decode(e, runtime.BindingCalled)
	if !ok || call.Name != page.KeyBinding {
		return
	}
	var key passedKey
	panel := k.At()
	if json.Unmarshal([]byte(call.Payload), &key) != nil || panel == nil {
		return
	}
	select {
	case panel.keys <- key:
	default: // a page that makes up keys
	}
}

// The modifiers of the protocol with which a key types nothing.
const (
	control = 1 << 1
	meta    = 1 << 2
)

// event is the key as the protocol presses it.
func (k *passedKey) event() input.DispatchKeyEventParams {
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
	case len([]rune(k.Key)) == 1 && k.Modifiers&(control|meta) == 0:
		text = k.Key
	}
	if text != "" {
		out.Type, out.Text = input.DispatchKeyEventTypeKeyDown, text
	}
	return out
}
