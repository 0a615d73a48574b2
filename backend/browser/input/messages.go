package input

import (
	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/overlay"
	"pilotfish/backend/browser/page"
)

// message is a CDP command whose parameters are untyped.
type message struct {
	Method string
	Params any
}

// mouseMessage returns a mouse event.
func mouseMessage(kind input.DispatchMouseEventType, at page.Point, button input.MouseButton, bits int64, count int, mods int64) message {
	return message{input.DispatchMouseEvent.Method, input.DispatchMouseEventParams{
		Type: kind, X: at.X, Y: at.Y, Button: button, Buttons: bits, ClickCount: int64(count), Modifiers: mods,
	}}
}

// dragMessage returns an event of a native drag.
func dragMessage(kind input.DispatchDragEventType, at page.Point, data *input.DragData) message {
	return message{input.DispatchDragEvent.Method, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data}}
}

// expects returns which input a page will receive from messages; is reports whether
// there is any.
func expects(messages []message) (e overlay.Expected, is bool) {
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

// keyMessages returns key events as messages.
func keyMessages(events ...input.DispatchKeyEventParams) []message {
	out := make([]message, 0, len(events))
	for _, e := range events {
		out = append(out, message{input.DispatchKeyEvent.Method, e})
	}
	return out
}
