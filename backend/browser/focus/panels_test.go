package focus

import (
	"context"
	"encoding/json"
	"log/slog"
	"testing"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	"github.com/chromedp/cdproto/input"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/devtools/fake"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
)

// followed returns a browser with one panel that has the focus, and a page next
// to it.
func followed(t *testing.T) (*fake.Browser, *Panels, *devtools.Session) {
	t.Helper()
	k := New(slog.New(slog.DiscardHandler))
	b, c := fake.Connect(t, func(ctx context.Context, s *devtools.Session, params any) { k.GiveBackAfter(ctx, s, params) })
	asked := b.Await(t, runtime.Evaluate.Method)
	info := &target.Info{Type: "page", TargetID: "P", URL: tabs.PanelURL}
	k.Follow(t.Context(), c, info)
	k.Follow(t.Context(), c, info) // the second call has no effect
	k.Follow(t.Context(), c, &target.Info{Type: "page", TargetID: "T1", URL: "https://example.com/"})
	panel := asked().Session
	b.Emit(panel, runtime.BindingCalled.Method, map[string]any{"name": focusBinding, "payload": "1", "executionContextId": 1})
	s, err := c.Attach(t.Context(), "T1") // its answer comes after the event
	if err != nil {
		t.Fatal(err)
	}
	if k.At() == nil || k.At().ID != panel {
		t.Fatalf("the panel with the focus is %v", k.At())
	}
	return b, k, s
}

// The panel gets the focus back after a press in a page, and after no other
// input.
func TestFocusComesBack(t *testing.T) {
	b, _, s := followed(t)
	back := b.Await(t, cdppage.BringToFront.Method)
	for _, kind := range []input.DispatchMouseEventType{input.DispatchMouseEventTypeMouseMoved, input.DispatchMouseEventTypeMousePressed} {
		if err := s.Call(t.Context(), input.DispatchMouseEvent.Method, input.DispatchMouseEventParams{Type: kind}, nil); err != nil {
			t.Fatal(err)
		}
	}
	back()
	var order []string
	for _, c := range b.Calls() {
		if c.Method == cdppage.BringToFront.Method || c.Method == input.DispatchMouseEvent.Method {
			order = append(order, c.Method)
		}
	}
	if len(order) != 3 || order[2] != cdppage.BringToFront.Method {
		t.Errorf("the browser was told %v", order)
	}
}

// The panel gets the focus back after a script of a command opened a tab, and not after
// the user did.
func TestFocusComesBackFromATabOfAScript(t *testing.T) {
	b, k, s := followed(t)
	child := &target.Info{Type: "page", TargetID: "T2", OpenerID: "T1"}
	k.Opened(t.Context(), child) // by the user
	yes := true
	if err := s.Call(t.Context(), runtime.Evaluate.Method, runtime.EvaluateParams{Expression: "open()", UserGesture: &yes}, nil); err != nil {
		t.Fatal(err)
	}
	for _, c := range b.Calls() {
		if c.Method == cdppage.BringToFront.Method {
			t.Fatal("the user's own tab did not keep the focus")
		}
	}
	k.Opened(t.Context(), &target.Info{Type: "page", TargetID: "T3"}) // an empty tab has no opener
	back := b.Await(t, cdppage.BringToFront.Method)
	k.Opened(t.Context(), child)
	if call := back(); call.Session != k.At().ID {
		t.Errorf("%s was brought to the front", call.Session)
	}
	// The browser gives the new tab the focus after it has reported the tab.
	back = b.Await(t, cdppage.BringToFront.Method)
	b.Emit(k.At().ID, runtime.BindingCalled.Method, map[string]any{"name": focusBinding, "payload": "0", "executionContextId": 1})
	back()
}

// A key that a page passes on is pressed in the panel.
func TestKeysOfThePanel(t *testing.T) {
	b, k, _ := followed(t)
	pressed := b.Await(t, input.DispatchKeyEvent.Method)
	key, err := json.Marshal(map[string]any{"type": "keydown", "key": "x"})
	if err != nil {
		t.Fatal(err)
	}
	raw, err := json.Marshal(map[string]any{"name": page.KeyBinding, "payload": string(key), "executionContextId": 1})
	if err != nil {
		t.Fatal(err)
	}
	k.PassKey(devtools.Event{Method: runtime.BindingCalled.Method, Params: jsonv2.Value(raw)})
	call := pressed()
	var got struct{ Type, Key, Text string }
	if err := json.Unmarshal(call.Params, &got); err != nil || got.Text != "x" || got.Type != "keyDown" || call.Session != k.At().ID {
		t.Errorf("%+v in %s, %v", got, call.Session, err)
	}
}
