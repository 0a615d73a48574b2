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

// stepTime is the time between two moves of something that has a speed: that of
// a pointer's reports.
const stepTime = 16 * time.Millisecond

// rest waits while something is held down, and takes in what the page does.
func (a *action) rest(ctx context.Context, d time.Duration) error {
	if d <= 0 {
		return nil
	}
	over := make(chan struct{})
	timer := time.AfterFunc(d, func() { close(over) })
	defer timer.Stop()
	return a.fx.pump(ctx, over, nil)
}

// inTime refuses what takes longer than the command has.
func inTime(ctx context.Context, d time.Duration, what string) error {
	if until, ok := ctx.Deadline(); ok && time.Until(until) < d {
		return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s takes %s, which is longer than the command has", what, d.Round(time.Millisecond)), "more speed helps", protocol.MoreTime())
	}
	return nil
}

// release lets go of a mouse button that an action pressed and could not let go of.
func (a *action) release(ctx context.Context, at page.Point, button input.MouseButton) {
	up := mouse(input.DispatchMouseEventTypeMouseReleased, at, button, a.held.pressed(), 1, a.held.mods())
	_ = a.p.Post(context.WithoutCancel(ctx), up.method, up.params)
}

// pressLong is a click whose button stays down for a while.
func (a *action) pressLong(ctx context.Context, at page.Point, button input.MouseButton, bits int64, count int, mods int64) error {
	long := time.Duration(a.q.HoldMS) * time.Millisecond
	if err := inTime(ctx, time.Duration(count)*long, "the click"); err != nil {
		return err
	}
	a.pressed = true
	messages := []message{mouse(input.DispatchMouseEventTypeMouseMoved, at, "", 0, 0, mods)}
	for i := range count {
		messages = append(messages, mouse(input.DispatchMouseEventTypeMousePressed, at, button, bits, i+1, mods))
		err := a.send(ctx, a.p.Session, messages...)
		if err == nil {
			err = a.rest(ctx, long)
		}
		if err != nil {
			a.release(ctx, at, button)
			return err
		}
		up := mouse(input.DispatchMouseEventTypeMouseReleased, at, button, 0, i+1, mods)
		if i == count-1 {
			return a.strike(ctx, a.p.Session, up)
		}
		messages = []message{up}
	}
	return nil
}

// theMouse moves the mouse, or presses or lets go of a button of it.
func (a *action) theMouse(ctx context.Context) error {
	button, bits, _, mods, err := a.mouse()
	if err != nil {
		return err
	}
	name := "the " + string(button) + " mouse button"
	isDown := a.held.pressed()&bits != 0
	switch {
	case a.q.Do == "move" && a.q.Target == "":
		return protocol.NewError(protocol.CodeBadArgument, "mouse move needs a target", "", protocol.Example("mouse", "move", "120,80"))
	case a.q.Do == "down" && isDown:
		return protocol.NewError(protocol.CodeBadArgument, name+" is already down", "", protocol.Try("releases it", "mouse", "up"))
	case a.q.Do == "up" && !isDown:
		return protocol.NewError(protocol.CodeBadArgument, name+" is not down", "", protocol.Try("presses it", "mouse", "down"))
	}
	at := a.held.pointer()
	var messages []message
	switch {
	case a.q.Target != "":
		if at, err = a.point(ctx, a.q.Do == "down"); err != nil {
			return err
		}
		a.held.move(at)
		messages = append(messages, a.moved(at, mods))
	case at == page.Point{}:
		return protocol.NewError(protocol.CodeBadArgument, "the position of the mouse is not known yet", "give a target, or move the mouse first", protocol.Example("mouse", "move", "120,80"))
	default:
		a.f = a.p.Frames.Main()
		a.fx.out.Hit = fmt.Sprintf("the mouse at %.0f,%.0f", at.X, at.Y)
		if err := a.p.Ask(ctx, a.f, "watch", nil, nil); err != nil {
			return err
		}
	}
	switch a.q.Do {
	case "down":
		// What is dragged natively is told to us: the system would take the pointer.
		if err := a.intercept(ctx, true); err != nil {
			return err
		}
		a.pressed = a.guarded
		messages = append(messages, mouse(input.DispatchMouseEventTypeMousePressed, at, button, a.held.button(bits, true), 1, mods))
		return a.send(ctx, a.p.Session, messages...)
	case "up":
		if err := a.sendMoves(ctx, at, messages); err != nil {
			return err
		}
		var last []message
		if data := a.held.dropped(); data != nil {
			last = append(last, dragged(input.DispatchDragEventTypeDrop, at, data))
		}
		left := a.held.button(bits, false)
		last = append(last, mouse(input.DispatchMouseEventTypeMouseReleased, at, button, left, 1, mods))
		err := a.send(ctx, a.p.Session, last...)
		if left == 0 {
			err = errors.Join(err, a.intercept(ctx, false))
		}
		return err
	}
	return a.sendMoves(ctx, at, messages)
}

// moved is the mouse moving with what the caller holds down.
func (a *action) moved(at page.Point, mods int64) message {
	bits, button := a.held.pressed(), input.MouseButton("")
	for _, b := range buttons {
		if bits&b.bit != 0 {
			button = b.button
			break
		}
	}
	return mouse(input.DispatchMouseEventTypeMouseMoved, at, button, bits, 0, mods)
}

// sendMoves sends moves of the mouse. Where the page drags natively, the browser
// hands the drag over and is told where it goes.
func (a *action) sendMoves(ctx context.Context, at page.Point, messages []message) error {
	if data := a.held.dragging(); data != nil && len(messages) > 0 {
		return a.send(ctx, a.p.Session, dragged(input.DispatchDragEventTypeDragOver, at, data))
	}
	if len(messages) == 0 {
		return nil
	}
	if err := a.send(ctx, a.p.Session, messages...); err != nil || a.held.pressed() == 0 {
		return err
	}
	if err := a.hearDrag(ctx); err != nil || a.fx.drag == nil {
		return err
	}
	a.held.drag(a.fx.drag)
	return a.send(ctx, a.p.Session, dragged(input.DispatchDragEventTypeDragEnter, at, a.fx.drag), dragged(input.DispatchDragEventTypeDragOver, at, a.fx.drag))
}

// hearDrag takes in whether the moves began a native drag: the renderer tells of
// it before it answers this.
func (a *action) hearDrag(ctx context.Context) error {
	if err := a.fx.call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "url", nil, nil) }); err != nil {
		return err
	}
	return a.fx.drain(ctx)
}

func dragged(kind input.DispatchDragEventType, at page.Point, data *input.DragData) message {
	return message{input.DispatchDragEvent.Method, input.DispatchDragEventParams{Type: kind, X: at.X, Y: at.Y, Data: data}}
}

func (a *action) intercept(ctx context.Context, on bool) error {
	return devtools.Post(ctx, a.p.Session, input.SetInterceptDrags, input.SetInterceptDragsParams{Enabled: on})
}
