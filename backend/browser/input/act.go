package input

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// action is one action in progress.
type action struct {
	in *Input
	p  *page.Page
	q  protocol.ActRequest
	fx *effects
	// f is the frame that was acted on, way the frames that contain it.
	f   *page.Frame
	way []*page.Frame
	// after holds further arguments for settle.
	after   map[string]any
	settled settled
	// last is the last event of the input, if the page is asked to expect it.
	last *arrival
	// dispatched: settled already has the page's answer, because it came with the input.
	dispatched bool
	// guarded: the input is a press that must hit the target.
	guarded bool
	pressed bool
	// asked: the result is known and need not be requested again.
	asked bool
	// begun: the page has got input of the action, or was changed by it.
	begun bool
	// again: a press was held back and is tried again; lead is the time in
	// milliseconds from aiming until the press arrived. moving: the target does not
	// come to rest.
	again  bool
	lead   float64
	moving bool
	// carries: a drag ends on an element, whose position the page reports.
	carries bool
	// from is where a pointer is pressed, dropIn the frame in which a drag ends; nil if it
	// ends at a point.
	from   page.Place
	dropIn *page.Frame
	toLine string // the line of the element on which a drag ends
	// selected: the typed text replaces a selection.
	selected bool
	// text: the target is a field or an editor, which takes a tab as a character.
	text bool
	// keys is the panel in which the user types, which a press must not disturb.
	keys *focus.Panel
	// held is what the caller holds down.
	held *heldInput
	// fingered are the points that the fingers touch.
	fingered []page.Point
}

// Act performs one action on a tab's page by trusted input and returns its effect.
// allow is called for every document that the action leads to; nil allows all. For an
// element that cannot be acted on, Act returns an error with a code and the reason,
// and does nothing.
func (in *Input) Act(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.ActRequest, allow func(string) error) (protocol.Effect, error) {
	effect := protocol.Effect{Tab: id}
	onPage := in.tabs.OnPage
	if (q.Kind == protocol.ActClick || q.Kind == protocol.ActHover) && !page.PointTarget().MatchString(q.Target) {
		onPage = in.tabs.AimOnPage
	}
	err := onPage(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		fx := beginEffects(&in.config, by, id, p, allow)
		defer fx.End(ctx)
		a := &action{in: in, p: p, q: q, fx: fx, after: map[string]any{}, held: in.heldBy(by, id)}
		a.holdKeys(ctx)
		err := a.run(ctx)
		if fx.Closed(ctx, err) {
			err = nil
		}
		a.freeKeys(ctx)
		fx.Out.Held, fx.Out.Released = a.held.Names(), a.held.TakeLost()
		in.holds.Tidy(by, id)
		effect = fx.Out
		return err
	})
	return effect, err
}

func (a *action) run(ctx context.Context) error {
	err := a.withoutFrame(a.do(ctx))
	if err == nil && a.f != nil {
		err = a.withoutFrame(a.settle(ctx))
	}
	if d := page.Interrupted(ctx); d != nil && err != nil {
		err, a.fx.Out.Dialog = errDialogOpen, &d.DialogInfo
		if !a.begun {
			err = a.undone(d)
		}
	}
	if errors.Is(err, errDialogOpen) {
		// It is reported in the effect. The browser holds the rest of the input back
		// until the dialog is answered.
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), watch.BeginWait)
		defer cancel()
		err = nil
	}
	if a.fx.Leaves() {
		return err
	}
	if err != nil {
		if a.f != nil && a.fx.Out.Dialog == nil { // else the page does not answer
			a.disarm(ctx)
		}
		return err
	}
	if err := a.missed(); err != nil {
		return err
	}
	if err := a.fx.Finish(ctx); err != nil {
		return err
	}
	switch a.q.Kind {
	case protocol.ActScroll:
		a.fx.Out.Gone = nil // scrolled out of view does not mean gone
	case protocol.ActUpload:
		// The field has the files, whatever the page shows of them.
		a.fx.Out.Nothing = a.fx.Out.Nothing && a.fx.Out.Dropped
	}
	return a.verify(ctx)
}

