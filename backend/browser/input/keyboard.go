package input

import (
	"context"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/input"

	"pilotfish/backend/protocol"
)

// typing is a keyboard action.
type typing struct{ *action }

// typeText presses the keys of a text one after the other.
func (a typing) typeText(ctx context.Context) error {
	var messages []message
	if a.q.Clear {
		// As a user does it: everything is selected, and the first key replaces it.
		err := a.set(ctx, "fill", map[string]any{"value": a.q.Text})
		if err != nil || a.fx.Out.Value != nil { // or the field takes no keys, and its value was set at once
			return err
		}
		if a.q.Text == "" && a.selected {
			messages = keyMessages(pressNamed("delete")...)
		}
	} else if err := a.focused(ctx); err != nil {
		return err
	}
	for _, r := range strings.ReplaceAll(a.q.Text, "\r\n", "\n") {
		k, ok := keyOf(r)
		// The layout has no such key: insert it as an input method does. A tab in a text
		// belongs into the field, which the key would leave.
		if !ok || r == '\t' && a.text {
			messages = append(messages, message{Method: input.InsertText.Method, Params: input.InsertTextParams{Text: string(r)}})
			continue
		}
		mods := int64(0)
		if r >= 'A' && r <= 'Z' || strings.ContainsRune(`~!@#$%^&*()_+{}|:"<>?`, r) {
			mods = shift
		}
		messages = append(messages, keyMessages(k.Press(mods)...)...)
	}
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// focused focuses the target. Without a target, it watches the focused element.
func (a typing) focused(ctx context.Context) error {
	if a.q.Target != "" {
		return a.set(ctx, "type", nil)
	}
	a.f, a.fx.Out.Hit = a.p.Frames.Main(), "what has the focus"
	return a.p.Ask(ctx, a.f, "watch", nil, nil)
}

// chordMessages returns the events of a key combination as a keyboard makes them: the
// modifiers go down in their order, then the key, and all go up in the opposite
// order. Keys that the caller holds down stay down.
func chordMessages(c chord, h *heldInput) []message {
	var out []message
	var own []key
	mods := h.Mods()
	for _, k := range c.Keys() {
		k = k.Under(mods)
		mods |= k.Bit()
		down := h.Has(k)
		if !down {
			own = append(own, k)
		} else if k.Code != c.Key.Code {
			continue
		}
		out = append(out, keyMessages(k.Down(mods, down))...)
	}
	for _, k := range slices.Backward(own) {
		mods &^= k.Bit()
		out = append(out, keyMessages(k.Up(mods))...)
	}
	return out
}

// press presses keys one after the other.
func (a typing) press(ctx context.Context) error {
	chords, err := readPresses(a.q.Text)
	if err != nil {
		return err
	}
	var messages []message
	for _, c := range chords {
		messages = append(messages, chordMessages(c, a.held)...)
	}
	return a.sendKeys(ctx, messages)
}

// sendKeys sends keys to the target, or to the focused element.
func (a typing) sendKeys(ctx context.Context, messages []message) error {
	if err := a.focused(ctx); err != nil {
		return err
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// keyDown presses keys that stay down until keyUp.
func (a typing) keyDown(ctx context.Context) error {
	chords, err := readPresses(a.q.Text)
	if err != nil {
		return err
	}
	if err := a.focused(ctx); err != nil {
		return err
	}
	var messages []message
	for _, c := range chords {
		for _, k := range c.Keys() {
			k = k.Under(a.held.Mods())
			repeat := a.held.Push(k)
			messages = append(messages, keyMessages(k.Down(a.held.Mods(), repeat))...)
		}
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// keyUp releases the named keys; without names, everything that is held down.
func (a typing) keyUp(ctx context.Context) error {
	if strings.TrimSpace(a.q.Text) == "" {
		return a.letGo(ctx)
	}
	chords, err := readPresses(a.q.Text)
	if err != nil {
		return err
	}
	var up []key
	for _, c := range chords {
		for _, k := range slices.Backward(c.Keys()) {
			down, ok := a.held.Find(k)
			if !ok {
				return protocol.NewError(protocol.CodeBadArgument, k.Name+" is not down", "", protocol.Try("holds a key down", "keydown"))
			}
			up = append(up, down)
		}
	}
	if err := a.focused(ctx); err != nil {
		return err
	}
	var messages []message
	for _, k := range up {
		a.held.Drop(k)
		messages = append(messages, keyMessages(k.Up(a.held.Mods()))...)
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// letGo releases everything that the caller holds down.
func (a typing) letGo(ctx context.Context) error {
	if err := a.focused(ctx); err != nil {
		return err
	}
	messages := a.held.Take()
	if len(messages) == 0 {
		a.fx.Out.Nothing = true
		return nil
	}
	return a.send(ctx, a.p.Session, messages...)
}

// holdKeys makes the page forward what the user types in the panel, while the browser
// presses in the page. freeKeys ends this.
func (a *action) holdKeys(ctx context.Context) {
	switch a.q.Kind {
	case protocol.ActClick, protocol.ActCheck, protocol.ActDrag, protocol.ActTap, protocol.ActSwipe, protocol.ActPinch:
	case protocol.ActMouse:
		if a.q.Do != "down" {
			return
		}
	default:
		return
	}
	if a.keys = a.in.config.Panels.At(); a.keys != nil {
		a.keys.HoldKeys(ctx, a.p)
	}
}

// freeKeys ends holdKeys. If the action opened a tab, it returns the focus once more,
// because a new tab takes the focus when it comes to the front.
func (a *action) freeKeys(ctx context.Context) {
	if a.keys == nil {
		return
	}
	a.keys.FreeKeys(ctx, a.p)
	if len(a.fx.Out.Tabs) > 0 {
		a.keys.TakeBack(context.WithoutCancel(ctx))
	}
}
