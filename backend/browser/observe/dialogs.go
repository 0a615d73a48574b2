package observe

import (
	"cmp"
	"context"
	"sync"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

const featureDialogs = "dialogs"

// dialogWatch records the dialogs that a tab showed, and answers them if its
// policy says so.
type dialogWatch struct {
	since time.Time

	mu     sync.Mutex
	ring   watch.Ring[protocol.DialogEntry]
	last   int
	policy string // "leave", "accept" or "dismiss"
	text   string // the answer to a prompt
}

func newDialogWatch() *dialogWatch {
	return &dialogWatch{since: time.Now(), policy: "leave", ring: watch.Ring[protocol.DialogEntry]{Limit: dialogRing}}
}

func (d *dialogWatch) Begin(ctx context.Context, s *devtools.Session, child bool) error {
	if child {
		return nil // the tab's own session receives the dialog events of its frames
	}
	return devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
}

// End leaves the Page domain enabled, because other features of the tab use its
// events.
func (d *dialogWatch) End(context.Context, *devtools.Session) {}

func (d *dialogWatch) Event(ctx context.Context, s *devtools.Session, e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening)
		if !ok {
			return
		}
		d.mu.Lock()
		answered := d.policy != "leave"
		d.add(protocol.DialogEntry{At: time.Now().UTC(), Type: string(v.Type), Message: v.Message, URL: v.URL, ByPolicy: answered})
		params := cdppage.HandleJavaScriptDialogParams{Accept: d.policy == "accept", PromptText: d.text}
		if params.Accept && d.text == "" {
			params.PromptText = v.DefaultPrompt
		}
		d.mu.Unlock()
		if answered {
			_ = devtools.Post(ctx, s, cdppage.HandleJavaScriptDialog, params)
		}
	case cdppage.JavascriptDialogClosed.Method:
		v, ok := devtools.Decode(e, cdppage.JavascriptDialogClosed)
		if !ok {
			return
		}
		d.mu.Lock()
		defer d.mu.Unlock()
		for i := len(d.ring.Items) - 1; i >= 0; i-- {
			if o := &d.ring.Items[i]; o.Open {
				o.Open, o.Accepted, o.Answer = false, v.Result, v.UserInput
				break
			}
		}
	}
}

// add records a dialog that is open, unless it is recorded: a page has one at a time.
// d.mu is held.
func (d *dialogWatch) add(one protocol.DialogEntry) {
	if n := len(d.ring.Items); n > 0 && d.ring.Items[n-1].Open {
		if last := &d.ring.Items[n-1]; last.Type == one.Type && last.Message == one.Message {
			return
		}
		d.ring.Items[n-1].Open = false // its page has ended
	}
	d.last++
	one.N, one.Open = d.last, true
	d.ring.Add(one)
}

// Dialogs returns the dialogs that a tab showed, and begins to watch the tab if
// it is not watched yet. A policy, if given, applies to the open dialog and to
// later ones.
func (o *Observer) Dialogs(ctx context.Context, id protocol.TabID, policy, text string) (protocol.DialogLog, error) {
	k, err := o.tabs.Of(ctx, id)
	if err != nil {
		return protocol.DialogLog{}, err
	}
	d, err := watch.Use(ctx, k, featureDialogs, newDialogWatch)
	if err != nil {
		return protocol.DialogLog{}, err
	}
	// A dialog that opened before the watch began is known to the page, and only the
	// page's session can answer it.
	err = o.config.Pages.Beside(ctx, protocol.Caller{}, id, false, func(ctx context.Context, p *page.Page) error {
		open := p.OpenDialog()
		d.mu.Lock()
		if open != nil {
			d.add(protocol.DialogEntry{At: open.At, Type: open.Type, Message: open.Message, URL: open.URL})
		}
		if policy != "" {
			d.policy, d.text = policy, text
		}
		d.mu.Unlock()
		if open != nil && policy != "" && policy != "leave" {
			_ = page.AnswerDialog(ctx, p, policy == "accept", cmp.Or(text, open.Default)) // it may be answered meanwhile
		}
		return nil
	})
	if err == nil {
		err = o.tabs.Explain(ctx, id, k.CatchUp(ctx))
	}
	if err != nil {
		return protocol.DialogLog{}, err
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return protocol.DialogLog{Policy: d.policy, Since: d.since, Dropped: d.ring.Dropped, Entries: append([]protocol.DialogEntry{}, d.ring.Items...)}, nil
}

// DialogPolicy returns "accept" or "dismiss" when a tab's dialogs are answered
// automatically; empty when they wait for an answer.
func (o *Observer) DialogPolicy(id protocol.TabID) string {
	d, ok := watch.Get[*dialogWatch](o.tabs.Kept(id), featureDialogs)
	if !ok {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.policy == "leave" {
		return ""
	}
	return d.policy
}