// withoutFrame returns the error of a part of the action, nil when the action has made the
// page remove the frame that another process rendered: that is an effect.
func (a *action) withoutFrame(err error) error {
	if a.begun && a.f != nil && a.f.Number != 0 && errors.Is(err, devtools.ErrSessionEnded) && !a.p.Ended() {
		return a.fx.Learn(a.f, settled{}, page.ErrNoFrame)
	}
	return err
}

// undone returns the error for an action that a dialog has kept from beginning.
func (a *action) undone(d *page.Dialog) error {
	what := a.q.Target
	if a.fx.Out.Hit != "" {
		what = a.fx.Out.Hit
	}
	message := fmt.Sprintf("the page opened a dialog (%s) before %s could be done", d, a.q.Kind)
	if what != "" {
		message += " on " + page.Plain(what)
	}
	in := d.Tab
	if in == a.fx.Out.Tab {
		in = ""
	}
	return protocol.NewError(protocol.CodeDialog, message, "answer it, and then do it again", protocol.AnswerDialog(in)...)
}

func (a *action) do(ctx context.Context) error {
	if !a.onlyReads() {
		if err := a.fx.Prepare(ctx); err != nil {
			return err
		}
	}
	if a.q.Origin != "" {
		if err := a.reserve(ctx); err != nil {
			return err
		}
	}
	switch a.q.Kind {
	case protocol.ActClick:
		return a.click(ctx)
	case protocol.ActHover:
		return a.hover(ctx)
	case protocol.ActFill:
		return a.fill(ctx)
	case protocol.ActType:
		return typing{a}.typeText(ctx)
	case protocol.ActPress:
		return typing{a}.press(ctx)
	case protocol.ActSelect:
		return a.set(ctx, "choose", map[string]any{"wanted": a.q.Values})
	case protocol.ActCheck:
		return a.check(ctx)
	case protocol.ActFocus:
		return a.set(ctx, "focus", nil)
	case protocol.ActDrag:
		return (&dragging{action: a}).drag(ctx)
	case protocol.ActScroll:
		return a.scroll(ctx)
	case protocol.ActUpload:
		return uploading{action: a}.upload(ctx)
	case protocol.ActKeyDown:
		return typing{a}.keyDown(ctx)
	case protocol.ActKeyUp:
		return typing{a}.keyUp(ctx)
	case protocol.ActMouse:
		return a.theMouse(ctx)
	case protocol.ActTap:
		return touching{a}.tap(ctx)
	case protocol.ActSwipe:
		return touching{a}.swipe(ctx)
	case protocol.ActPinch:
		return touching{a}.pinch(ctx)
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no action %q", a.q.Kind), "")
}

// onlyReads reports whether Prepare may run while the page answers the first request. For
// a click and a hover, that request only looks at the page. Filling a field moves the
// focus; an agent's page must not use that to get past its rules, so with rules
// Prepare runs first.
func (a *action) onlyReads() bool {
	switch a.q.Kind {
	case protocol.ActClick, protocol.ActHover:
		return true
	case protocol.ActFill:
		return a.fx.Nav.Allow == nil
	}
	return false
}

// pressGuard returns the kind of guard for the action's press.
func (a *action) pressGuard() page.Guard {
	if a.q.Kind == protocol.ActTap || a.q.Kind == protocol.ActSwipe {
		return page.GuardTouch
	}
	return page.GuardPress
}

// point finds the point to act on: it scrolls, waits for a moving target, and does a
// hit test in every frame that contains the target.
func (a *action) point(ctx context.Context, guarded bool) (page.Point, error) {
	if m := page.PointTarget().FindStringSubmatch(a.q.Target); m != nil {
		return a.bare(ctx)
	}
	kind := page.GuardHover
	if guarded {
		kind = a.pressGuard()
	}
	args := map[string]any{"watch": true, "guard": kind, "last": a.last}
	if a.q.At != nil {
		args["offset"] = a.q.At
	}
	if a.again {
		args["again"], args["moving"] = true, a.moving
	}
	if a.lead > 0 {
		args["lead"] = a.lead
	}
	f, aimed, err := page.AimMeanwhile(ctx, a.p, a.q.Target, "aim", args, a.fx.Prepare)
	if err != nil {
		return page.Point{}, err
	}
	a.f, a.guarded, a.moving = f, guarded, aimed.Reached.Moving
	a.fx.Out.Hit = aimed.Reached.Line
	a.from, err = page.Placed(ctx, a.p, f, aimed.Reached, kind.Pressed())
	a.way = a.from.Way
	return a.from.Point, err
}

// bare uses a point of the viewport as it is.
func (a *action) bare(ctx context.Context) (page.Point, error) {
	var at page.Point
	m := page.PointTarget().FindStringSubmatch(a.q.Target)
	if _, err := fmt.Sscan(m[1]+" "+m[2], &at.X, &at.Y); err != nil {
		return at, protocol.NewError(protocol.CodeBadArgument, a.q.Target+" is not a point", "for example 120,80")
	}
	a.f = a.p.Frames.Main()
	var hit *struct {
		Ref   string `json:"ref"`
		Words string `json:"words"`
	}
	if err := a.p.Ask(ctx, a.f, "at", map[string]any{"x": at.X, "y": at.Y, "watch": true, "last": a.last}, &hit); err != nil {
		return at, err
	}
	if hit == nil {
		return at, protocol.NewError(protocol.CodeNoElement, fmt.Sprintf("the point %.0f,%.0f is outside the visible page", at.X, at.Y), "scroll there first")
	}
	a.fx.Out.Hit, a.from = hit.Ref+" "+hit.Words, page.Place{Point: at, Inner: at}
	return at, nil
}

func (a *action) mouse() (input.MouseButton, int64, int, int64, error) {
	button, bits := input.MouseButtonLeft, int64(1)
	switch a.q.Button {
	case "", "left":
	case "right":
		button, bits = input.MouseButtonRight, 2
	case "middle":
		button, bits = input.MouseButtonMiddle, 4
	default:
		return "", 0, 0, 0, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is no mouse button %.20q", a.q.Button), "use left, right or middle")
	}
	mods, err := readModifiers(a.q.Modifiers)
	return button, bits, max(1, a.q.Count), mods | a.held.Mods(), err
}

func (a *action) click(ctx context.Context) error {
	button, bits, count, mods, err := a.mouse()
	if err != nil {
		return err
	}
	began := time.Now()
	for try := 1; ; try++ {
		a.last = &arrival{"mouseup", count}
		at, err := a.point(ctx, true)
		if err != nil {
			return err
		}
		if err := a.pressAt(ctx, at, button, bits, count, mods); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		// The page has not received a press that was held back. The press is repeated
		// at the target's new position.
		if !a.heldBack() {
			return nil
		}
		if try == pressTries || time.Since(began) > pressWait && try > 1 {
			why := " keeps moving away from the pointer: each click would have hit "
			hint, next := "use the keyboard", []protocol.Suggestion{protocol.Example("press", "Enter", "--target", "e5")}
			if a.moving {
				why, hint = " does not stop moving: each click would have hit ", ""
				next = []protocol.Suggestion{protocol.Try("clicks a point that it passes", "click", fmt.Sprintf("%.0f,%.0f", at.X, at.Y))}
			}
			return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+why+page.Plain(a.settled.Guard.Met)+", and was not done", hint, next...)
		}
		a.again, a.lead, a.asked = true, a.settled.Guard.Late, false
	}
}

