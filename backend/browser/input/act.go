package input

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/held"
	"pilotfish/backend/browser/keys"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// action is one action on its way.
type action struct {
	in *Input
	p  *page.Page
	q  protocol.ActRequest
	fx *effects.Effects
	// f is the frame that was acted on, way the frames that it stands in.
	f   *page.Frame
	way []*page.Frame
	// after is what settle is asked beside the change.
	after map[string]any
	told  effects.Settled
	// last is the end of the input, if the page is told of it before.
	last *arrival
	// struck: told is there already, it came with the input.
	struck bool
	// guarded: the input is a press that must meet the target.
	guarded bool
	pressed bool
	// asked: what came of it is known, and not asked for once more.
	asked bool
	// again: a press was held back, and is tried once more; lead is how many
	// milliseconds it was on its way. moving: the target does not rest.
	again  bool
	lead   float64
	moving bool
	// carries: a drag ends on a thing, of which the page says where it is.
	carries bool
	// selected: what is typed takes the place of something.
	selected bool
	// keys is the panel that the user types in, which a press must not disturb.
	keys *focus.Panel
	// held is what the caller holds down.
	held *held.State
	// fingered are the points that fingers touch.
	fingered []page.Point
}

// Act does one thing on a tab's page by trusted input and says what came of
// it. allow is asked about every document that it leads to; nil allows all. An
// element that cannot be acted on is refused with a code and the reason, and
// nothing is done.
func (in *Input) Act(ctx context.Context, id protocol.TabID, q protocol.ActRequest, allow func(string) error) (protocol.Effect, error) {
	effect := protocol.Effect{Tab: id}
	err := in.tabs.OnPage(ctx, id, func(ctx context.Context, p *page.Page) error {
		fx := effects.Begin(&in.config.Effects, id, p, allow)
		defer fx.End(ctx)
		a := &action{in: in, p: p, q: q, fx: fx, after: map[string]any{}, held: in.heldBy(ctx, id)}
		a.holdKeys(ctx)
		err := a.run(ctx)
		a.freeKeys(ctx)
		fx.Out.Held, fx.Out.Released = a.held.Names(), a.held.TakeLost()
		in.holds.Tidy(ctx, id)
		effect = fx.Out
		return err
	})
	return effect, err
}

func (a *action) run(ctx context.Context) error {
	err := a.do(ctx)
	if err == nil && a.f != nil {
		err = a.settle(ctx)
	}
	if errors.Is(err, effects.ErrDialogOpen) {
		err = nil // said in the effect
	}
	if err != nil {
		if a.f != nil {
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
		a.fx.Out.Gone = nil // out of view is not gone
	case protocol.ActUpload:
		a.fx.Out.Nothing = false // it has the files, whatever the page shows of them
	}
	return a.verify(ctx)
}

func (a *action) do(ctx context.Context) error {
	if !a.looks() {
		if err := a.fx.Prepare(ctx); err != nil {
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
		return dragging{a}.drag(ctx)
	case protocol.ActScroll:
		return a.scroll(ctx)
	case protocol.ActUpload:
		return uploading{a}.upload(ctx)
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

// looks says whether the browser may prepare itself while the page works on the
// first question. A click and a hover only look first. To fill a field moves the
// focus, of which an agent's page must not make a way past its rules.
func (a *action) looks() bool {
	switch a.q.Kind {
	case protocol.ActClick, protocol.ActHover:
		return true
	case protocol.ActFill:
		return a.fx.Nav.Allow == nil
	}
	return false
}

// pressGuard is the guard of the action's press.
func (a *action) pressGuard() page.Guard {
	if a.q.Kind == protocol.ActTap || a.q.Kind == protocol.ActSwipe {
		return page.GuardTouch
	}
	return page.GuardPress
}

// point finds where to act: it scrolls, waits for what moves and tests what a
// pointer would meet, in every frame on the way.
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
		args["again"] = true
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
	at, way, err := page.Outward(ctx, a.p, f, aimed.Reached.Point, aimed.Reached.Line, kind.Pressed())
	a.way = way
	return at, err
}

// bare takes a point of the viewport as it is.
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
	a.fx.Out.Hit = hit.Ref + " " + hit.Words
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
	mods, err := keys.ReadModifiers(a.q.Modifiers)
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
		// The page has seen nothing of a press that was held back: it is done again
		// where the target is by now.
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
			return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.Out.Hit)+why+page.Plain(a.told.Guard.Met)+", and was not done", hint, next...)
		}
		a.again, a.lead, a.asked = true, a.told.Guard.Late, false
	}
}

