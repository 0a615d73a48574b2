package input

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// stepTime is the time between two moves of a pointer or finger that has a speed: the
// interval of a pointer's reports.
const stepTime = 16 * time.Millisecond

// rest waits while something is held down, and processes events meanwhile.
func (a *action) rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	over := make(chan struct{})
	timer := time.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	return a.fx.Pump(ctx, over, nil)
}

// inTime returns an error for an action that takes longer than the command's deadline
// allows.
func inTime(ctx context.Context, d time.Duration, what string) error {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s takes %s, which is longer than the command's time limit", what, d.Round(time.Millisecond)), "use a higher speed", protocol.MoreTime())
	}
	return nil
}

// release releases a mouse button that an action pressed and could not release.
func (a *action) release(ctx context.Context, at page.Point, button input.MouseButton) {
	up := mouseMessage(input.DispatchMouseEventTypeMouseReleased, at, button, a.held.Pressed(), 1, a.held.Mods())
	_ = a.p.Post(context.WithoutCancel(ctx), up.Method, up.Params)
}

// pressLong is a click whose button stays down for HoldMS milliseconds.
func (a *action) pressLong(ctx context.Context, at page.Point, button input.MouseButton, bits int64, count int, mods int64) error {
	long := time.Duration(a.q.HoldMS) * time.Millisecond
	if err := inTime(ctx, time.Duration(count)*long, "the click"); err != nil {
		return err
	}
	a.pressed = true
	messages := []message{mouseMessage(input.DispatchMouseEventTypeMouseMoved, at, "", 0, 0, mods)}
	for i := range count {
		messages = append(messages, mouseMessage(input.DispatchMouseEventTypeMousePressed, at, button, bits, i+1, mods))
		err := a.send(ctx, a.p.Session, messages...)
		if err == nil {
			err = a.rest(ctx, long)
		}
		if err != nil {
			a.release(ctx, at, button)
			return err
		}
		up := mouseMessage(input.DispatchMouseEventTypeMouseReleased, at, button, 0, i+1, mods)
		if i == count-1 {
			return a.dispatch(ctx, a.p.Session, up)
		}
		messages = []message{up}
	}
	return nil
}

// theMouse moves the mouse, or presses or releases one of its buttons.
func (a *action) theMouse(ctx context.Context) error {
	button, bits, _, mods, err := a.mouse()
	if err != nil {
		return err
	}
	name := "the " + string(button) + " mouse button"
	isDown := a.held.Pressed()&bits != 0
	switch {
	case a.q.Do == "move" && a.q.Target == "":
		return protocol.NewError(protocol.CodeBadArgument, "mouse move needs a target", "", protocol.Example("mouse", "move", "120,80"))
	case a.q.Do == "down" && isDown:
		return protocol.NewError(protocol.CodeBadArgument, name+" is already down", "", protocol.Try("releases it", "mouse", "up"))
	case a.q.Do == "up" && !isDown:
		return protocol.NewError(protocol.CodeBadArgument, name+" is not down", "", protocol.Try("presses it", "mouse", "down"))
	}
	at := a.held.Pointer()
	var messages []message
	switch {
	case a.q.Target != "":
		if at, err = a.point(ctx, a.q.Do == "down"); err != nil {
			return err
		}
		a.held.Move(at)
		messages = append(messages, a.moved(at, mods))
	case at == page.Point{}:
		return protocol.NewError(protocol.CodeBadArgument, "the position of the mouse is not known yet", "give a target, or move the mouse first", protocol.Example("mouse", "move", "120,80"))
	default:
		a.f = a.p.Frames.Main()
		a.fx.Out.Hit = fmt.Sprintf("the mouse at %.0f,%.0f", at.X, at.Y)
		if err := a.p.Ask(ctx, a.f, "watch", nil, nil); err != nil {
			return err
		}
	}
	switch a.q.Do {
	case "down":
		// Intercept native drags: otherwise the system would take the pointer.
		if err := a.intercept(ctx, true); err != nil {
			return err
		}
		a.pressed = a.guarded
		messages = append(messages, mouseMessage(input.DispatchMouseEventTypeMousePressed, at, button, a.held.Button(bits, true), 1, mods))
		return a.send(ctx, a.p.Session, messages...)
	case "up":
		if err := a.sendMoves(ctx, at, messages); err != nil {
			return err
		}
		var last []message
		if data := a.held.Dropped(); data != nil {
			last = append(last, dragMessage(input.DispatchDragEventTypeDrop, at, data))
		}
		left := a.held.Button(bits, false)
		last = append(last, mouseMessage(input.DispatchMouseEventTypeMouseReleased, at, button, left, 1, mods))
		err := a.send(ctx, a.p.Session, last...)
		if left == 0 {
			err = errors.Join(err, a.intercept(ctx, false))
		}
		return err
	}
	return a.sendMoves(ctx, at, messages)
}

// moved returns the event of a mouse move with what the caller holds down.
func (a *action) moved(at page.Point, mods int64) message {
	bits := a.held.Pressed()
	return mouseMessage(input.DispatchMouseEventTypeMouseMoved, at, buttonOf(bits), bits, 0, mods)
}

// sendMoves sends mouse moves. For a native drag, the browser hands over the drag
// data, and we dispatch the drag events.
func (a *action) sendMoves(ctx context.Context, at page.Point, messages []message) error {
	if data := a.held.Dragging(); data != nil && len(messages) > 0 {
		return a.send(ctx, a.p.Session, dragMessage(input.DispatchDragEventTypeDragOver, at, data))
	}
	if len(messages) == 0 {
		return nil
	}
	if err := a.send(ctx, a.p.Session, messages...); err != nil || a.held.Pressed() == 0 {
		return err
	}
	if err := a.hearDrag(ctx); err != nil || a.fx.Drag == nil {
		return err
	}
	a.held.Drag(a.fx.Drag)
	return a.send(ctx, a.p.Session, dragMessage(input.DispatchDragEventTypeDragEnter, at, a.fx.Drag), dragMessage(input.DispatchDragEventTypeDragOver, at, a.fx.Drag))
}

// hearDrag finds out whether the moves began a native drag: the renderer reports a
// drag before it answers this request.
func (a *action) hearDrag(ctx context.Context) error {
	if err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "url", nil, nil) }); err != nil {
		return err
	}
	return a.fx.Drain(ctx)
}

func (a *action) intercept(ctx context.Context, on bool) error {
	return devtools.Post(ctx, a.p.Session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: on})
}
