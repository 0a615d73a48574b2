package input

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/effects"
	"pilotfish/backend/browser/page"
)

// arrival is the last event of an input as the page sees it. With its count the
// page knows that all of the input has come. It is told before the input.
type arrival struct {
	Type  string `json:"type"`
	Count int    `json:"count"`
}

// strike sends input and asks in the same breath what came of it: the page begins
// to settle when it has seen the last event, and not a round trip after the
// browser has acknowledged it. Both are waited for. Where the page does not see
// the event, because it went elsewhere or was taken back, the acknowledgement is
// its sign. Under a cover the page is asked afterwards, when the cover is down.
func (a *action) strike(ctx context.Context, s *devtools.Session, messages ...effects.Message) error {
	in, world := a.p.Frames.State(a.f)
	if world == "" || a.last == nil || a.in.config.Masks.Covers(a.p.Target) {
		return a.send(ctx, s, messages...)
	}
	a.fx.Listen(in)
	if err := a.fx.Prepare(ctx); err != nil {
		return err
	}
	args := map[string]any{"coming": true}
	for name, value := range a.after {
		if value != "" || name != "ref" {
			args[name] = value
		}
	}
	expression, err := a.p.Expression(ctx, a.f, "settle", args)
	if err != nil {
		return err
	}
	// The question is first on its way: it is there when the input comes.
	told := page.NewCalls(in)
	if err := told.Send(ctx, runtime.Evaluate.Method, page.EvaluateParams(expression, world)); err != nil {
		return err
	}
	q := page.NewCalls(s)
	for _, m := range messages {
		if err := q.Send(ctx, m.Method, m.Params); err != nil {
			return err
		}
	}
	var out effects.Settled
	err = a.fx.Acknowledged(ctx, q)
	if err == nil && !told.Answered(0) {
		err = page.Tell(ctx, a.p, a.f, in, world, "arrived")
	}
	if err == nil {
		var res runtime.EvaluateResult
		err = a.fx.Await(ctx, told, 0, &res)
		err = a.p.Answered(ctx, a.f, in, world, "settle", res, err, &out)
	}
	if errors.Is(err, page.ErrStale) {
		err = page.ErrReplaced // it went away before it was asked
	}
	a.struck, a.told, err = true, out, a.fx.Learn(a.f, out, err)
	return err
}
