package input

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/keys"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// dragging is a drag action.
type dragging struct{ *action }

// drag presses at one element, moves, along other points if there are any, and
// releases at another. For a native drag, the browser hands over the drag data, and
// we dispatch the drag events.
func (a dragging) drag(ctx context.Context) error {
	from, to, err := a.ends(ctx)
	if err != nil {
		return err
	}
	var via []page.Point
	for _, target := range a.q.Via {
		at, err := a.via(ctx, target)
		if err != nil {
			return err
		}
		via = append(via, at)
	}
	path := steps(slices.Concat([]page.Point{from}, via, []page.Point{to}), a.q.Speed)
	if a.q.Speed > 0 {
		if err := inTime(ctx, time.Duration(len(path))*stepTime, "the drag"); err != nil {
			return err
		}
	}
	if err := a.intercept(ctx, true); err != nil {
		return err
	}
	defer func() { _ = a.intercept(context.WithoutCancel(ctx), false) }()
	a.pressed = true
	left, mods := input.MouseButtonLeft, a.held.Mods()
	messages := []effects.Message{
		effects.Mouse(input.DispatchMouseEventTypeMouseMoved, from, "", 0, 0, mods),
		effects.Mouse(input.DispatchMouseEventTypeMousePressed, from, left, 1, 1, mods),
	}
	at, entered := from, false
	defer func() {
		if err != nil {
			a.release(ctx, at, left)
		}
	}()
	if a.carries && len(path) > 0 {
		// The page may make room for the dragged element, so its target's position is
		// requested again.
		at = path[0]
		if err := a.send(ctx, a.p.Session, append(messages, effects.Mouse(input.DispatchMouseEventTypeMouseMoved, at, left, 1, 0, mods))...); err != nil {
			return err
		}
		messages = nil
		if to, err = a.heading(ctx, to); err != nil {
			return err
		}
		path = steps(slices.Concat([]page.Point{at}, via, []page.Point{to}), a.q.Speed)
	}
	next := time.Now()
	for _, at = range path {
		if a.fx.Drag == nil {
			messages = append(messages, effects.Mouse(input.DispatchMouseEventTypeMouseMoved, at, left, 1, 0, mods))
		} else {
			messages = append(messages, a.over(at, &entered)...)
		}
		if a.q.Speed == 0 {
			continue // all at once
		}
		if err := a.send(ctx, a.p.Session, messages...); err != nil {
			return err
		}
		messages = nil
		next = next.Add(stepTime)
		if err := a.rest(ctx, time.Until(next)); err != nil {
			return err
		}
	}
	if len(messages) > 0 {
		if err := a.send(ctx, a.p.Session, messages...); err != nil {
			return err
		}
	}
	if err := a.hearDrag(ctx); err != nil {
		return err
	}
	if a.fx.Drag != nil {
		if err := a.send(ctx, a.p.Session, a.over(to, &entered)...); err != nil {
			return err
		}
	}
	err = a.drop(ctx, from, to)
	return err
}

// drop releases the button at the end of a drag. If another element is there now, the
// drag is cancelled and the element returns to its place.
func (a dragging) drop(ctx context.Context, from, to page.Point) error {
	var last []effects.Message
	var met string
	if a.carries {
		if err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "over", nil, &met) }); err != nil {
			return err
		}
	}
	end, kind := to, input.DispatchDragEventTypeDrop
	if met != "" {
		end, kind = from, input.DispatchDragEventTypeDragCancel
		last = append(last, effects.Keys(keys.Pressed("escape")...)...)
		last = append(last, effects.Mouse(input.DispatchMouseEventTypeMouseMoved, from, input.MouseButtonLeft, 1, 0, 0))
	}
	if a.fx.Drag != nil {
		last = append(last, effects.Dragged(kind, to, a.fx.Drag))
	}
	last = append(last, effects.Mouse(input.DispatchMouseEventTypeMouseReleased, end, input.MouseButtonLeft, 0, 1, a.held.Mods()))
	if err := a.send(ctx, a.p.Session, last...); err != nil || met == "" {
		return err
	}
	return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.Out.Hit)+": when the drag arrived, "+page.Plain(met)+" was there; the drag was cancelled", "", page.SnapshotAgain())
}

