package focus

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
		key  passedKey
		kind input.DispatchKeyEventType
		text string
	}{
		{passedKey{Type: "keydown", Key: "a"}, input.DispatchKeyEventTypeKeyDown, "a"},
		{passedKey{Type: "keydown", Key: "Ä", Modifiers: 1 << 3}, input.DispatchKeyEventTypeKeyDown, "Ä"},
		{passedKey{Type: "keydown", Key: "Enter"}, input.DispatchKeyEventTypeKeyDown, "\r"},
		{passedKey{Type: "keydown", Key: "c", Modifiers: control}, input.DispatchKeyEventTypeRawKeyDown, ""},
		{passedKey{Type: "keydown", Key: "ArrowUp"}, input.DispatchKeyEventTypeRawKeyDown, ""},
		{passedKey{Type: "keyup", Key: "a"}, input.DispatchKeyEventTypeKeyUp, ""},
	} {
		if got := c.key.event(); got.Type != c.kind || got.Text != c.text {
			t.Errorf("%+v is typed as %s %q", c.key, got.Type, got.Text)
		}
	}
}
