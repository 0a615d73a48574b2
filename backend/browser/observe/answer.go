package observe

import (
	"context"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// Dialog answers the dialog that a tab shows, and returns when the page's script has
// gone on: where the answer makes the page go elsewhere, the browser knows of it by then
// and the next command does not collide with it. Dialog bypasses the
// tab's queue, because the command that is running there may be waiting for this answer.
func (o *Observer) Dialog(ctx context.Context, by protocol.Caller, id protocol.TabID, accept bool, text *string) (protocol.DialogInfo, error) {
	var info protocol.DialogInfo
	err := o.config.Pages.Beside(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		if err := page.MayAct(ctx, p); err != nil {
			return err
		}
		open, answer := p.OpenDialog(), ""
		switch {
		case text != nil:
			answer = *text
		case open != nil:
			answer = open.Default // as OK does when the user types nothing
		}
		if err := page.AnswerDialog(ctx, p, accept, answer); err != nil {
			if _, ok := devtools.AsMethodError(err); ok {
				return protocol.NewError(protocol.CodeNoElement, "tab "+string(id)+" shows no dialog", "", protocol.Try("lists earlier ones", "dialogs"))
			}
			return err
		}
		if open != nil {
			info = open.DialogInfo
		}
		o.config.Background.KnowsDialog(by, id, info.Type, info.Message)
		if info.Next = goesOn(ctx, p, id); info.Next == nil && o.config.Open.AwaitClosed(ctx, id, p.Done, page.AskLeaving(ctx, p)(ctx).Wait(ctx, p)) {
			info.Closed = id
		}
		return nil
	})
	return info, err
}

// goesOn waits until the script that waited for an answer has ended, and returns the
// dialog that it opened before. A script that takes long is not waited for.
func goesOn(ctx context.Context, p *page.Page, id protocol.TabID) *protocol.DialogInfo {
	ctx, cancel := context.WithTimeout(ctx, watch.BeginWait)
	defer cancel()
	_ = p.UntilDialog(ctx, id, func(ctx context.Context) error {
		// Whatever the answer is, and also when its document is gone: the script has ended.
		_, err := cdp.Call(ctx, p.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: "0"})
		return err
	})
	next := p.OpenDialog()
	if next == nil {
		return nil
	}
	return &next.DialogInfo
}
