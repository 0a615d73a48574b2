package input

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// dragging is a drag action.
type dragging struct {
	*action
	// source is the process that renders where the drag begins. It gets all moves of the
	// pointer while the button is down, wherever the pointer is.
	source *devtools.Session
	// split: the drag may pass and end in another process.
	split bool
	// passed are the frames that let the pointer pass to the page around them.
	passed []*page.Frame
	// entered: the drag events have begun.
	entered bool
	// dropping: the drop may have happened.
	dropping bool
}

// drag presses at one element, moves, along other points if there are any, and
// releases at another. For a native drag, the browser hands over the drag data, and
// we dispatch the drag events.
func (a *dragging) drag(ctx context.Context) (err error) {
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
	a.processes()
	messages := []message{
		mouseMessage(input.DispatchMouseEventTypeMouseMoved, from, "", 0, 0, a.held.Mods()),
		mouseMessage(input.DispatchMouseEventTypeMousePressed, from, input.MouseButtonLeft, 1, 1, a.held.Mods()),
	}
	at := from
	defer func() {
		if err != nil {
			if a.fx.Drag != nil && !a.dropping {
				over := dragMessage(input.DispatchDragEventTypeDragCancel, from, a.fx.Drag)
				_ = a.p.Post(context.WithoutCancel(ctx), over.Method, over.Params)
			}
			up := a.pointer(input.DispatchMouseEventTypeMouseReleased, at, a.held.Pressed())
			_ = a.source.Post(context.WithoutCancel(ctx), up.Method, up.Params)
			err = a.undropped(err)
		}
	}()
	if a.source != a.p.Session { // the press finds its frame by its place
		if err := a.send(ctx, a.p.Session, messages...); err != nil {
			return err
		}
		messages = nil
	}
	if a.carries && len(path) > 0 {
		// The page may make room for the dragged element, so its target's position is
		// requested again.
		at = path[0]
		if err := a.send(ctx, a.source, append(messages, a.pointer(input.DispatchMouseEventTypeMouseMoved, at, 1))...); err != nil {
			return err
		}
		messages = nil
		if to, err = a.heading(ctx, to); err != nil {
			return err
		}
		if err := a.passFrames(ctx); err != nil {
			return err
		}
		defer a.unpass(ctx)
		path = steps(slices.Concat([]page.Point{at}, via, []page.Point{to}), a.q.Speed)
	}
	next := time.Now()
	for _, at = range path {
		s := a.source
		if a.fx.Drag == nil {
			messages = append(messages, a.pointer(input.DispatchMouseEventTypeMouseMoved, at, 1))
		} else {
			s = a.p.Session
			messages = append(messages, a.over(at)...)
		}
		if a.q.Speed == 0 && at != path[len(path)-1] {
			continue // all at once
		}
		if err := a.send(ctx, s, messages...); err != nil {
			return err
		}
		messages = nil
		if a.q.Speed == 0 {
			continue
		}
		next = next.Add(stepTime)
		if err := a.rest(ctx, time.Until(next)); err != nil {
			return err
		}
	}
	if err := a.hearDrag(ctx); err != nil {
		return err
	}
	return a.drop(ctx, from, to)
}

// undropped makes a dialog that has ended the drag before the drop its error.
func (a *dragging) undropped(err error) error {
	d := a.p.OpenDialog()
	if d == nil || a.dropping {
		return err
	}
	a.begun = false // what was pressed and moved is no drag
	return a.undone(d)
}

// processes finds out which processes the drag goes through.
func (a *dragging) processes() {
	if a.source, _ = a.p.Frames.State(a.f); a.source == nil {
		a.source = a.p.Session
	}
	a.split = slices.ContainsFunc(a.p.Frames.All(), func(f *page.Frame) bool {
		s, _ := a.p.Frames.State(f)
		return s != a.source
	})
}

// pointer returns a mouse event for the process where the drag began, whose points are
// relative to its own outermost frame.
func (a *dragging) pointer(kind input.DispatchMouseEventType, at page.Point, bits int64) message {
	if a.source != a.p.Session {
		at = page.Point{X: at.X - a.from.X + a.from.Inner.X, Y: at.Y - a.from.Y + a.from.Inner.Y}
	}
	clicks := 0
	if kind == input.DispatchMouseEventTypeMouseReleased {
		clicks = 1
	}
	return mouseMessage(kind, at, input.MouseButtonLeft, bits, clicks, a.held.Mods())
}

