package observe

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
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
		d.last++
		answered := d.policy != "leave"
		d.ring.Add(protocol.DialogEntry{
			N: d.last, At: time.Now().UTC(), Type: string(v.Type), Message: v.Message, URL: v.URL, Open: true, ByPolicy: answered,
		})
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
	if policy != "" {
		d.mu.Lock()
		d.policy, d.text = policy, text
		d.mu.Unlock()
		if s := k.Session(); policy != "leave" {
			// Without an open dialog the browser returns an error, which is
			// expected.
			_, _ = cdp.Call(ctx, s, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: policy == "accept", PromptText: text})
		}
	}
	if err := k.CatchUp(ctx); err != nil {
		return protocol.DialogLog{}, o.tabs.Explain(ctx, id, err)
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
