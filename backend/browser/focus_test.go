package browser

import (
	"testing"

	"github.com/chromedp/cdproto/input"
)

func TestWhatTakesTheFocus(t *testing.T) {
	for _, c := range []struct {
		params any
		takes  bool
	}{
		{input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMousePressed}, true},
		{input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseMoved}, false},
		{input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseReleased}, false},
		{input.DispatchMouseEventParams{Type: input.DispatchMouseEventTypeMouseWheel}, false},
		{input.DispatchTouchEventParams{Type: input.DispatchTouchEventTypeTouchStart}, true},
		{input.DispatchKeyEventParams{Type: input.DispatchKeyEventTypeKeyDown}, false},
		{nil, false},
	} {
		if got := takesFocus(c.params); got != c.takes {
			t.Errorf("%+v takes the focus: %v", c.params, got)
		}
	}
}

func TestPassedKey(t *testing.T) {
	for _, c := range []struct {
		key  heldKey
		kind input.DispatchKeyEventType
		text string
	}{
		{heldKey{Type: "keydown", Key: "a"}, input.DispatchKeyEventTypeKeyDown, "a"},
		{heldKey{Type: "keydown", Key: "Ä", Modifiers: modShift}, input.DispatchKeyEventTypeKeyDown, "Ä"},
		{heldKey{Type: "keydown", Key: "Enter"}, input.DispatchKeyEventTypeKeyDown, "\r"},
		{heldKey{Type: "keydown", Key: "c", Modifiers: modControl}, input.DispatchKeyEventTypeRawKeyDown, ""},
		{heldKey{Type: "keydown", Key: "ArrowUp"}, input.DispatchKeyEventTypeRawKeyDown, ""},
		{heldKey{Type: "keyup", Key: "a"}, input.DispatchKeyEventTypeKeyUp, ""},
	} {
		if got := c.key.event(); got.Type != c.kind || got.Text != c.text {
			t.Errorf("%+v is typed as %s %q", c.key, got.Type, got.Text)
		}
	}
}
