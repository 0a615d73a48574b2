package input

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// check clicks only when that changes the state, and checks the state afterwards.
func (a *action) check(ctx context.Context) error {
	f, aimed, err := page.Aim(ctx, a.p, a.q.Target, "take", map[string]any{"watch": false, "enabled": true})
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
	a.fx.Out.Hit = aimed.Reached.Line
	want := "off"
	if a.q.On {
		want = "on"
	}
	switch {
	case now.State == "none" || now.State == "gone":
		return protocol.NewError(protocol.CodeNotActable, page.Plain(aimed.Reached.Line)+" cannot be checked or unchecked", "use click instead")
	case now.State == want:
		a.fx.Out.Nothing = true
		return nil
	case !a.q.On && now.Grouped:
		return protocol.NewError(protocol.CodeNotActable, page.Plain(aimed.Reached.Line)+" is a radio button and cannot be unchecked", "check another one of its group")
	}
	a.q.Target, a.after["ref"], a.after["wanted"] = ref, ref, want
	if err := a.click(ctx); err != nil {
		return err
	}
	return nil
}

// watchAround watches the documents around the target's frame: what is entered in a frame may
// make them change, or remove the frame.
func (a *action) watchAround(ctx context.Context) error {
	a.way = nil
	for f := a.p.Frames.ParentOf(a.f); f != nil; f = a.p.Frames.ParentOf(f) {
		if err := a.p.Ask(ctx, f, "watch", nil, nil); err != nil {
			return err
		}
		a.way = append(a.way, f)
	}
	return nil
}

// set changes a field with a function of the page script.
func (a *action) set(ctx context.Context, what string, args map[string]any) error {
	if args == nil {
		args = map[string]any{}
	}
	args["what"], a.fx.Acted = what, true
	a.begun = what == "focus" // also when a dialog opens in the middle of it
	f, aimed, err := page.AimMeanwhile(ctx, a.p, a.q.Target, "set", args, a.fx.Prepare)
	if err == nil && aimed.Filled != nil && aimed.Filled.State == "again" {
		args["focused"], a.begun = true, true
		f, aimed, err = page.Aim(ctx, a.p, aimed.Reached.Ref, "set", args)
	}
	if err != nil {
		return err
	}
	a.f, a.fx.Out.Hit = f, aimed.Reached.Line
	if what != "focus" { // its value changes
		a.fx.Out.Hit = aimed.Reached.Name()
	}
	if err := a.watchAround(ctx); err != nil {
		return err
	}
	if aimed.Filled == nil {
		return nil
	}
	switch aimed.Filled.State {
	case "gone":
		return (&page.Resolution{State: "gone", Ref: aimed.Reached.Ref}).Refusal()
	case "refused":
		// The options are text of the page. So they are part of the message, which an
		// agent gets in an envelope.
		has, hint := "", fits(aimed.Filled.Code, aimed.Filled.Field)
		switch {
		case len(aimed.Filled.Options) > 0:
			has, hint = "; its options are "+page.Plain(strings.Join(aimed.Filled.Options, ", ")), "use the label or value of one of them"
		case len(aimed.Filled.Alike) > 0:
			has, hint = "; their values are "+values(aimed.Filled.Alike), "select the value of one of them"
		}
		code := protocol.CodeNotActable
		if aimed.Filled.Code == "read_only" || aimed.Filled.Code == "disabled" {
			code = protocol.CodeDisabled
		}
		return protocol.NewError(code, page.Plain(aimed.Reached.Line)+": "+page.Plain(aimed.Filled.Why)+has, hint)
	case "type":
		a.after["ref"] = aimed.Reached.Ref
		if a.q.Kind == protocol.ActType {
			a.selected, a.text = aimed.Filled.Selected, true
			return nil
		}
		return a.insert(ctx, aimed.Filled.Selected)
	}
	switch aimed.Filled.State {
	case "press":
		err = choosing{a}.chooseByKey(ctx, aimed)
	case "click":
		err = choosing{a}.chooseByClick(ctx, aimed)
	}
	if err != nil {
		return err
	}
	a.fx.Out.Untrusted = aimed.Filled.Told
	if (what == "choose" || what == "fill") && aimed.Filled.State != "gone" {
		a.after["ref"] = aimed.Reached.Ref
		value := aimed.Filled.Value
		a.fx.Out.Value = &value
	}
	if what == "type" {
		a.after["ref"], a.text = aimed.Reached.Ref, aimed.Filled.Text
	}
	return nil
}

// values lists the values of options that have the same label.
func values(options []page.Option) string {
	list := make([]string, len(options))
	for i, o := range options {
		list[i] = strconv.Quote(page.Plain(o.Value))
		if o.Group != "" {
			list[i] += " in " + strconv.Quote(page.Plain(o.Group))
		}
	}
	return strings.Join(list, ", ")
}

// fits returns the hint for a field that rejected a value.
func fits(code string, field page.Field) string {
	switch code {
	case "bad_value":
		switch field.Type {
		case "date":
			return "write it as 2026-02-28"
		case "time":
			return "write it as 13:05"
		case "datetime-local":
			return "write it as 2026-02-28T13:05"
		case "month":
			return "write it as 2026-02"
		case "week":
			return "write it as 2026-W09"
		case "color":
			return "write it as #ff8800"
		}
		return fmt.Sprintf("it takes a number from %.40s to %.40s, in steps of %.40s", page.Plain(field.Min), page.Plain(field.Max), page.Plain(field.Step))
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
		a.last = &arrival{"keyup", 1} // of the key that deletes the text
	}
	return a.set(ctx, "fill", map[string]any{"value": a.q.Text, "last": a.last})
}

// insert replaces the selection with the text, or deletes the selection when the text
// is empty.
func (a *action) insert(ctx context.Context, selected bool) error {
	a.after["expected"] = a.q.Text
	s, _ := a.p.Frames.State(a.f)
	if a.q.Text != "" {
		return a.dispatch(ctx, s, message{Method: input.InsertText.Method, Params: input.InsertTextParams{Text: a.q.Text}})
	}
	if !selected {
		return nil
	}
	return a.dispatch(ctx, s, keyMessages(pressNamed("delete")...)...)
}
