package input

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// choosing is an action that selects an option of a list.
type choosing struct{ *action }

// chooseByKey selects an option with the arrow key that leads to it from the option
// beside it, so that the page gets keyboard events. If the key did not select the
// option, a script sets it, and the effect says so.
func (a choosing) chooseByKey(ctx context.Context, at page.Aimed) error {
	k, ok := readKey(at.Filled.Key)
	if !ok {
		return fmt.Errorf("the page named the key %q", at.Filled.Key)
	}
	s, _ := a.p.Frames.State(a.f)
	return a.chosen(ctx, at, a.send(ctx, s, keyMessages(k.Press(0)...)...))
}

// chooseByClick clicks options of a list that shows them in the page: the first
// alone, the others with the modifier key that adds to the selection or takes out of
// it. A script sets
// an option that no click reaches.
func (a choosing) chooseByClick(ctx context.Context, at page.Aimed) error {
	what := a.q
	defer func() { a.fx.Out.Hit, a.fx.Out.Nothing = at.Reached.Name(), false }()
	add := "Control"
	if runtime.GOOS == "darwin" {
		add = "Meta"
	}
	var err error
	for i, option := range at.Filled.Options {
		a.q, a.asked = protocol.ActRequest{Kind: what.Kind, Target: option}, false
		if i > 0 || at.Filled.Toggles {
			a.q.Modifiers = add
		}
		if err = a.click(ctx); err == nil {
			err = a.missed()
		}
		if err != nil {
			break
		}
	}
	a.q, a.guarded = what, false
	if err != nil && unreached(protocol.AsError(err).Code) {
		err, a.asked = nil, false
	}
	return a.chosen(ctx, at, err)
}

// unreached reports whether an error is about an element that no click reaches.
func unreached(code protocol.Code) bool {
	switch code {
	case protocol.CodeHidden, protocol.CodeCovered, protocol.CodeInert, protocol.CodeNotActable, protocol.CodeGone, protocol.CodeChanged, protocol.CodeDisabled:
		return true
	}
	return false
}

// chosen sets by script what the input did not select, and the effect says so.
func (a choosing) chosen(ctx context.Context, at page.Aimed, err error) error {
	if errors.Is(err, errDialogOpen) {
		return err // the option was selected, and the page opened a dialog
	}
	wanted := a.q.Values
	if a.q.Kind != protocol.ActSelect {
		wanted = []string{a.q.Text}
	}
	// Also after a failure: the list may still be at the option beside it.
	ctx = context.WithoutCancel(ctx)
	var cancel context.CancelFunc
	ctx, cancel = context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	e := a.fx.Call(ctx, func(ctx context.Context) error {
		return a.p.Ask(ctx, a.f, "choose", map[string]any{"ref": at.Reached.Ref, "wanted": wanted}, at.Filled)
	})
	if errors.Is(e, page.ErrReplaced) && err == nil {
		return nil // the selected option led to another document
	}
	return errors.Join(err, e)
}
