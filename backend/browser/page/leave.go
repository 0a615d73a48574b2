package page

import (
	"context"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

const (
	// hungAfter is how long the script of a page may be busy before a page that is
	// being left counts as one that hangs. With 3 s, an empty page on a machine with
	// a load of 30 counted as one.
	hungAfter = 8 * time.Second
	// endWait is how long a renderer may take to end.
	endWait = 2 * time.Second
	// dismissed is how many dialogs in a row are dismissed, and quietAfter how long a page
	// whose dialog was dismissed opens no other one, so that it counts as quiet.
	dismissed  = 10
	quietAfter = 100 * time.Millisecond
)

// reaction is how a page reacts to a question of ours.
type reaction int

const (
	answers reaction = iota // its script has ended
	opens                   // it opened a dialog
	silent                  // neither, in time
)

// MakeWay prepares the page for a navigation of its tab, which would wait for a page
// that shows a dialog or hangs: the new document of a site begins in the process of the
// old one. Dialogs are dismissed. A renderer that does not answer, or opens one dialog
// after the other, is ended; ended reports that.
//
// It must come before the navigation. Once the browser has chosen the process of the
// new document, it sends nothing to a process that hangs, not even the order to end.
func (p *Page) MakeWay(ctx context.Context, id protocol.TabID) (ended bool, err error) {
	for range dismissed {
		showed := p.OpenDialog() != nil
		p.DismissDialog(ctx)
		if p.Crashed() {
			return false, nil
		}
		state, err := p.ask(ctx, hungAfter)
		switch {
		case err != nil:
			return false, err
		case state == answers:
			// A dialog that opens while the browser changes the process can neither be
			// answered nor waited for.
			if !showed || p.quiet(ctx) {
				return false, ctx.Err()
			}
		case state == silent:
			if d, _ := p.host.Dialogs.beside(p.Target); d != nil {
				return false, DialogOpen(id, d)
			}
			return p.endRenderer(ctx)
		}
	}
	return p.endRenderer(ctx)
}

// quiet reports whether the page opens no dialog for a moment.
func (p *Page) quiet(ctx context.Context) bool {
	_, asks := p.asked()
	select {
	case <-asks:
		return false
	case <-time.After(quietAfter):
	case <-ctx.Done():
	}
	return true
}

// endRenderer ends the renderer of the page, and reports whether that worked.
func (p *Page) endRenderer(ctx context.Context) (ended bool, err error) {
	// The browser does not end the renderer of a page that is going elsewhere.
	if err := devtools.Post(ctx, p.Session, cdppage.StopLoading, cdp.Empty{}); err != nil {
		return false, err
	}
	// The renderer carries this out in the middle of a script, and does not answer.
	if err := devtools.Post(ctx, p.Session, cdppage.Crash, cdp.Empty{}); err != nil {
		return false, err
	}
	select {
	case <-p.Crashes():
		return true, nil
	case <-time.After(endWait): // a tab without a renderer, or one that cannot be ended
		return false, nil
	case <-ctx.Done():
		return false, ctx.Err()
	}
}

// DismissDialog answers the dialog that the page shows with Cancel: a question whether
// to leave is answered with no, so that the page goes nowhere by itself. It does
// nothing without a dialog.
func (p *Page) DismissDialog(ctx context.Context) {
	if p.OpenDialog() == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endWait)
	defer cancel()
	_ = AnswerDialog(ctx, p, false, "") // somebody else may have answered it
}

// hangs sends a value when the page has stopped answering, until ctx ends. It asks the
// page first after hungAfter.
func (p *Page) hangs(ctx context.Context) <-chan struct{} {
	out := make(chan struct{}, 1)
	go func() {
		for {
			select {
			case <-time.After(hungAfter):
			case <-ctx.Done():
				return
			}
			state, err := p.ask(ctx, hungAfter)
			if err != nil {
				return
			}
			if d, _ := p.host.Dialogs.beside(p.Target); d == nil && state == silent {
				out <- struct{}{}
				return
			}
		}
	}()
	return out
}

// ask asks the page something, and returns how it reacts in time.
func (p *Page) ask(ctx context.Context, patience time.Duration) (reaction, error) {
	if until, ok := ctx.Deadline(); ok {
		patience = min(patience, time.Until(until)/2)
	}
	_, asks := p.asked()
	q := NewCalls(p.Session)
	if err := q.Send(ctx, runtime.Evaluate.Method, runtime.EvaluateParams{Expression: "0"}); err != nil {
		return silent, err
	}
	select {
	case <-q.Reply(0):
		return answers, nil // also when the document is gone
	case <-p.Crashes():
		q.Forget(0)
		return answers, nil
	case <-asks:
		q.Forget(0)
		return opens, nil
	case <-time.After(patience):
		q.Forget(0)
		return silent, nil
	case <-ctx.Done():
		q.Forget(0)
		return silent, ctx.Err()
	}
}
