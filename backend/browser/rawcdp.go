package browser

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// RawCDP sends one command of the DevTools protocol to the session of a tab
// that is nobody else's, and returns its answer and the address of the page that gave
// it. Who may send what is decided before.
func (b *Browser) RawCDP(ctx context.Context, by protocol.Caller, id protocol.TabID, method string, params json.RawMessage) (answer json.RawMessage, address string, err error) {
	k, err := b.keeper(ctx, id)
	if err != nil {
		return nil, "", err
	}
	err = b.besideTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		if err := page.MayAct(ctx, p); err != nil {
			return err
		}
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		var raw jsonv2.Value
		call := func(ctx context.Context) error {
			return k.Session().Call(ctx, method, jsonv2.Value(params), &raw)
		}
		var err error
		if p.OpenDialog() == nil {
			err = p.UntilDialog(ctx, id, call)
		} else { // the command may be about the dialog
			err = call(ctx)
		}
		if e, ok := devtools.AsMethodError(err); ok {
			return protocol.NewError(protocol.CodeBadArgument, method+": "+e.Message, "the protocol's reference says what it takes")
		}
		answer, address = json.RawMessage(raw), info.URL
		return err
	})
	return answer, address, err
}