// passFrames lets the pointer pass over frames of other processes if a document of the
// page's own process has captured it, as frames do by themselves: the browser gives it the
// moves then, and the protocol gives them to what is under the pointer.
func (a *dragging) passFrames(ctx context.Context) error {
	if !a.split || a.source != a.p.Session || a.fx.Drag != nil {
		return nil
	}
	captured := a.f.Number != 0
	if !captured {
		err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.f, "captured", nil, &captured) })
		if err != nil || !captured || a.fx.Drag != nil {
			return err
		}
	}
	for _, f := range a.p.Frames.All() {
		if s, _ := a.p.Frames.State(f); s != a.p.Session {
			continue
		}
		if err := a.p.Ask(ctx, f, "pass", map[string]any{"on": true}, nil); err != nil {
			return err
		}
		a.passed = append(a.passed, f)
	}
	return nil
}

func (a *dragging) unpass(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), watch.BeginWait) // a page that has crashed does not answer
	defer cancel()
	for _, f := range a.passed { // what is gone passes nothing
		_ = a.p.Ask(ctx, f, "pass", map[string]any{"on": false}, nil)
	}
}

// drop releases the button at the end of a drag. If another element is there now, the
// drag is cancelled and the element returns to its place.
func (a *dragging) drop(ctx context.Context, from, to page.Point) error {
	var taken landing
	var err error
	far := a.dropIn != nil && a.dropIn != a.f
	switch {
	case a.fx.Drag == nil:
	case far:
		taken, err = a.landing(ctx, a.dropIn, a.over(to)...)
	default:
		err = a.send(ctx, a.p.Session, a.over(to)...)
	}
	if err != nil {
		return err
	}
	var met string
	if a.carries {
		if err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.dropIn, "over", nil, &met) }); err != nil {
			return err
		}
	}
	// A drop that the page does not take makes the browser open what is dropped. In its
	// own process the browser sees to that.
	end, refused := to, far && !taken.Taken
	if met != "" {
		end, refused = from, true
		if err := a.send(ctx, a.p.Session, keyMessages(pressNamed("escape")...)...); err != nil {
			return err
		}
		if err := a.send(ctx, a.source, a.pointer(input.DispatchMouseEventTypeMouseMoved, from, 1)); err != nil {
			return err
		}
	}
	a.dropping = true
	if err := a.dropData(ctx, from, to, refused, taken); err != nil {
		return err
	}
	if err := a.send(ctx, a.source, a.pointer(input.DispatchMouseEventTypeMouseReleased, end, 0)); err != nil || met == "" {
		return err
	}
	return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.Out.Hit)+": when the drag arrived, "+page.Plain(met)+" was there; the drag was cancelled", "", page.SnapshotAgain())
}

// dropData ends a native drag.
func (a *dragging) dropData(ctx context.Context, from, to page.Point, refused bool, taken landing) error {
	switch {
	case a.fx.Drag == nil:
		return nil
	case refused:
		return a.send(ctx, a.p.Session, dragMessage(input.DispatchDragEventTypeDragCancel, from, a.fx.Drag))
	}
	if err := a.send(ctx, a.p.Session, dragMessage(input.DispatchDragEventTypeDrop, to, a.fx.Drag)); err != nil || !a.split {
		return err
	}
	// The protocol ends the drag in the process where it is dropped. The other one learns
	// of it by a second drop, of which its page sees only the end of the drag.
	var ended bool
	err := a.fx.Call(ctx, func(ctx context.Context) error {
		return a.p.Ask(ctx, a.f, "leave", map[string]string{"effect": operation(taken.Effect, a.fx.Drag.DragOperationsMask)}, &ended)
	})
	if err != nil || ended {
		return gone(err)
	}
	err = a.send(
		ctx, a.p.Session,
		dragMessage(input.DispatchDragEventTypeDragEnter, from, a.fx.Drag),
		dragMessage(input.DispatchDragEventTypeDrop, from, a.fx.Drag),
	)
	return errors.Join(err, gone(a.p.Ask(ctx, a.f, "left", nil, nil)))
}

// gone is an error of a document, which is none when the document is gone.
func gone(err error) error {
	if errors.Is(err, page.ErrReplaced) || errors.Is(err, page.ErrNoFrame) {
		return nil
	}
	return err
}

// operation returns the operation of a drop: where the page names none, the browser takes
// one that is allowed (DefaultOperationForDrag).
func operation(named string, allowed int64) string {
	const copies, links, moves = 1, 2, 16
	switch {
	case named != "" && named != "none":
		return named
	case allowed&moves != 0 && allowed&(copies|links) != copies|links:
		return "move"
	case allowed&copies == 0 && allowed&links != 0:
		return "link"
	}
	return "copy"
}

// heading returns the current end point of a drag.
func (a *dragging) heading(ctx context.Context, to page.Point) (page.Point, error) {
	if !a.carries {
		return to, nil
	}
	var at *page.Point
	if err := a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, a.dropIn, "heading", nil, &at) }); err != nil || at == nil {
		return to, err
	}
	to, _, err := page.Outward(ctx, a.p, a.dropIn, &page.Resolution{Point: *at, Line: a.fx.Out.Hit}, page.NoGuard)
	return to, err
}

