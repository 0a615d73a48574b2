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

// Dialog answers the dialog that a tab shows. It goes past the tab's queue: what
// is under way there may be waiting for this answer.
func (o *Observer) Dialog(ctx context.Context, id protocol.TabID, accept bool, text *string) (protocol.DialogInfo, error) {
	var info protocol.DialogInfo
	err := o.config.Beside(ctx, id, false, func(ctx context.Context, p *page.Page) error {
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
		o.config.Answered(ctx, id, info.Type, info.Message)
		return nil
	})
	return info, err
}
