package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/keys"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// action is one action on its way.
type action struct {
	p  *tabPage
	q  protocol.ActRequest
	fx *effects
	// f is the frame that was acted on, way the frames that it stands in.
	f   *page.Frame
	way []*page.Frame
	// after is what settle is asked beside the change.
	after map[string]any
	told  settled
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
	held *held
	// fingered are the points that fingers touch.
	fingered []page.Point
}

// Act does one thing on a tab's page by trusted input and says what came of
// it. allow is asked about every document that it leads to; nil allows all. An
// element that cannot be acted on is refused with a code and the reason, and
// nothing is done.
func (b *Browser) Act(ctx context.Context, id protocol.TabID, q protocol.ActRequest, allow func(string) error) (protocol.Effect, error) {
	effect := protocol.Effect{Tab: id}
	err := b.onPage(ctx, id, func(ctx context.Context, p *tabPage) error {
		fx := b.beginEffects(id, p, allow)
		defer fx.end(ctx)
		a := &action{p: p, q: q, fx: fx, after: map[string]any{}, held: b.heldBy(ctx, id)}
		a.holdKeys(ctx)
		err := a.run(ctx)
		a.freeKeys(ctx)
		fx.out.Held, fx.out.Released = a.held.names(), a.held.takeLost()
		b.holds.tidy(ctx, id)
		effect = fx.out
		return err
	})
	return effect, err
}

