package wait

import (
	"context"
	"errors"
	"fmt"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// WatchFor waits until something happens in a tab, and returns what it was. It is
// driven by events, without polling, and does not occupy the tab's queue: other
// callers can act on the tab meanwhile.
func (ws *Waiter) WatchFor(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.WatchRequest) (protocol.WatchReply, error) {
	began := time.Now()
	reply := protocol.WatchReply{Kind: q.Kind}
	var err error
	switch q.Kind {
	case "text", "element":
		reply.What, reply.Origin, err = ws.watchPage(ctx, by, id, q)
	case "url":
		reply.What, err = ws.watchURL(ctx, id, q.Value)
		reply.Origin = reply.What
	case "console":
		reply.What, reply.Origin, err = ws.config.Observer.AwaitConsole(ctx, id, func(text string) bool { return page.Glob(q.Value, text) })
	case "request":
		reply.What, err = ws.config.Observer.AwaitRequest(ctx, id, func(url string) bool { return page.Glob(q.Value, url) })
		reply.Origin = reply.What
	case "download":
		reply.What, err = ws.config.Downloads.AwaitDownload(ctx, id, q.Value)
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("cannot watch for %q", q.Kind), "use text, element, url, console, request or download")
	}
	reply.AfterMS = float64(time.Since(began).Microseconds()) / 1000
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return reply, inVain(q)
	}
	return reply, ws.tabs.Explain(ctx, id, err)
}

// inVain returns the error of a watch that ended without a result.
func inVain(q protocol.WatchRequest) error {
	what := "come"
	if q.Gone {
		what = "go"
	}
	return protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("%s %.100q did not %s in time", q.Kind, q.Value, what), "", protocol.MoreTime())
}

func (ws *Waiter) watchURL(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	url := ""
	err := ws.config.Open.Await(ctx, func() bool {
		t, ok := ws.config.Open.Lookup(id)
		url = t.URL
		return !ok || page.Glob(pattern, t.URL)
	})
	if _, ok := ws.config.Open.Lookup(id); !ok && err == nil {
		return "", page.UnknownTab(id)
	}
	return url, err
}

// watchPage watches all frames of the page, as a wait does, and continues on the next
// page after a navigation.
func (ws *Waiter) watchPage(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.WatchRequest) (what, origin string, err error) {
	key := q.Kind
	if q.Gone {
		key = map[string]string{"text": "goneText", "element": "gone"}[q.Kind]
	}
	found := waitFound{What: q.Value}
	err = ws.tabs.Beside(ctx, by, id, true, func(ctx context.Context, p *page.Page) error {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		w := &waiting{p: p, q: protocol.WaitRequest{Value: q.Value}, found: &found, events: p.Events(
			cdppage.FrameNavigated.Method, cdppage.FrameDetached.Method, cdppage.LifecycleEvent.Method, cdppage.JavascriptDialogClosed.Method,
		)}
		defer w.events.Cancel()
		err := w.inFrames(ctx, key)
		if errors.Is(err, context.DeadlineExceeded) { // the page may report the deadline first
			return inVain(q)
		}
		return err
	})
	return found.What, found.Origin, err
}
