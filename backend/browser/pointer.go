package browser

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/keys"
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

// drag presses at one thing, moves, along other points if there are any, and lets
// go at another. Where the page drags natively, the browser hands the drag over
// and is told where it goes.
func (a *action) drag(ctx context.Context) error {
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
	left, mods := input.MouseButtonLeft, a.held.mods()
	messages := []message{
		mouse(input.DispatchMouseEventTypeMouseMoved, from, "", 0, 0, mods),
		mouse(input.DispatchMouseEventTypeMousePressed, from, left, 1, 1, mods),
	}
	at, entered := from, false
	defer func() {
		if err != nil {
			a.release(ctx, at, left)
		}
	}()
	if a.carries && len(path) > 0 {
		// The page may make room for what is dragged: where that goes is asked again.
		at = path[0]
		if err := a.send(ctx, a.p.Session, append(messages, mouse(input.DispatchMouseEventTypeMouseMoved, at, left, 1, 0, mods))...); err != nil {
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
		if a.fx.drag == nil {
			messages = append(messages, mouse(input.DispatchMouseEventTypeMouseMoved, at, left, 1, 0, mods))
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
	if a.fx.drag != nil {
		if err := a.send(ctx, a.p.Session, a.over(to, &entered)...); err != nil {
			return err
		}
	}
	err = a.drop(ctx, from, to)
	return err
}

// drop lets go at the end of a drag. Where something else is by now, what is
// dragged goes back where it was.
func (a *action) drop(ctx context.Context, from, to page.Point) error {
	var last []message
	var met string
	if a.carries {
		if err := a.fx.call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "over", nil, &met) }); err != nil {
			return err
		}
	}
	end, kind := to, input.DispatchDragEventTypeDrop
	if met != "" {
		end, kind = from, input.DispatchDragEventTypeDragCancel
		last = append(last, keyMessages(keys.Pressed("escape")...)...)
		last = append(last, mouse(input.DispatchMouseEventTypeMouseMoved, from, input.MouseButtonLeft, 1, 0, 0))
	}
	if a.fx.drag != nil {
		last = append(last, dragged(kind, to, a.fx.drag))
	}
	last = append(last, mouse(input.DispatchMouseEventTypeMouseReleased, end, input.MouseButtonLeft, 0, 1, a.held.mods()))
	if err := a.send(ctx, a.p.Session, last...); err != nil || met == "" {
		return err
	}
	return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.out.Hit)+": when the drag arrived, "+page.Plain(met)+" was there; the drag was cancelled", "", page.LookAgain())
}

// heading is where a drag ends by now.
func (a *action) heading(ctx context.Context, to page.Point) (page.Point, error) {
	if !a.carries {
		return to, nil
	}
	var at *page.Point
	if err := a.fx.call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "heading", nil, &at) }); err != nil || at == nil {
		return to, err
	}
	to, _, err := a.p.Outward(ctx, a.f, *at, a.fx.out.Hit, page.NoGuard)
	return to, err
}

// over is a native drag at a point.
func (a *action) over(at page.Point, entered *bool) []message {
	var out []message
	if !*entered {
		*entered = true
		out = append(out, dragged(input.DispatchDragEventTypeDragEnter, at, a.fx.drag))
	}
	return append(out, dragged(input.DispatchDragEventTypeDragOver, at, a.fx.drag))
}

// via is a point on the way of a drag, in the tab's viewport.
func (a *action) via(ctx context.Context, target string) (page.Point, error) {
	if at, ok, err := readPoint(target); ok {
		return at, err
	}
	f, aimed, err := a.p.Aim(ctx, target, "aim", map[string]any{"scroll": false})
	if err != nil {
		return page.Point{}, err
	}
	at, _, err := a.p.Outward(ctx, f, aimed.Reached.Point, aimed.Reached.Line, page.NoGuard)
	return at, err
}

// readPoint reads "120,80"; ok is false for another target.
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

// steps are the points of a way, without its first: as many as the speed, in
// pixels a second, leaves time for. Without a speed they are enough for what
// follows the pointer, and the first of each part is beyond the distance from
// which a press counts as a drag.
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

// fingers are touches at points.
func (a *action) fingers(kind input.DispatchTouchEventType, at ...page.Point) message {
	if len(at) > 0 {
		a.fingered = at
	}
	points := make([]*input.TouchPoint, len(at))
	for i, p := range at {
		id := float64(i)
		points[i] = &input.TouchPoint{X: p.X, Y: p.Y, ID: &id}
	}
	return message{input.DispatchTouchEvent.Method, input.DispatchTouchEventParams{Type: kind, TouchPoints: points, Modifiers: a.held.mods()}}
}