// How often, and how long, a press is tried on something that moves away from it.
const (
	pressTries = 8
	pressWait  = 6 * time.Second
)

// heldBack says whether a press met something else and was held back from the page.
func (a *action) heldBack() bool {
	g := a.told.Guard
	return a.guarded && g != nil && g.OK != nil && !*g.OK
}

func (a *action) pressAt(ctx context.Context, at page.Point, button input.MouseButton, bits int64, count int, mods int64) error {
	a.held.Move(at)
	if a.q.HoldMS > 0 {
		return a.pressLong(ctx, at, button, bits, count, mods)
	}
	messages := []effects.Message{effects.Mouse(input.DispatchMouseEventTypeMouseMoved, at, "", 0, 0, mods)}
	for i := range count {
		messages = append(
			messages,
			effects.Mouse(input.DispatchMouseEventTypeMousePressed, at, button, bits, i+1, mods),
			effects.Mouse(input.DispatchMouseEventTypeMouseReleased, at, button, 0, i+1, mods),
		)
	}
	a.pressed = true
	return a.strike(ctx, a.p.Session, messages...)
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
		if err := a.sendMoves(ctx, at, []effects.Message{a.moved(at, mods)}); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		if g := a.told.Guard; g == nil || g.OK == nil || *g.OK {
			return nil
		}
		if try == hoverTries {
			return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away before the pointer arrived, which would have hit %s", page.Plain(a.fx.Out.Hit), page.Plain(a.told.Guard.Met)), "try again")
		}
		a.again, a.lead, a.asked = true, a.told.Guard.Late, false
	}
}

// hoverTries is how often the pointer follows something that moves away from it.
const hoverTries = 3

// settle asks the frames on the way what came of it.
func (a *action) settle(ctx context.Context) error {
	if a.asked {
		return nil
	}
	a.asked = true
	if ref, ok := a.after["ref"]; ok && ref == "" {
		delete(a.after, "ref")
	}
	if a.struck {
		a.struck = false
	} else {
		told, err := a.fx.Settle(ctx, a.f, a.after)
		a.told = told
		if err != nil {
			return err
		}
	}
	nothing := a.fx.Out.Nothing
	for _, f := range a.way {
		if _, err := a.fx.Settle(ctx, f, nil); err != nil {
			return err
		}
		nothing = nothing && a.fx.Out.Nothing
	}
	a.fx.Out.Nothing = nothing
	return nil
}

// disarm takes back what was prepared for an input that did not come.
func (a *action) disarm(ctx context.Context) {
	for _, f := range append([]*page.Frame{a.f}, a.way...) {
		_ = a.p.Ask(ctx, f, "disarm", nil, nil)
	}
}

// missed refuses a press that did not meet the target: something came between
// after it was aimed. The page saw none of it.
func (a *action) missed() error {
	if !a.guarded || !a.pressed || a.told.Guard == nil {
		return nil // or its document is gone, which is an effect
	}
	switch g := a.told.Guard; {
	case g.OK == nil:
		return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.Out.Hit)+" moved away or was covered just before the click, which hit something else", "", page.LookAgain())
	case !*g.OK:
		return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away just before the click, which would have hit %s and was not done", page.Plain(a.fx.Out.Hit), page.Plain(g.Met)), "try again")
	}
	return nil
}

// verify compares what was wanted with what the page has now.
func (a *action) verify(context.Context) error {
	if a.fx.Out.Navigated || a.fx.Out.Dialog != nil {
		return nil
	}
	if v := a.told.Value; v != nil && a.q.Kind != protocol.ActCheck {
		a.fx.Out.Value = &v.Value
		if _, asked := a.after["expected"]; asked && !v.Matches {
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s did not take the text: its value is now %q", page.Plain(a.fx.Out.Hit), page.Plain(v.Value)), "the field may need another format, or the page changes what is typed")
		}
	}
	if a.q.Kind == protocol.ActCheck && a.pressed {
		want := "off"
		if a.q.On {
			want = "on"
		}
		if a.told.Checked != "" && a.told.Checked != want && a.told.Checked != "gone" {
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s was clicked and is still %s", page.Plain(a.fx.Out.Hit), a.told.Checked), "the page undid it", protocol.Try("may show why", "snapshot"))
		}
	}
	return nil
}
