package input

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// heldBy returns what a caller holds down in a tab.
func (in *Input) heldBy(by protocol.Caller, id protocol.TabID) *heldInput {
	in.holds.Forget(func(k holder) bool { _, open := in.config.Open.Lookup(k.Tab); return !open })
	return in.holds.Of(by, id)
}

// Pointer returns where a caller moved the mouse to in a tab, as "x,y"; empty if that
// is not known.
func (in *Input) Pointer(by protocol.Caller, id protocol.TabID) string {
	at := in.heldBy(by, id).Pointer()
	if at == (page.Point{}) {
		return ""
	}
	return fmt.Sprintf("%g,%g", at.X, at.Y)
}

// ReleaseInput releases all keys and mouse buttons that a caller holds down, in every
// tab, because the caller has ended.
func (in *Input) ReleaseInput(ctx context.Context, caller string) {
	mine := func(k holder) bool { return k.Caller == caller }
	all := in.holds.Those(mine)
	in.holds.Forget(mine)
	for k, one := range all {
		messages := one.Take()
		if len(messages) == 0 {
			continue
		}
		// In a closed tab, or while the browser is not running, nothing is held.
		_ = in.tabs.Beside(ctx, protocol.Caller{}, k.Tab, false, func(ctx context.Context, p *page.Page) error {
			in.letGo(ctx, p, messages)
			return nil
		})
	}
}

// LoseHeld forgets what all callers hold down: the browser process is dead, and the
// next one never saw the keys go down. Each caller learns of it with its next action.
func (in *Input) LoseHeld() {
	for _, one := range in.holds.Those(func(holder) bool { return true }) {
		one.Lose()
		one.Move(page.Point{})
	}
}

// letGo sends the events that release keys and buttons, and does not wait for an
// answer.
func (in *Input) letGo(ctx context.Context, p *page.Page, messages []message) {
	for _, m := range messages {
		if err := p.Post(ctx, m.Method, m.Params); err != nil {
			in.config.Log.Debug("input was not released", "error", err)
			return
		}
	}
}

// DropHeld releases what is held down in the tab when it navigates to another
// document, which never saw it go down. The goroutine that reads events calls it, so
// it must not wait.
func (in *Input) DropHeld(p *page.Page, e devtools.Event) {
	v, ok := devtools.Decode(e, cdppage.FrameNavigated)
	if !ok || v.Frame == nil || v.Frame.ParentID != "" || v.Frame.ID != cdp.FrameID(p.Target) {
		return
	}
	t, ok := in.config.Open.Find(func(t *tabs.Entry) bool { return t.Target == p.Target })
	if !ok {
		return
	}
	for _, one := range in.holds.Those(func(k holder) bool { return k.Tab == t.ID }) {
		messages := one.Lose()
		if len(messages) == 0 {
			continue
		}
		go in.letGo(context.Background(), p, messages) // ends with the session
	}
}
