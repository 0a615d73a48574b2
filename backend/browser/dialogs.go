package browser

import (
	"context"
	"sync"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

const featureDialogs = "dialogs"

// dialogWatch keeps the dialogs that a tab showed, and answers them if its
// policy says so.
type dialogWatch struct {
	since time.Time

	mu     sync.Mutex
	ring   ring[protocol.DialogEntry]
	last   int
	policy string // "leave", "accept" or "dismiss"
	text   string // for a prompt
}

func newDialogWatch() *dialogWatch {
	return &dialogWatch{since: time.Now(), policy: "leave", ring: ring[protocol.DialogEntry]{limit: dialogRing}}
}

func (d *dialogWatch) begin(ctx context.Context, s *devtools.Session, child bool) error {
	if child {
		return nil // the tab's own session hears of those of its frames
	}
	return devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{})
}

// The page's domain stays: other features of the tab listen to it.
func (d *dialogWatch) end(context.Context, *devtools.Session) {}

func (d *dialogWatch) event(ctx context.Context, s *devtools.Session, e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening)
		if !ok {
			return
		}
		d.mu.Lock()
		d.last++
		answered := d.policy != "leave"
		d.ring.add(protocol.DialogEntry{
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
		for i := len(d.ring.items) - 1; i >= 0; i-- {
			if o := &d.ring.items[i]; o.Open {
				o.Open, o.Accepted, o.Answer = false, v.Result, v.UserInput
				break
			}
		}
	}
}

// Dialogs returns the dialogs that a tab showed, and begins to watch it if
// nobody did. A policy, if one is given, answers the next ones, and the one
// that is open.
func (b *Browser) Dialogs(ctx context.Context, id protocol.TabID, policy, text string) (protocol.DialogLog, error) {
	k, err := b.keeper(ctx, id)
	if err != nil {
		return protocol.DialogLog{}, err
	}
	d, err := use(ctx, k, featureDialogs, newDialogWatch)
	if err != nil {
		return protocol.DialogLog{}, err
	}
	if policy != "" {
		d.mu.Lock()
		d.policy, d.text = policy, text
		d.mu.Unlock()
		if s := k.session(); policy != "leave" {
			// Without an open dialog it answers an error, which is no news.
			_, _ = cdp.Call(ctx, s, cdppage.HandleJavaScriptDialog, cdppage.HandleJavaScriptDialogParams{Accept: policy == "accept", PromptText: text})
		}
	}
	if err := k.catchUp(ctx); err != nil {
		return protocol.DialogLog{}, b.explain(ctx, id, nil, err)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return protocol.DialogLog{Policy: d.policy, Since: d.since, Dropped: d.ring.dropped, Entries: append([]protocol.DialogEntry{}, d.ring.items...)}, nil
}

// dialogPolicy is accept or dismiss where a tab's dialogs are answered so; empty
// where they wait.
func (b *Browser) dialogPolicy(id protocol.TabID) string {
	d, ok := get[*dialogWatch](b.kept(id), featureDialogs)
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