// How often, and for how long, a press on a target that moves away is tried.
const (
	pressTries = 8
	pressWait  = 6 * time.Second
)

// heldBack reports whether a press hit something else and was held back from the
// page.
func (a *action) heldBack() bool {
	g := a.settled.Guard
	return a.guarded && g != nil && g.OK != nil && !*g.OK
}

func (a *action) pressAt(ctx context.Context, at page.Point, button input.MouseButton, bits int64, count int, mods int64) error {
	a.held.Move(at)
	if a.q.HoldMS > 0 {
		return a.pressLong(ctx, at, button, bits, count, mods)
	}
	messages := []message{mouseMessage(input.DispatchMouseEventTypeMouseMoved, at, "", 0, 0, mods)}
	for i := range count {
		messages = append(
			messages,
			mouseMessage(input.DispatchMouseEventTypeMousePressed, at, button, bits, i+1, mods),
			mouseMessage(input.DispatchMouseEventTypeMouseReleased, at, button, 0, i+1, mods),
		)
	}
	a.pressed = true
	return a.dispatch(ctx, a.p.Session, messages...)
}

func (a *action) hover(ctx context.Context) error {
	_, _, _, mods, err := a.mouse()
	if err != nil {
		return err
	}
	for try := 1; ; try++ {
		at, err := a.point(ctx, false)
		if err != nil {
			return err
		}
		a.held.Move(at)
		if err := a.sendMoves(ctx, at, []message{a.moved(at, mods)}); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		if g := a.settled.Guard; g == nil || g.OK == nil || *g.OK {
			return nil
		}
		if try == hoverTries {
			return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away before the pointer arrived, which would have hit %s", page.Plain(a.fx.Out.Hit), page.Plain(a.settled.Guard.Met)), "try again")
		}
		a.again, a.lead, a.asked = true, a.settled.Guard.Late, false
	}
}