// over returns the events of a native drag at a point. Each process has to be entered.
func (a *dragging) over(at page.Point) []message {
	var out []message
	if !a.entered || a.split {
		a.entered = true
		out = append(out, dragMessage(input.DispatchDragEventTypeDragEnter, at, a.fx.Drag))
	}
	return append(out, dragMessage(input.DispatchDragEventTypeDragOver, at, a.fx.Drag))
}

// via returns a point on the path of a drag, in the tab's viewport.
func (a *dragging) via(ctx context.Context, target string) (page.Point, error) {
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
	if to, is, err := readPoint(a.q.To); is {
		if err != nil {
			return from, to, err
		}
		from, err = a.point(ctx, true)
		return from, to, err
	}
	if page.PointTarget().MatchString(a.q.Target) {
		return a.farEnds(ctx)
	}
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "drag", map[string]any{"to": a.q.To, "guard": a.pressGuard()})
	if l := aimed.Located; l != nil && l.State == "none" && l.Target == a.q.To {
		return a.farEnds(ctx) // the end is in another frame, or nowhere
	}
	if err != nil {
		return from, to, err
	}
	if aimed.To == nil {
		return from, to, errors.New("the page did not say where the drag ends")
	}
	a.f, a.dropIn, a.guarded, a.carries, a.fx.Out.Hit = f, f, true, true, aimed.Reached.Line+" to "+aimed.To.Line
	// The first call scrolls as needed, for the other end too: both are in the same
	// frame.
	if to, _, err = page.Outward(ctx, a.p, f, aimed.To, page.NoGuard); err != nil {
		return from, to, err
	}
	a.from, err = page.Placed(ctx, a.p, f, aimed.Reached, a.pressGuard())
	a.way = a.from.Way
	return a.from.Point, to, err
}

// farEnds is ends for two frames. Each end is reached in its own frame, which may scroll
// what is around both, so they are reached again until they stay.
func (a *action) farEnds(ctx context.Context) (from, to page.Point, err error) {
	const tries = 4
	for range tries {
		end, err := a.end(ctx)
		if err != nil {
			return from, to, err
		}
		if from, err = a.point(ctx, true); err != nil {
			return from, to, err
		}
		again, err := a.end(ctx)
		if err != nil {
			return from, to, err
		}
		if again.Point != end.Point {
			continue
		}
		a.carries = true
		for _, f := range append([]*page.Frame{a.dropIn}, again.Way...) {
			if f != a.f && !slices.Contains(a.way, f) {
				a.way = append(a.way, f)
			}
		}
		a.fx.Out.Hit += " to " + a.toLine
		return from, again.Point, nil
	}
	return from, to, protocol.NewError(protocol.CodeHidden, page.Plain(a.fx.Out.Hit)+" and "+page.Plain(a.toLine)+" are not in view at the same time", "scroll until both are, or drag in two steps", protocol.Example("mouse", "down", "e5"))
}

// end reaches the element on which a drag ends.
func (a *action) end(ctx context.Context) (page.Place, error) {
	f, aimed, err := page.Aim(ctx, a.p, a.q.To, "dropAt", map[string]any{})
	if err != nil {
		return page.Place{}, err
	}
	a.dropIn, a.toLine = f, aimed.Reached.Line
	return page.Placed(ctx, a.p, f, aimed.Reached, page.NoGuard)
}

// landWait is how long a frame of another process may take until a drag finds it.
const landWait = 5 * time.Second

// landing is what a page makes of a drag over it.
type landing struct {
	// Seen: the drag was over it.
	Seen bool `json:"seen"`
	// Taken: it takes a drop.
	Taken bool `json:"taken"`
	// Effect is the operation of the drop, as the page names it.
	Effect string `json:"effect"`
}

// landing sends events of a native drag, and returns what a frame makes of them. The
// browser finds a frame of another process where it was last drawn: until it has drawn it
// after a scroll, the events go to what was there, and are sent again.
func (a *action) landing(ctx context.Context, f *page.Frame, messages ...message) (over landing, err error) {
	for until := time.Now().Add(landWait); ; {
		if err := a.p.Ask(ctx, f, "land", nil, nil); err != nil {
			return over, err
		}
		if err := a.send(ctx, a.p.Session, messages...); err != nil {
			return over, err
		}
		err = a.fx.Call(ctx, func(ctx context.Context) error { return a.p.Ask(ctx, f, "landed", nil, &over) })
		if err != nil || over.Seen || f.Number == 0 || time.Now().After(until) {
			return over, err
		}
	}
}
