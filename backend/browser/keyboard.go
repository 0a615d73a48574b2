package browser

import (
	"context"
	"slices"
	"strings"

	"pilotfish/backend/browser/keys"
	"pilotfish/backend/protocol"
)

// chordMessages are a press as a keyboard does it: the modifiers go down in their
// order, then the key, and all go up in the opposite order. What the caller holds
// down stays down.
func chordMessages(c keys.Chord, h *held) []message {
	var out []message
	var own []keys.Key
	mods := h.mods()
	for _, k := range c.Keys() {
		k = k.Under(mods)
		mods |= k.Bit()
		down := h.has(k)
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
func (a *action) press(ctx context.Context) error {
	chords, err := keys.ReadPresses(a.q.Text)
	if err != nil {
		return err
	}
	var messages []message
	for _, c := range chords {
		messages = append(messages, chordMessages(c, a.held)...)
	}
	return a.sendKeys(ctx, messages)
}

// sendKeys sends keys to the target, or to what has the focus.
func (a *action) sendKeys(ctx context.Context, messages []message) error {
	if err := a.focused(ctx); err != nil {
		return err
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// keyDown presses keys that stay down until keyUp.
func (a *action) keyDown(ctx context.Context) error {
	chords, err := keys.ReadPresses(a.q.Text)
	if err != nil {
		return err
	}
	if err := a.focused(ctx); err != nil {
		return err
	}
	var messages []message
	for _, c := range chords {
		for _, k := range c.Keys() {
			k = k.Under(a.held.mods())
			repeat := a.held.push(k)
			messages = append(messages, keyMessages(k.Down(a.held.mods(), repeat))...)
		}
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// keyUp lets go of keys; of all that is held down where none is named.
func (a *action) keyUp(ctx context.Context) error {
	if strings.TrimSpace(a.q.Text) == "" {
		return a.letGo(ctx)
	}
	chords, err := keys.ReadPresses(a.q.Text)
	if err != nil {
		return err
	}
	var up []keys.Key
	for _, c := range chords {
		for _, k := range slices.Backward(c.Keys()) {
			down, ok := a.held.find(k)
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
		a.held.drop(k)
		messages = append(messages, keyMessages(k.Up(a.held.mods()))...)
	}
	delete(a.after, "ref")
	s, _ := a.p.Frames.State(a.f)
	return a.send(ctx, s, messages...)
}

// letGo lets go of everything that the caller holds down.
func (a *action) letGo(ctx context.Context) error {
	if err := a.focused(ctx); err != nil {
		return err
	}
	messages := a.held.take()
	if len(messages) == 0 {
		a.fx.out.Nothing = true
		return nil
	}
	return a.send(ctx, a.p.Session, messages...)
}

// holdKeys has the page pass on what the user types in the panel while the browser
// presses there. It ends with freeKeys.
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
	if a.keys = a.p.r.panels.At(); a.keys != nil {
		a.keys.HoldKeys(ctx, a.p.Page)
	}
}

// freeKeys ends holdKeys, and returns the focus once more where the action opened a
// tab, which takes it when it comes to the front.
func (a *action) freeKeys(ctx context.Context) {
	if a.keys == nil {
		return
	}
	a.keys.FreeKeys(ctx, a.p.Page)
	if len(a.fx.out.Tabs) > 0 {
		a.keys.TakeBack(context.WithoutCancel(ctx))
	}
}