// hoverTries is how often the pointer follows a target that moves away from it.
const hoverTries = 3

// settle requests the effect of the action from the target's frame and the frames
// that contain it.
func (a *action) settle(ctx context.Context) error {
	if a.asked {
		return nil
	}
	a.asked = true
	if ref, ok := a.after["ref"]; ok && ref == "" {
		delete(a.after, "ref")
	}
	if a.dispatched {
		a.dispatched = false
	} else {
		settled, err := a.fx.Settle(ctx, a.f, a.after)
		a.settled = settled
		if err != nil {
			return err
		}
	}
	nothing := a.fx.Out.Nothing
	for _, f := range a.way {
		around, err := a.fx.Settle(ctx, f, nil)
		if err != nil {
			return err
		}
		// The press was meant for the frame, and hit the page around it.
		if g, own := around.Guard, a.settled.Guard; g != nil && g.OK != nil && own != nil && own.OK == nil {
			a.settled.Guard = g
		}
		nothing = nothing && a.fx.Out.Nothing
	}
	a.fx.Out.Nothing = nothing
	return nil
}

// disarm undoes the preparation for an input that was not sent.
func (a *action) disarm(ctx context.Context) {
	for _, f := range append([]*page.Frame{a.f}, a.way...) {
		_ = a.p.Ask(ctx, f, "disarm", nil, nil)
	}
}

// missed returns an error for a press that did not hit the target, because something
// came between after aiming. The page received none of it.
func (a *action) missed() error {
	if !a.guarded || !a.pressed || a.settled.Guard == nil {
		return nil // or its document is gone, which is an effect
	}
	switch g := a.settled.Guard; {
	case g.OK == nil && !g.Opaque:
		return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.Out.Hit)+" moved away or was covered just before the click, which hit something else", "", page.SnapshotAgain())
	case g.OK != nil && !*g.OK:
		return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away just before the click, which would have hit %s and was not done", page.Plain(a.fx.Out.Hit), page.Plain(g.Met)), "try again")
	}
	return nil
}

// verify compares the wanted result with the page's state now.
func (a *action) verify(context.Context) error {
	if a.fx.Out.Navigated || a.fx.Asked() {
		return nil
	}
	if v := a.settled.Value; v != nil && a.q.Kind != protocol.ActCheck {
		if a.fx.Out.Value = &v.Value; a.q.Origin != "" {
			a.fx.Out.Value = nil
		}
		if _, asked := a.after["expected"]; asked && !v.Matches {
			if a.q.Origin != "" {
				return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+" did not take the secret", "the field may need another format, or the page changes what is typed")
			}
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s did not take the text: its value is now %q", page.Plain(a.fx.Out.Hit), page.Plain(v.Value)), "the field may need another format, or the page changes what is typed")
		}
	}
	if a.q.Kind == protocol.ActCheck && a.pressed {
		want := "off"
		if a.q.On {
			want = "on"
		}
		if a.settled.Checked != "" && a.settled.Checked != want && a.settled.Checked != "gone" {
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s was clicked and is still %s", page.Plain(a.fx.Out.Hit), a.settled.Checked), "the page undid it", protocol.Try("may show why", "snapshot"))
		}
	}
	return nil
}
