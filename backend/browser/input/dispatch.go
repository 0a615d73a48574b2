package input

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
)

// arrival describes the last event of an input as the page sees it. From the event's
// type and count the page knows that all of the input has arrived. It is sent before
// the input.
type arrival struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// dispatch dispatches input and requests its effect at the same time. So the page
// begins to settle when it has received the last event, and not one round trip after
// the browser has acknowledged it. It waits for both answers. Where the page does
// not receive the event, because it went elsewhere or was cancelled, the
// acknowledgement starts the settling instead. Under an overlay, the effect is
// requested afterwards, when the overlay is back.
func (a *action) dispatch(ctx context.Context, s *devtools.Session, messages ...message) error {
	in, world := a.p.Frames.State(a.f)
	if world == "" || a.last == nil || a.in.config.Overlays.Covers(a.p.Target) {
		return a.send(ctx, s, messages...)
	}
	a.fx.Listen(in)
	if err := a.fx.Prepare(ctx); err != nil {
		return err
	}
	a.fx.Acted = true
	args := map[string]any{"coming": true}
	for name, value := range a.after {
		if value != "" || name != "ref" {
			args[name] = value
		}
	}
	expression, err := a.p.Expression(a.f, "settle", args)
	if err != nil {
		return err
	}
	// The request is sent first, so that it is there when the input arrives.
	request := page.NewCalls(in)
	if err := request.Send(ctx, runtime.Evaluate.Method, page.EvaluateParams(expression, world)); err != nil {
		return err
	}
	a.begun = true
	q := page.NewCalls(s)
	for _, m := range messages {
		if err := q.Send(ctx, m.Method, m.Params); err != nil {
			return err
		}
	}
	var out settled
	err = a.fx.Acknowledged(ctx, q)
	if err == nil && !request.Answered(0) {
		err = page.Tell(ctx, a.p, a.f, in, world, "arrived")
	}
	if err == nil {
		var res runtime.EvaluateResult
		err = a.fx.Await(ctx, request, 0, &res)
		err = a.p.Answered(ctx, a.f, in, world, "settle", res, err, &out)
	}
	if errors.Is(err, page.ErrStale) {
		err = page.ErrReplaced // the document was replaced before the request
	}
	a.dispatched, a.settled, err = true, out, a.fx.Learn(a.f, out, err)
	return err
}
