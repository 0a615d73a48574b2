package browser

import (
	"context"
	"encoding/json"

	"github.com/chromedp/cdproto/cdp/jsonv2"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// RawCDP sends one command of the DevTools protocol to the session of a tab
// that is nobody else's, and returns its answer. Who may send what is decided
// before.
func (b *Browser) RawCDP(ctx context.Context, id protocol.TabID, method string, params json.RawMessage) (json.RawMessage, error) {
	k, err := b.keeper(ctx, id)
	if err != nil {
		return nil, err
	}
	s := k.Session()
	var answer jsonv2.Value
	err = s.Call(ctx, method, jsonv2.Value(params), &answer)
	if e, ok := devtools.AsMethodError(err); ok {
		return nil, protocol.NewError(protocol.CodeBadArgument, method+": "+e.Message, "the protocol's reference says what it takes")
	}
	if err != nil {
		return nil, b.explain(ctx, id, nil, err)
	}
	return json.RawMessage(answer), nil
}