// touch puts fingers down, moves them along their ways, and lifts them.
func (a *action) touch(ctx context.Context, hold time.Duration, way ...[]page.Point) (err error) {
	if err := inTime(ctx, hold+time.Duration(len(way))*stepTime, string(a.q.Kind)); err != nil {
		return err
	}
	if err := a.send(ctx, a.p.Session, a.fingers(input.DispatchTouchEventTypeTouchStart, way[0]...)); err != nil {
		return err
	}
	defer func() {
		if err != nil { // or the finger stays on the page
			up := a.fingers(input.DispatchTouchEventTypeTouchCancel)
			_ = a.p.Post(context.WithoutCancel(ctx), up.method, up.params)
		}
	}()
	if err := a.rest(ctx, hold); err != nil {
		return err
	}
	next := time.Now()
	for _, at := range way[1:] {
		next = next.Add(stepTime)
		if err := a.rest(ctx, time.Until(next)); err != nil {
			return err
		}
		if err := a.send(ctx, a.p.Session, a.fingers(input.DispatchTouchEventTypeTouchMove, at...)); err != nil {
			return err
		}
	}
	up := a.fingers(input.DispatchTouchEventTypeTouchEnd)
	return a.lifted(ctx, func() error {
		if err := a.fx.send(ctx, a.p.Session, up); err != nil {
			return err
		}
		// The click of a tap is made by the browser when it hears that the touch has
		// ended, and is on its way to the page before this.
		return a.hearDrag(ctx)
	}, []message{up})
}

// tap touches a target with a finger.
func (a *action) tap(ctx context.Context) error {
	at, err := a.point(ctx, true)
	if err != nil {
		return err
	}
	a.pressed = true
	for range max(1, a.q.Count) {
		if err := a.touch(ctx, time.Duration(a.q.HoldMS)*time.Millisecond, []page.Point{at}); err != nil {
			return err
		}
	}
	return nil
}

// swipeSpeed is that of a finger for which no speed is said, in pixels a second.
const swipeSpeed = 800

// swipe moves a finger from one thing to another, or by pixels.
func (a *action) swipe(ctx context.Context) error {
	var from, to page.Point
	var err error
	switch {
	case a.q.To != "" && (a.q.DX != 0 || a.q.DY != 0):
		return protocol.NewError(protocol.CodeBadArgument, "a swipe goes to a target or by x and y, not both", "", protocol.Example("swipe", "e5", "--x", "-200"))
	case a.q.To != "":
		from, to, err = a.ends(ctx)
		a.pressed = true
	case a.q.DX == 0 && a.q.DY == 0:
		return protocol.NewError(protocol.CodeBadArgument, "a swipe needs a target or a distance", "", protocol.Example("swipe", "e5", "--x", "-200"), protocol.Example("swipe", "e5", "e9"))
	default:
		from, err = a.point(ctx, true)
		a.pressed = true
		to = page.Point{X: from.X + a.q.DX, Y: from.Y + a.q.DY}
	}
	if err != nil {
		return err
	}
	speed := a.q.Speed
	if speed <= 0 {
		speed = swipeSpeed
	}
	way := [][]page.Point{{from}}
	for _, at := range steps([]page.Point{from, to}, speed) {
		way = append(way, []page.Point{at})
	}
	if err := a.touch(ctx, 0, way...); err != nil {
		return err
	}
	return nil
}

// pinch moves two fingers apart around a target, or together.
func (a *action) pinch(ctx context.Context) error {
	if !(a.q.Scale > 0.05 && a.q.Scale < 20) {
		return protocol.NewError(protocol.CodeBadArgument, "the scale of a pinch must be between 0.05 and 20", "2 moves the fingers apart, 0.5 together")
	}
	at, err := a.point(ctx, false)
	if err != nil {
		return err
	}
	// Both fingers are 20 to 120 pixels from the middle, unless the scale is extreme:
	// they may lie beside the target, so no guard holds them back.
	first := math.Min(120, 120/a.q.Scale)
	const moves = 12
	var way [][]page.Point
	for i := range moves + 1 {
		d := first * (1 + (a.q.Scale-1)*float64(i)/moves)
		way = append(way, []page.Point{{X: at.X - d, Y: at.Y}, {X: at.X + d, Y: at.Y}})
	}
	if err := a.touch(ctx, 0, way...); err != nil {
		return err
	}
	return nil
}
