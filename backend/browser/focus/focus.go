// Package focus keeps the keyboard focus in the side panel, where the user is
// typing, while a command dispatches a press in a page.
package focus

import (
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
)

// focusBinding is the name of the binding through which a panel reports its
// focus.
const focusBinding = "pilotfishFocus"

// Panels tracks the open panels and which of them has the keyboard focus. A press
// by the protocol makes the browser focus the page that it hits (see
// docs/adr/030). So each press is followed, in the browser's own queue, by the
// command that gives the focus back to the panel.
type Panels struct {
	log *slog.Logger

	mu     sync.Mutex
	panels map[target.ID]*Panel
	holder *Panel // the panel that has the focus; nil for none

	left      *Panel    // the panel that had the focus last, until another one has it
	leftAt    time.Time // when it reported its loss
	shownAt   time.Time // when the tab in front last showed another document
	gestureAt time.Time // when a command last gave a page a user's gesture
}

// gesture is how long after a gesture Chromium lets a page open a window.
const gesture = 5 * time.Second

// taking is the time within which a panel that lost the focus lost it to a document that the
// tab in front began to show. A panel reports a loss 60 ms late (steadyfocus.ts), and either
// of the two can be reported first.
const taking = 400 * time.Millisecond

// New returns the panels of a browser: none yet.
func New(log *slog.Logger) *Panels { return &Panels{log: log, panels: make(map[target.ID]*Panel)} }

// Panel is the session of a panel, and the queue of keys that pages pass on to
// it.
type Panel struct {
	*devtools.Session
	keys chan passedKey
}

// keyQueue is how many keys may wait in a panel's queue.
const keyQueue = 64

// Follow attaches to a panel, once, and receives its focus events until it
// closes. It does not block. It ignores targets that are not a panel.
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

// knows reports whether a panel is followed already, and marks it as followed if
// not.
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
			k.focusChanged(ctx, held, call.Payload == "1")
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
	// The panel may have reported its focus before the binding existed.
	return devtools.Post(ctx, s, runtime.Evaluate, runtime.EvaluateParams{Expression: `globalThis.pilotfishTellFocus?.()`})
}

// focusChanged records that a panel gained or lost focus.
func (k *Panels) focusChanged(ctx context.Context, s *Panel, has bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	switch {
	case has:
		k.holder, k.left = s, nil
	case k.holder == s:
		k.holder, k.left, k.leftAt = nil, s, time.Now()
		if time.Since(k.shownAt) < taking {
			go s.TakeBack(ctx) // the connection's reader must not wait to write
		}
	}
}

// Shown gives the focus back to the panel that has it, or has just lost it, because the tab in
// front shows another document: the first page after a new tab takes the focus, as if the user
// had typed its address.
func (k *Panels) Shown(ctx context.Context) {
	k.mu.Lock()
	k.shownAt = time.Now()
	panel := k.holder
	if panel == nil && time.Since(k.leftAt) < taking {
		panel = k.left
	}
	k.mu.Unlock()
	if panel != nil {
		panel.TakeBack(ctx)
	}
}

// Opened gives the focus back to the panel that has it, or is about to report its loss,
// because a page opened a tab by the gesture of a command, such as a script with
// window.open. Without such a gesture it was the user who opened the tab.
func (k *Panels) Opened(ctx context.Context, info *target.Info) {
	if info.Type != "page" || info.OpenerID == "" {
		return
	}
	k.mu.Lock()
	panel := k.holder
	if time.Since(k.gestureAt) >= gesture {
		panel = nil
	}
	if panel != nil {
		k.shownAt = time.Now()
	}
	k.mu.Unlock()
	if panel != nil {
		panel.TakeBack(ctx)
	}
}

// At returns the panel that has the focus; nil for none.
func (k *Panels) At() *Panel {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.holder
}

// GiveBackAfter returns the focus to the panel that has it, after a command was
// sent that takes the focus away. It is called for every command.
func (k *Panels) GiveBackAfter(ctx context.Context, s *devtools.Session, params any) {
	takes := takesFocus(params)
	if takes || runsAsUser(params) {
		k.mu.Lock()
		k.gestureAt = time.Now()
		k.mu.Unlock()
	}
	if !takes {
		return
	}
	if panel := k.At(); panel != nil && panel.Session != s {
		panel.TakeBack(ctx)
	}
}

// takesFocus reports whether a command makes the browser focus the page to which
// it is sent.
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

// runsAsUser reports whether a command runs a script with a user's gesture.
func runsAsUser(params any) bool {
	q, ok := params.(runtime.EvaluateParams)
	return ok && q.UserGesture != nil && *q.UserGesture
}

// TakeBack gives the focus back to the panel. It does not wait for the answer: it
// only matters that the command comes directly after the command that took the
// focus. It has no effect on a panel that has the focus.
func (p *Panel) TakeBack(ctx context.Context) {
	_ = devtools.Post(ctx, p.Session, cdppage.BringToFront, cdp.Empty{}) // a closed panel has no focus
}

// Keep gives the focus back to the panel that has it, and returns when the browser has done
// so. After a command that showed another document, the user's next key is the panel's.
func (k *Panels) Keep(ctx context.Context) {
	panel := k.At()
	if panel == nil {
		return
	}
	panel.TakeBack(ctx)
	panel.settled(ctx)
}

// settled returns when the browser has carried out the commands that were sent before: it
// answers in order.
func (p *Panel) settled(ctx context.Context) {
	_, _ = cdp.Call(ctx, p.Session, cdppage.GetNavigationHistory, cdp.Empty{}) // a closed panel has no focus
}

// HoldKeys makes a page pass on what the user types in the panel while the
// browser dispatches a press in that page: between the press and the return of
// the focus, a key would reach the page. FreeKeys ends this.
func (p *Panel) HoldKeys(ctx context.Context, in *page.Page) { tellAll(ctx, in, "hold") }

// FreeKeys ends HoldKeys in every frame.
func (p *Panel) FreeKeys(ctx context.Context, in *page.Page) {
	// On a busy machine the focus is back later than the report of the input's effect.
	p.settled(ctx)
	tellAll(context.WithoutCancel(ctx), in, "free")
}

// tellAll calls a function of world.js in every frame that has our world.
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

// PassKey queues a key that a page passed on, for the panel that has the focus.
// The connection's reader calls it, so it must not block.
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
	default: // the queue is full: the page must have invented keys
	}
}

// The protocol's modifier bits with which a key types no text.
const (
	control = 1 << 1
	meta    = 1 << 2
)

// event returns the protocol's command that presses the key.
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