// heading returns the current end point of a drag.
func (a dragging) heading(ctx context.Context, to page.Point) (page.Point, error) {
	if !a.carries {
		return to, nil
	}
	var at *page.Point
	if err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "heading", nil, &at) }); err != nil || at == nil {
		return to, err
	}
	to, _, err := page.Outward(ctx, a.p, a.f, &page.Resolution{Point: *at, Line: a.fx.Out.Hit}, page.NoGuard)
	return to, err
}

// over returns the events of a native drag at a point.
func (a dragging) over(at page.Point, entered *bool) []effects.Message {
	var out []effects.Message
	if !*entered {
		*entered = true
		out = append(out, effects.Dragged(input.DispatchDragEventTypeDragEnter, at, a.fx.Drag))
	}
	return append(out, effects.Dragged(input.DispatchDragEventTypeDragOver, at, a.fx.Drag))
}

// via returns a point on the path of a drag, in the tab's viewport.
func (a dragging) via(ctx context.Context, target string) (page.Point, error) {
	if at, ok, err := readPoint(target); ok {
		return at, err
	}
	f, aimed, err := page.Aim(ctx, a.p, target, "aim", map[string]any{"scroll": false})
	if err != nil {
		return page.Point{}, err
	}
	at, _, err := page.Outward(ctx, a.p, f, aimed.Reached, page.NoGuard)
	return at, err
}

// readPoint parses "120,80"; ok is false for another kind of target.
func readPoint(target string) (at page.Point, ok bool, err error) {
	m := page.PointTarget().FindStringSubmatch(target)
	if m == nil {
		return at, false, nil
	}
	if _, err := fmt.Sscan(m[1]+" "+m[2], &at.X, &at.Y); err != nil {
		return at, true, protocol.NewError(protocol.CodeBadArgument, target+" is not a point", "for example 120,80")
	}
	return at, true, nil
}

// steps returns the points of a path, without its first point: as many as the speed,
// in pixels per second, leaves time for. Without a speed there are enough points for
// code that follows the pointer, and the first point of each part is beyond the
// distance from which a press counts as a drag.
func steps(way []page.Point, speed float64) []page.Point {
	var out []page.Point
	for i := 1; i < len(way); i++ {
		from, to := way[i-1], way[i]
		n := 5
		if speed > 0 {
			n = max(1, int(math.Ceil(math.Hypot(to.X-from.X, to.Y-from.Y)/(speed*stepTime.Seconds()))))
		}
		for s := 1; s <= n; s++ {
			part := float64(s) / float64(n)
			out = append(out, page.Point{X: from.X + (to.X-from.X)*part, Y: from.Y + (to.Y-from.Y)*part})
		}
	}
	return out
}

// ends returns where a drag begins and ends, in the tab's viewport.
func (a *action) ends(ctx context.Context) (from, to page.Point, err error) {
	if m := page.PointTarget().FindStringSubmatch(a.q.To); m != nil {
		if _, err := fmt.Sscan(m[1]+" "+m[2], &to.X, &to.Y); err != nil {
			return from, to, protocol.NewError(protocol.CodeBadArgument, a.q.To+" is not a point", "for example 120,80")
		}
		from, err = a.point(ctx, true)
		return from, to, err
	}
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "drag", map[string]any{"to": a.q.To, "guard": a.pressGuard()})
	if err != nil {
		return from, to, err
	}
	if aimed.To == nil {
		return from, to, errors.New("the page did not say where the drag ends")
	}
	a.f, a.guarded, a.carries, a.fx.Out.Hit = f, true, true, aimed.Reached.Line+" to "+aimed.To.Line
	// The first call scrolls as needed, for the other end too: both are in the same
	// frame.
	if to, _, err = page.Outward(ctx, a.p, f, aimed.To, page.NoGuard); err != nil {
		return from, to, err
	}
	from, a.way, err = page.Outward(ctx, a.p, f, aimed.Reached, a.pressGuard())
	return from, to, err
}
