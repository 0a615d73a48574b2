package browser

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

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
		err = protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("there is nothing to watch of the kind %q", q.Kind), "use text, element, url, console, request or download")
	}
	reply.AfterMS = float64(time.Since(began).Microseconds()) / 1000
	if err != nil && ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded) {
		what := "come"
		if q.Gone {
			what = "go"
		}
		return reply, protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("%s %.100q did not %s in time", q.Kind, q.Value, what), "a longer --timeout may help")
	}
	return reply, b.explain(ctx, id, nil, err)
}

func (b *Browser) watchURL(ctx context.Context, id protocol.TabID, pattern string) (string, error) {
	url := ""
	err := b.waitTabs(ctx, func() bool {
		t, ok := b.tabs.lookup(id)
		url = t.URL
		return !ok || glob(pattern, t.URL)
	})
	if _, ok := b.tabs.lookup(id); !ok && err == nil {
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
		changed := b.tabs.changes()
		if _, ok := b.tabs.lookup(k.tab); !ok {
			return unknownTab(k.tab)
		}
		select {
		case <-more:
			return nil
		case <-changed:
		case <-k.r.conn.done:
			return errPipeEnded
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
		case <-r.conn.done:
			return "", errPipeEnded
		case <-ctx.Done():
			return "", ctx.Err()
		}
	}
}

// watchScript answers once what is wanted is there (or gone): a look at every
// change of the document.
const watchScript = `new Promise((done) => {
	const q = %s;
	const visible = (e) => { const r = e.getClientRects(); return r.length > 0 && getComputedStyle(e).visibility !== 'hidden'; };
	const look = () => {
		if (q.kind === 'text') {
			const text = document.body?.innerText ?? '';
			const at = text.indexOf(q.value);
			if (at >= 0) return text.slice(Math.max(0, text.lastIndexOf('\n', at) + 1), Math.max(at + q.value.length, Math.min(text.length, (text.indexOf('\n', at) + 1 || text.length + 1) - 1))).slice(0, 500);
			return undefined;
		}
		for (const e of document.querySelectorAll(q.value)) if (visible(e)) return (e.tagName.toLowerCase() + ' ' + (e.innerText ?? '')).trim().slice(0, 500);
		return undefined;
	};
	const check = () => {
		const found = look();
		if (q.gone ? found === undefined : found !== undefined) { stop(); done({ what: found ?? q.value, origin: location.origin }); }
	};
	let asked = false;
	const soon = () => { if (!asked) { asked = true; queueMicrotask(() => { asked = false; check(); }); } };
	const observer = new MutationObserver(soon);
	const events = ['load', 'transitionend', 'animationend', 'toggle', 'resize'];
	const stop = () => { observer.disconnect(); for (const e of events) removeEventListener(e, soon, true); };
	observer.observe(document, { subtree: true, childList: true, characterData: true, attributes: true });
	for (const e of events) addEventListener(e, soon, true);
	check();
})`

// watchPage looks in the page, and again in the next one when it navigates.
func (b *Browser) watchPage(ctx context.Context, id protocol.TabID, q protocol.WatchRequest) (what, origin string, err error) {
	question, err := json.Marshal(map[string]any{"kind": q.Kind, "value": q.Value, "gone": q.Gone})
	if err != nil {
		return "", "", err
	}
	k, err := b.keeper(ctx, id)
	if err != nil {
		return "", "", err
	}
	for {
		s := k.session()
		events := s.events(cdppage.FrameNavigated.Method, cdppage.DomContentEventFired.Method, cdppage.LifecycleEvent.Method)
		if err := postCommand(ctx, s, cdppage.Enable, cdppage.EnableParams{}); err != nil {
			events.cancel()
			return "", "", err
		}
		found, err := b.watchOnce(ctx, s, events, string(question))
		events.cancel()
		switch {
		case err == nil && found != nil:
			return found.What, found.Origin, nil
		case ctx.Err() != nil:
			return "", "", ctx.Err()
		case err != nil:
			if e, ok := asMethodError(err); ok && strings.Contains(e.message, "not a valid selector") {
				return "", "", err
			}
			if strings.Contains(err.Error(), "not a valid selector") {
				return "", "", protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.100q is not a selector", q.Value), "use one of CSS, such as #done or .card")
			}
			if errors.Is(err, errSessionEnded) {
				if err := b.untilMore(ctx, k, b.tabs.changes()); err != nil {
					return "", "", err
				}
			}
		}
	}
}

type foundOnPage struct {
	What   string `json:"what"`
	Origin string `json:"origin"`
}

// watchOnce looks in one document. It returns nothing when that document went.
func (b *Browser) watchOnce(ctx context.Context, s *session, events *subscription, question string) (*foundOnPage, error) {
	inner, cancel := context.WithCancel(ctx)
	type answer struct {
		found foundOnPage
		err   error
	}
	answers := make(chan answer, 1)
	go func() {
		world, err := cdp.Call(inner, s, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{FrameID: cdp.FrameID(s.target), WorldName: "pilotfish"})
		if err != nil {
			answers <- answer{err: err}
			return
		}
		found, err := evaluate[foundOnPage](inner, s, fmt.Sprintf(watchScript, question), world.ExecutionContextID)
		answers <- answer{found, err}
	}()
	defer func() { cancel(); <-answers }()
	for {
		select {
		case a := <-answers:
			answers <- a // for the deferred wait
			if a.err == nil {
				return &a.found, nil
			}
			if _, gone := asMethodError(a.err); !gone {
				return nil, a.err
			}
			// The document went under it; the next one is looked at when it is there.
			select {
			case _, ok := <-events.c:
				if !ok {
					return nil, errSessionEnded
				}
				return nil, nil
			case <-ctx.Done():
				return nil, ctx.Err()
			}
		case e, ok := <-events.c:
			if !ok {
				return nil, errSessionEnded
			}
			if e.method == cdppage.FrameNavigated.Method {
				if v, good := decode(e, cdppage.FrameNavigated); good && v.Frame != nil && v.Frame.ParentID == "" {
					return nil, nil
				}
			}
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
