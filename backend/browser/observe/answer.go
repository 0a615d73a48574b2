package observe

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Dialog answers the dialog that a tab shows. It bypasses the tab's queue,
// because the command that is running there may be waiting for this answer.
func (o *Observer) Dialog(ctx context.Context, by protocol.Caller, id protocol.TabID, accept bool, text *string) (protocol.DialogInfo, error) {
	var info protocol.DialogInfo
	err := o.config.Beside(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		if err := page.MayAct(ctx, p); err != nil {
			return err
		}
		open := p.OpenDialog()
		params := cdppage.HandleJavaScriptDialogParams{Accept: accept}
		if text != nil {
			params.PromptText = *text
		}
		if _, err := cdp.Call(ctx, p.Session, cdppage.HandleJavaScriptDialog, params); err != nil {
			if _, ok := errors.AsType[*devtools.MethodError](err); ok {
				return protocol.NewError(protocol.CodeNoElement, "tab "+string(id)+" shows no dialog", "", protocol.Try("lists earlier ones", "dialogs"))
			}
			return err
		}
		p.DialogAnswered()
		if open != nil {
			info.Type, info.Message = open.Kind, open.Message
		}
		o.config.Answered(by, id, info.Type, info.Message)
		return nil
	})
	return info, err
}
