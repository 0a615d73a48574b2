package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// WatchFor waits until something happens in a tab, and says what it was. It
// looks at every change and never on a clock, and it does not stand in the
// tab's queue: others go on acting on it.
func (b *Browser) WatchFor(ctx context.Context, id protocol.TabID, q protocol.WatchRequest) (protocol.WatchReply, error) {
	began := time.Now()
	reply := protocol.WatchReply{Kind: q.Kind}
	var err error
	switch q.Kind {
	case "text", "element":
		reply.What, reply.Origin, err = b.watchPage(ctx, id, q)
	case "url":
		reply.What, err = b.watchURL(ctx, id, q.Value)
		reply.Origin = reply.What
	case "console":
		reply.What, reply.Origin, err = b.watchConsole(ctx, id, q.Value)
	case "request":
		reply.What, err = b.watchRequest(ctx, id, q.Value)
		reply.Origin = reply.What
	case "download":
		reply.What, err = b.watchDownload(ctx, id, q.Value)
	default:
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("cannot watch for %q", q.Kind), "use text, element, url, console, request or download")
	}
	reply.AfterMS = float64(time.Since(began).Microseconds()) / 1000
	if err != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return reply, inVain(q)
	}
	return reply, b.explain(ctx, id, nil, err)
}

// inVain is the end of a watch that saw nothing.
func inVain(q protocol.WatchRequest) error {
	what := "come"
	if q.Gone {
		what = "go"
	}
	return protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("%s %.100q did not %s in time", q.Kind, q.Value, what), "", protocol.MoreTime())
}

func (b *Browser) watchURL(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	url := ""
	err := b.waitTabs(ctx, func() bool {
		t, ok := b.tabs.Lookup(id)
		url = t.URL
		return !ok || glob(pattern, t.URL)
	})
	if _, ok := b.tabs.Lookup(id); !ok && err == nil {
		return "", unknownTab(id)
	}
	return url, err
}

func (b *Browser) watchConsole(ctx context.Context, id protocol.TabID, pattern string) (what, origin string, err error) {
	k, err := b.keeper(ctx, id)
	if err != nil {
		return "", "", err
	}
	c, err := use(ctx, k, featureConsole, newConsoleWatch)
	if err != nil {
		return "", "", err
	}
	if err := k.catchUp(ctx); err != nil {
		return "", "", err
	}
	_, after := c.next() // only what comes from now on
	for {
		more, _ := c.next()
		for _, e := range c.log(after).Entries {
			after = e.N
			if glob(pattern, e.Text) {
				return e.Level + ": " + e.Text, e.URL, nil
			}
		}
		if err := b.untilMore(ctx, k, more); err != nil {
			return "", "", err
		}
	}
}

// untilMore waits for more of what a tab's feature tells, or for the tab's end.
func (b *Browser) untilMore(ctx context.Context, k *keeper, more <-chan struct{}) error {
	for {
		changed := b.tabs.Changes()
		if _, ok := b.tabs.Lookup(k.tab); !ok {
			return unknownTab(k.tab)
		}
		select {
		case <-more:
			return nil
		case <-changed:
		case <-k.r.conn.Done:
			return devtools.ErrPipeEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

func (b *Browser) watchRequest(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	n, err := b.networkOf(ctx, id)
	if err != nil {
		return "", err
	}
	k := b.kept(id)
	if k == nil {
		return "", unknownTab(id)
	}
	seen := map[string]bool{}
	for _, e := range n.entries().Entries {
		seen[e.ID] = e.Done
	}
	for {
		n.mu.Lock()
		more := n.more
		n.mu.Unlock()
		for _, e := range n.entries().Entries {
			if !seen[e.ID] && e.Done && glob(pattern, e.URL) {
				how := itoa(int64(e.Status))
				if e.Failed != "" {
					how = e.Failed
				}
				return strings.Join([]string{e.ID, e.Method, e.URL, how}, " "), nil
			}
		}
		if err := b.untilMore(ctx, k, more); err != nil {
			return "", err
		}
	}
}

func (b *Browser) watchDownload(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	r, err := b.running()
	if err != nil {
		return "", err
	}
	for {
		list, more := r.downloads.snapshot()
		for _, d := range list {
			if d.State == "done" && (d.Tab == id || d.Tab == "") && (glob(pattern, d.Name) || glob(pattern, d.URL)) {
				return d.ID + " " + d.Path, nil
			}
		}
		select {
		case <-more:
		case <-r.conn.Done:
			return "", devtools.ErrPipeEnded
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// watchPage looks in all frames of the page, as a wait does, and again in the
// next one when it navigates.
func (b *Browser) watchPage(ctx context.Context, id protocol.TabID, q protocol.WatchRequest) (what, origin string, err error) {
	key := q.Kind
	if q.Gone {
		key = map[string]string{"text": "goneText", "element": "gone"}[q.Kind]
	}
	found := waitFound{What: q.Value}
	err = b.besideTab(ctx, id, true, func(ctx context.Context, _ *run, p *tabPage) error {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		w := &waiting{p: p, q: protocol.WaitRequest{Value: q.Value}, found: &found, events: p.Events(
			cdppage.FrameNavigated.Method, cdppage.FrameDetached.Method, cdppage.LifecycleEvent.Method, cdppage.JavascriptDialogClosed.Method,
		)}
		defer w.events.Cancel()
		err := w.inFrames(ctx, key)
		if errors.Is(err, context.DeadlineExceeded) { // the page may be the first to know
			return inVain(q)
		}
		return err
	})
	return found.What, found.Origin, err
}
