package input

import (
	"context"
	"math"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// touching is a touch action.
type touching struct{ *action }

// fingers returns a touch event at points.
func (a touching) fingers(kind input.DispatchTouchEventType, at ...page.Point) message {
	if len(at) > 0 {
		a.fingered = at
	}
	points := make([]*input.TouchPoint, len(at))
	for i, p := range at {
		id := float64(i)
		points[i] = &input.TouchPoint{X: p.X, Y: p.Y, ID: &id}
	}
	return message{Method: input.DispatchTouchEvent.Method, Params: input.DispatchTouchEventParams{Type: kind, TouchPoints: points, Modifiers: a.held.Mods()}}
}

// touch puts fingers down, moves them along their paths, and lifts them.
func (a touching) touch(ctx context.Context, hold time.Duration, way ...[]page.Point) (err error) {
	if err := inTime(ctx, hold+time.Duration(len(way))*stepTime, string(a.q.Kind)); err != nil {
		return err
	}
	if err := a.send(ctx, a.p.Session, a.fingers(input.DispatchTouchEventTypeTouchStart, way[0]...)); err != nil {
		return err
	}
	defer func() {
		if err != nil { // else the finger would stay on the page
			up := a.fingers(input.DispatchTouchEventTypeTouchCancel)
			_ = a.p.Post(context.WithoutCancel(ctx), up.Method, up.Params)
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
		if err := a.fx.Send(ctx, a.p.Session, up); err != nil {
			return err
		}
		// The browser makes the click of a tap when it learns that the touch has
		// ended, and sends it to the page before this request.
		return a.hearDrag(ctx)
	}, []message{up})
}

// tap touches a target with one finger.
func (a touching) tap(ctx context.Context) error {
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

// swipeSpeed is the default speed of a finger, in pixels per second.
const swipeSpeed = 800

// swipe moves a finger from one element to another, or by a distance in pixels.
func (a touching) swipe(ctx context.Context) error {
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

// pinch moves two fingers around a target apart or together.
func (a touching) pinch(ctx context.Context) error {
	if !(a.q.Scale > 0.05 && a.q.Scale < 20) {
		return protocol.NewError(protocol.CodeBadArgument, "the scale of a pinch must be between 0.05 and 20", "2 moves the fingers apart, 0.5 together")
	}
	at, err := a.point(ctx, false)
	if err != nil {
		return err
	}
	// Both fingers are 20 to 120 pixels from the middle, unless the scale is extreme.
	// They may be beside the target, so no guard holds them back.
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
