package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp/jsonv2"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
)

// Leaving says how a page may be about to close its own tab.
type Leaving struct {
	// Closing: a script has called window.close.
	Closing bool `json:"closing"`
	// Opener: another page opened it by a script, so that both may close it.
	Opener bool `json:"opener"`
}

// How long an action waits for a tab that closes itself: one that has begun to close,
// and a window that was opened by a page, which often closes itself a moment after it was
// used, and says nothing before.
const (
	closeWait  = 3 * time.Second
	openerWait = 300 * time.Millisecond
)

// Wait returns how much longer to wait for the tab to close. A window that a page opened it
// lets pass a moment first, and asks again: on a busy machine its script comes later.
func (l Leaving) Wait(ctx context.Context, p *Page) time.Duration {
	if l.Opener && !l.Closing {
		moment := time.NewTimer(openerWait)
		defer moment.Stop()
		select {
		case <-moment.C:
			l = AskLeaving(ctx, p)(ctx)
		case <-p.Done:
		case <-ctx.Done():
		}
	}
	if l.Closing {
		return closeWait
	}
	return 0
}

// AskLeaving asks the page whether it is about to close, and returns a function that waits
// for the answer. A page that shows a dialog, or ends, does not answer, and is not waited
// for.
func AskLeaving(ctx context.Context, p *Page) (answer func(ctx context.Context) Leaving) {
	q, err := sendLeaving(ctx, p)
	return func(ctx context.Context) (l Leaving) {
		dialogs := p.Events(cdppage.JavascriptDialogOpening.Method)
		defer dialogs.Release()
		ctx, cancel := context.WithTimeout(ctx, closeWait)
		defer cancel()
		// A page that ends, or goes elsewhere, before it has read the question answers with an
		// error. One that has gone elsewhere answers the second.
		for try := 1; ; try++ {
			if err != nil || p.OpenDialog() != nil {
				return Leaving{}
			}
			select {
			case r := <-q.Reply(0):
				var res runtime.EvaluateResult
				var text string
				if err = q.Read(0, r, &res); err == nil {
					if res.Result != nil && jsonv2.Unmarshal(res.Result.Value, &text) == nil {
						_ = jsonv2.Unmarshal([]byte(text), &l) // or the page has changed what it is asked about
					}
					return l
				}
				if try == 2 {
					return Leaving{Closing: isLeaving(err)}
				}
				q, err = sendLeaving(ctx, p)
			case <-dialogs.C:
				return Leaving{}
			case <-p.Done:
				return Leaving{}
			case <-ctx.Done():
				return Leaving{}
			}
		}
	}
}

func sendLeaving(ctx context.Context, p *Page) (*Calls, error) {
	q := NewCalls(p.Session)
	err := q.Send(ctx, runtime.Evaluate.Method, EvaluateParams("JSON.stringify({ closing: closed, opener: opener !== null })", ""))
	return q, err
}
