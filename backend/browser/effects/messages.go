package effects

import (
	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/page"
)

// Message is a CDP command whose parameters are untyped.
type Message struct {
	Method string
	Params any
}

// Mouse returns a mouse event.
func Mouse(kind input.DispatchMouseEventType, at page.Point, button input.MouseButton, bits int64, count int, mods int64) Message {
	return Message{input.DispatchMouseEvent.Method, input.DispatchMouseEventParams{
		Type: kind, X: at.X, Y: at.Y, Button: button, Buttons: bits, ClickCount: int64(count), Modifiers: mods,
	}}
}

// Dragged returns an event of a native drag.
func Dragged(kind input.DispatchDragEventType, at page.Point, data *input.DragData) Message {
	return Message{input.DispatchDragEvent.Method, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data}}
}

// Expects returns which input a page will receive from messages; is reports whether
// there is any.
func Expects(messages []Message) (e overlay.Expected, is bool) {
	for _, m := range messages {
		var x, y float64
		switch q := m.Params.(type) {
		case input.DispatchMouseEventParams:
			x, y = q.X, q.Y
		case input.DispatchDragEventParams:
			x, y = q.X, q.Y
		case input.DispatchKeyEventParams:
			is = true
			if e.Keys == nil {
				e.Keys = []string{}
			}
			if q.Type == input.DispatchKeyEventTypeKeyDown || q.Type == input.DispatchKeyEventTypeRawKeyDown {
				e.Keys = append(e.Keys, q.Key)
			}
			continue
		case input.InsertTextParams:
			is = true
			continue
		case input.DispatchTouchEventParams:
			is, e.Pointer = true, true
			for _, p := range q.TouchPoints {
				e.Include(p.X, p.Y)
			}
			continue
		default:
			continue
		}
		is, e.Pointer = true, true
		e.Include(x, y)
	}
	return e, is
}

// Keys returns key events as messages.
func Keys(events ...input.DispatchKeyEventParams) []Message {
	out := make([]Message, 0, len(events))
	for _, e := range events {
		out = append(out, Message{input.DispatchKeyEvent.Method, e})
	}
	return out
}
