package input

import (
	"context"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/mask"
	"pilotfish/backend/browser/page"
)

// expects reads from messages what they will be to a page.
func expects(messages []message) (e mask.Expected, is bool) {
	for _, m := range messages {
		var x, y float64
		switch q := m.params.(type) {
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

// keyMessages are events of keys as messages.
func keyMessages(events ...input.DispatchKeyEventParams) []message {
	out := make([]message, 0, len(events))
	for _, e := range events {
		out = append(out, message{input.DispatchKeyEvent.Method, e})
	}
	return out
}

// send sends input. Under a cover it alone passes, for as long as it takes.
func (a *action) send(ctx context.Context, s *devtools.Session, messages ...message) error {
	return a.lifted(ctx, func() error { return a.fx.send(ctx, s, messages...) }, messages)
}

// lifted does something with messages of input under a cover that lets them pass.
func (a *action) lifted(ctx context.Context, do func() error, messages []message) error {
	in, _ := a.p.Frames.State(a.f)
	a.fx.listen(in)
	what, is := expects(messages)
	if !is || !a.in.config.Masks.Covers(a.p.Target) {
		return do()
	}
	for _, at := range a.fingered { // the end of a touch names no place
		what.Include(at.X, at.Y)
	}
	return a.in.config.Masks.Lift(ctx, a.p, a.touched(), what, do)
}

// touched are the frames that an input of the action goes through.
func (a *action) touched() []*page.Frame {
	main := a.p.Frames.Main()
	if a.q.Target == "" {
		return a.p.Frames.All() // whichever has the focus
	}
	all := []*page.Frame{main}
	for _, f := range append([]*page.Frame{a.f}, a.way...) {
		if f != nil && f != main {
			all = append(all, f)
		}
	}
	return all
}
