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

// Wait returns how long to wait for the tab to close.
func (l Leaving) Wait() time.Duration {
	switch {
	case l.Closing:
		return closeWait
	case l.Opener:
		return openerWait
	}
	return 0
}

// AskLeaving asks the page whether it is about to close, and returns a function that waits
// for the answer. A page that shows a dialog, or ends, does not answer, and is not waited
// for.
func AskLeaving(ctx context.Context, p *Page) (answer func(ctx context.Context) Leaving) {
	q := NewCalls(p.Session)
	err := q.Send(ctx, runtime.Evaluate.Method, EvaluateParams("JSON.stringify({ closing: closed, opener: opener !== null })", ""))
	return func(ctx context.Context) (l Leaving) {
		dialogs := p.Events(cdppage.JavascriptDialogOpening.Method)
		defer dialogs.Release()
		if err != nil || p.OpenDialog() != nil {
			return Leaving{}
		}
		ctx, cancel := context.WithTimeout(ctx, closeWait)
		defer cancel()
		select {
		case r := <-q.Reply(0):
			var res runtime.EvaluateResult
			var text string
			if q.Read(0, r, &res) == nil && res.Result != nil && jsonv2.Unmarshal(res.Result.Value, &text) == nil {
				_ = jsonv2.Unmarshal([]byte(text), &l) // or the page has changed what it is asked about
			}
		case <-dialogs.C:
		case <-p.Done:
		case <-ctx.Done():
		}
		return l
	}
}