func (a *action) run(ctx context.Context) error {
	err := a.do(ctx)
	if err == nil && a.f != nil {
		err = a.settle(ctx)
	}
	if errors.Is(err, errDialogOpen) {
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
	if err := a.fx.finish(ctx); err != nil {
		return err
	}
	switch a.q.Kind {
	case protocol.ActScroll:
		a.fx.out.Gone = nil // out of view is not gone
	case protocol.ActUpload:
		a.fx.out.Nothing = false // it has the files, whatever the page shows of them
	}
	return a.verify(ctx)
}

func (a *action) do(ctx context.Context) error {
	if !a.looks() {
		if err := a.fx.prepare(ctx); err != nil {
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
		return a.typeText(ctx)
	case protocol.ActPress:
		return a.press(ctx)
	case protocol.ActSelect:
		return a.set(ctx, "choose", map[string]any{"wanted": a.q.Values})
	case protocol.ActCheck:
		return a.check(ctx)
	case protocol.ActFocus:
		return a.set(ctx, "focus", nil)
	case protocol.ActDrag:
		return a.drag(ctx)
	case protocol.ActScroll:
		return a.scroll(ctx)
	case protocol.ActUpload:
		return a.upload(ctx)
	case protocol.ActKeyDown:
		return a.keyDown(ctx)
	case protocol.ActKeyUp:
		return a.keyUp(ctx)
	case protocol.ActMouse:
		return a.theMouse(ctx)
	case protocol.ActTap:
		return a.tap(ctx)
	case protocol.ActSwipe:
		return a.swipe(ctx)
	case protocol.ActPinch:
		return a.pinch(ctx)
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
		return a.fx.nav.Allow == nil
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
	f, aimed, err := a.p.AimMeanwhile(ctx, a.q.Target, "aim", args, a.fx.prepare)
	if err != nil {
		return page.Point{}, err
	}
	a.f, a.guarded, a.moving = f, guarded, aimed.Reached.Moving
	a.fx.out.Hit = aimed.Reached.Line
	at, way, err := a.p.Outward(ctx, f, aimed.Reached.Point, aimed.Reached.Line, kind.Pressed())
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
	a.fx.out.Hit = hit.Ref + " " + hit.Words
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
	return button, bits, max(1, a.q.Count), mods | a.held.mods(), err
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
			return protocol.NewError(protocol.CodeNotActable, page.Plain(a.fx.out.Hit)+why+page.Plain(a.told.Guard.Met)+", and was not done", hint, next...)
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
	a.held.move(at)
	if a.q.HoldMS > 0 {
		return a.pressLong(ctx, at, button, bits, count, mods)
	}
	messages := []message{mouse(input.DispatchMouseEventTypeMouseMoved, at, "", 0, 0, mods)}
	for i := range count {
		messages = append(
			messages,
			mouse(input.DispatchMouseEventTypeMousePressed, at, button, bits, i+1, mods),
			mouse(input.DispatchMouseEventTypeMouseReleased, at, button, 0, i+1, mods),
		)
	}
	a.pressed = true
	return a.strike(ctx, a.p.Session, messages...)
}

func mouse(kind input.DispatchMouseEventType, at page.Point, button input.MouseButton, bits int64, count int, mods int64) message {
	return message{input.DispatchMouseEvent.Method, input.DispatchMouseEventParams{
		Type: kind, X: at.X, Y: at.Y, Button: button, Buttons: bits, ClickCount: int64(count), Modifiers: mods,
	}}
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
		a.held.move(at)
		if err := a.sendMoves(ctx, at, []message{a.moved(at, mods)}); err != nil {
			return err
		}
		if err := a.settle(ctx); err != nil {
			return err
		}
		if g := a.told.Guard; g == nil || g.OK == nil || *g.OK {
			return nil
		}
		if try == hoverTries {
			return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away before the pointer arrived, which would have hit %s", page.Plain(a.fx.out.Hit), page.Plain(a.told.Guard.Met)), "try again")
		}
		a.again, a.lead, a.asked = true, a.told.Guard.Late, false
	}
}

// hoverTries is how often the pointer follows something that moves away from it.
const hoverTries = 3

// check clicks only when that changes something, and looks afterwards.
func (a *action) check(ctx context.Context) error {
	f, aimed, err := a.p.Aim(ctx, a.q.Target, "take", map[string]any{"watch": false, "enabled": true})
	if err != nil {
		return err
	}
	ref := aimed.Reached.Ref
	var now struct {
		State   string `json:"state"`
		Grouped bool   `json:"grouped"`
	}
	if err := a.p.Ask(ctx, f, "checked", map[string]string{"ref": ref}, &now); err != nil {
		return err
	}
	a.fx.out.Hit = aimed.Reached.Line
	want := "off"
	if a.q.On {
		want = "on"
	}
	switch {
	case now.State == "none" || now.State == "gone":
		return protocol.NewError(protocol.CodeNotActable, page.Plain(aimed.Reached.Line)+" cannot be checked or unchecked", "use click instead")
	case now.State == want:
		a.fx.out.Nothing = true
		return nil
	case !a.q.On && now.Grouped:
		return protocol.NewError(protocol.CodeNotActable, page.Plain(aimed.Reached.Line)+" is a radio button and cannot be unchecked", "check another one of its group")
	}
	a.q.Target, a.after["ref"] = ref, ref
	if err := a.click(ctx); err != nil {
		return err
	}
	return nil
}

// set does what a function of the page script does to a field.
func (a *action) set(ctx context.Context, what string, args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	args["what"] = what
	f, aimed, err := a.p.AimMeanwhile(ctx, a.q.Target, "set", args, a.fx.prepare)
	if err != nil {
		return err
	}
	a.f, a.fx.out.Hit = f, aimed.Reached.Line
	if what != "focus" { // it gets another value
		a.fx.out.Hit = aimed.Reached.Name()
	}
	if aimed.Filled == nil {
		return nil
	}
	switch aimed.Filled.State {
	case "gone":
		return (&page.Resolution{State: "gone", Ref: aimed.Reached.Ref}).Refusal()
	case "refused":
		// The options are the page's words: they stand in the message, which an
		// agent gets in an envelope.
		has, hint := "", fits(aimed.Filled.Code)
		if len(aimed.Filled.Options) > 0 {
			has, hint = "; its options are "+page.Plain(strings.Join(aimed.Filled.Options, ", ")), "use the label or value of one of them"
		}
		code := protocol.CodeNotActable
		if aimed.Filled.Code == "read_only" || aimed.Filled.Code == "disabled" {
			code = protocol.CodeDisabled
		}
		return protocol.NewError(code, page.Plain(aimed.Reached.Line)+": "+page.Plain(aimed.Filled.Why)+has, hint)
	case "type":
		a.after["ref"] = aimed.Reached.Ref
		if a.q.Kind == protocol.ActType {
			a.selected = aimed.Filled.Selected
			return nil
		}
		return a.insert(ctx, aimed.Filled.Selected)
	}
	switch aimed.Filled.State {
	case "press":
		err = a.chooseByKey(ctx, aimed)
	case "click":
		err = a.chooseByClick(ctx, aimed)
	}
	if err != nil {
		return err
	}
	a.fx.out.Untrusted = aimed.Filled.Told
	if (what == "choose" || what == "fill") && aimed.Filled.State != "gone" {
		a.after["ref"] = aimed.Reached.Ref
		value := aimed.Filled.Value
		a.fx.out.Value = &value
	}
	if what == "type" {
		a.after["ref"] = aimed.Reached.Ref
	}
	return nil
}

// fits says what to do with a field that did not take something.
func fits(code string) string {
	switch code {
	case "bad_value":
		return "write a date as 2026-02-28, a time as 13:05, a month as 2026-02, a colour as #ff8800; a slider takes a number in its range"
	case "read_only", "disabled", "option_disabled":
		return "choose another one, or do first what enables it"
	case "one_option":
		return "name one option"
	}
	return "use the command for this kind of element: fill, select, check, click or upload"
}

func (a *action) fill(ctx context.Context) error {
	a.last = &arrival{"input", 1}
	if a.q.Text == "" {
		a.last = &arrival{"keyup", 1} // of the key that takes away
	}
	return a.set(ctx, "fill", map[string]any{"value": a.q.Text, "last": a.last})
}

// insert puts text in place of what is selected, or takes that away.
func (a *action) insert(ctx context.Context, selected bool) error {
	a.after["expected"] = a.q.Text
	s, _ := a.p.Frames.State(a.f)
	if a.q.Text != "" {
		return a.strike(ctx, s, message{input.InsertText.Method, input.InsertTextParams{Text: a.q.Text}})
	}
	if !selected {
		return nil
	}
	return a.strike(ctx, s, keyMessages(keys.Pressed("delete")...)...)
}

// typeText presses the keys of a text one after the other.
func (a *action) typeText(ctx context.Context) error {
	var messages []message
	if a.q.Clear {
		// As a person does it: all is selected, and the first key replaces it.
		err := a.set(ctx, "fill", map[string]any{"value": a.q.Text})
		if err != nil || a.fx.out.Value != nil { // or it takes no keys, and was set at once
			return err
		}
		if a.q.Text == "" && a.selected {
			messages = keyMessages(keys.Pressed("delete")...)
		}
	} else if err := a.focused(ctx); err != nil {
		return err
	}
	for _, r := range strings.ReplaceAll(a.q.Text, "\r\n", "\n") {
		k, ok := keys.Of(r)
		if !ok { // no key of this layout: as an input method does it
			messages = append(messages, message{input.InsertText.Method, input.InsertTextParams{Text: string(r)}})
			continue
		}
		mods := int64(0)
		if r >= 'A' && r <= 'Z' || strings.ContainsRune(`~!@#$%^&*()_+{}|:"<>?`, r) {
			mods = keys.Shift
		}
		messages = append(messages, keyMessages(k.Press(mods)...)...)
	}
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// focused puts the focus on the target, or watches what has it.
func (a *action) focused(ctx context.Context) error {
	if a.q.Target != "" {
		return a.set(ctx, "type", nil)
	}
	a.f, a.fx.out.Hit = a.p.Frames.Main(), "what has the focus"
	return a.p.Ask(ctx, a.f, "watch", nil, nil)
}

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
		told, err := a.fx.settle(ctx, a.f, a.after)
		a.told = told
		if err != nil {
			return err
		}
	}
	nothing := a.fx.out.Nothing
	for _, f := range a.way {
		if _, err := a.fx.settle(ctx, f, nil); err != nil {
			return err
		}
		nothing = nothing && a.fx.out.Nothing
	}
	a.fx.out.Nothing = nothing
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
		return protocol.NewError(protocol.CodeCovered, page.Plain(a.fx.out.Hit)+" moved away or was covered just before the click, which hit something else", "", page.LookAgain())
	case !*g.OK:
		return protocol.NewError(protocol.CodeCovered, fmt.Sprintf("%s moved away just before the click, which would have hit %s and was not done", page.Plain(a.fx.out.Hit), page.Plain(g.Met)), "try again")
	}
	return nil
}

// verify compares what was wanted with what the page has now.
func (a *action) verify(context.Context) error {
	if a.fx.out.Navigated || a.fx.out.Dialog != nil {
		return nil
	}
	if v := a.told.Value; v != nil && a.q.Kind != protocol.ActCheck {
		a.fx.out.Value = &v.Value
		if _, asked := a.after["expected"]; asked && !v.Matches {
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s did not take the text: its value is now %q", page.Plain(a.fx.out.Hit), page.Plain(v.Value)), "the field may need another format, or the page changes what is typed")
		}
	}
	if a.q.Kind == protocol.ActCheck && a.pressed {
		want := "off"
		if a.q.On {
			want = "on"
		}
		if a.told.Checked != "" && a.told.Checked != want && a.told.Checked != "gone" {
			return protocol.NewError(protocol.CodeNotActable, fmt.Sprintf("%s was clicked and is still %s", page.Plain(a.fx.out.Hit), a.told.Checked), "the page undid it", protocol.Try("may show why", "snapshot"))
		}
	}
	return nil
}
