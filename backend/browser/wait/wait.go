// Package wait waits until a condition holds on a page, or until something happens in
// a tab.
package wait

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/observe"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

const (
	// NetworkQuiet is how long no request may be open for the network to count as
	// quiet.
	NetworkQuiet = 500 * time.Millisecond
	// rootsAgain is how often a wait looks for new closed shadow roots, for which
	// there is no event.
	rootsAgain = 250 * time.Millisecond
)

// Config holds the dependencies of a Waiter.
type Config struct {
	// Open is the registry of tabs.
	Open *tabs.Registry
	// Observer waits for messages of the console and for requests.
	Observer *observe.Observer
	// Downloads are those of the browser.
	Downloads *downloads.Waits
}

// Waiter waits for conditions in a browser's tabs.
type Waiter struct {
	tabs   page.Tabs
	config Config
}

// New returns the Waiter of a browser's tabs.
func New(all page.Tabs, c Config) *Waiter { return &Waiter{tabs: all, config: c} }

// Wait waits until a condition holds on a tab's page, across navigations, and returns
// where the tab is then. When ctx's deadline passes, it returns CodeTimeout. Other
// callers can act on the tab meanwhile.
func (ws *Waiter) Wait(ctx context.Context, by protocol.Caller, id protocol.TabID, q protocol.WaitRequest) (protocol.PageInfo, error) {
	info := protocol.PageInfo{Tab: id}
	err := ws.tabs.WaitOnPage(ctx, by, id, func(ctx context.Context, p *page.Page, letPass func()) error {
		w := &waiting{p: p, q: q, events: p.Events(
			cdppage.FrameNavigated.Method, cdppage.FrameDetached.Method, cdppage.NavigatedWithinDocument.Method, cdppage.LifecycleEvent.Method,
		)}
		defer w.events.Cancel()
		letPass() // other callers may act now; the events report it
		if err := w.run(ctx); err != nil {
			if errors.Is(err, context.DeadlineExceeded) {
				return protocol.NewError(protocol.CodeTimeout, fmt.Sprintf("gave up waiting for %s %s", q.Kind, page.Plain(q.Value)), "", protocol.Try("shows what is there", "snapshot"), protocol.MoreTime())
			}
			return err
		}
		return p.Where(ctx, &info)
	})
	return info, err
}

type waiting struct {
	p      *page.Page
	q      protocol.WaitRequest
	events *devtools.Subscription
	// found, if set, receives the result, for a watch.
	found *waitFound
}

func (w *waiting) run(ctx context.Context) error {
	switch w.q.Kind {
	case protocol.WaitForTime:
		ms, err := strconv.Atoi(w.q.Value)
		if err != nil || ms < 0 {
			return protocol.NewError(protocol.CodeBadArgument, "the time must be a number of milliseconds", "for example wait 500")
		}
		timer := time.NewTimer(time.Duration(ms) * time.Millisecond)
		defer timer.Stop()
		select {
		case <-timer.C:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	case protocol.WaitForURL:
		return w.address(ctx)
	case protocol.WaitForLoad:
		return w.state(ctx, func(s string) bool { return s == "complete" })
	case protocol.WaitForQuiet:
		return w.quiet(ctx)
	case protocol.WaitForFunction:
		return w.function(ctx)
	default:
		return w.onPage(ctx)
	}
}

// next returns the next event.
func (w *waiting) next(ctx context.Context) (devtools.Event, error) {
	select {
	case e, ok := <-w.events.C:
		if !ok {
			return e, devtools.ErrSessionEnded
		}
		return e, nil
	case <-ctx.Done():
		return devtools.Event{}, context.Cause(ctx)
	}
}

// follow waits for an answer and processes events meanwhile.
func (w *waiting) follow(ctx context.Context, answer <-chan error) error {
	for {
		select {
		case err := <-answer:
			return err
		default:
		}
		select {
		case err := <-answer:
			return err
		case _, ok := <-w.events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// committed waits until the main frame can be asked again.
func (w *waiting) committed(ctx context.Context) error {
	for {
		_, _, err := w.p.Ready(ctx, w.p.Frames.Main())
		if !errors.Is(err, page.ErrReplaced) {
			return err
		}
		if _, err := w.next(ctx); err != nil {
			return err
		}
	}
}

// address waits for an address that contains a text or matches a pattern with * or a
// /regular expression/.
func (w *waiting) address(ctx context.Context) error {
	match, err := addressMatcher(w.q.Value)
	if err != nil {
		return err
	}
	for {
		var info protocol.PageInfo
		if err := w.p.Where(ctx, &info); err != nil {
			return err
		}
		if match(info.URL) {
			return nil
		}
		e, err := w.next(ctx)
		if err != nil {
			return err
		}
		// The browser process may learn of it later than we do.
		if v, ok := devtools.Decode(e, cdppage.NavigatedWithinDocument); ok && e.Method == cdppage.NavigatedWithinDocument.Method && match(v.URL) {
			return nil
		}
	}
}

func addressMatcher(text string) (func(string) bool, error) {
	if len(text) > 2 && text[0] == '/' && text[len(text)-1] == '/' {
		re, err := regexp.Compile(text[1 : len(text)-1])
		if err != nil {
			return nil, protocol.NewError(protocol.CodeBadArgument, "the expression is not valid: "+err.Error(), "", protocol.Example("wait", "url", "/order-\\d+$/"))
		}
		return re.MatchString, nil
	}
	if strings.Contains(text, "*") {
		parts := strings.Split(text, "*")
		for i := range parts {
			parts[i] = regexp.QuoteMeta(parts[i])
		}
		return regexp.MustCompile("^" + strings.Join(parts, ".*") + "$").MatchString, nil
	}
	return func(url string) bool { return strings.Contains(url, text) }, nil
}

// state waits until the document's state is enough.
func (w *waiting) state(ctx context.Context, enough func(string) bool) error {
	for {
		s, world, err := w.p.Ready(ctx, w.p.Frames.Main())
		if err == nil {
			var res runtime.EvaluateResult
			res, err = cdp.Call(ctx, s, runtime.Evaluate, page.EvaluateParams("document.readyState", world))
			if err == nil && res.Result != nil && enough(strings.Trim(string(res.Result.Value), `"`)) {
				return nil
			}
			if err != nil {
				err = w.p.WorldError(w.p.Frames.Main(), world, err)
			}
		}
		if err != nil && !errors.Is(err, page.ErrReplaced) && !errors.Is(err, page.ErrStale) {
			return err
		}
		if _, err := w.next(ctx); err != nil {
			return err
		}
	}
}

// quiet waits until the page has loaded and, for NetworkQuiet, no data has arrived, no
// request has started or ended, and none waits for its response.
func (w *waiting) quiet(ctx context.Context) error {
	// A page that the user opened, and that no command has used before, may have
	// requests that began unseen. Until it has loaded, it has some.
	if err := w.state(ctx, func(s string) bool { return s == "complete" }); err != nil {
		return err
	}
	timer := time.NewTimer(NetworkQuiet)
	defer timer.Stop()
	open, changed := w.p.WaitingRequests()
	for {
		still := timer.C
		if open > 0 {
			still = nil
		}
		select {
		case <-still:
			if _, now := w.p.WaitingRequests(); now == changed {
				return nil
			}
		case <-changed:
			open, changed = w.p.WaitingRequests()
			timer.Reset(NetworkQuiet)
		case _, ok := <-w.events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// function waits for an expression in the page's own world. The expression is
// evaluated in every animation frame, so that it also finds changes for which there
// is no event.
func (w *waiting) function(ctx context.Context) error {
	yes := true
	expression := fmt.Sprintf(`new Promise((met, fail) => { const test = () => (%s); const go = async () => {
		try { if (await test()) met(true); else requestAnimationFrame(go); } catch (error) { fail(error); } }; go(); })`, w.q.Value)
	for {
		answer := make(chan error, 1)
		inner, cancel := context.WithCancel(ctx)
		var res runtime.EvaluateResult
		go func() {
			var err error
			res, err = cdp.Call(inner, w.p.Session, runtime.Evaluate, runtime.EvaluateParams{Expression: expression, AwaitPromise: &yes, ReturnByValue: &yes})
			answer <- err
		}()
		err := w.follow(ctx, answer)
		cancel()
		if err != nil {
			if err = w.p.WorldError(w.p.Frames.Main(), "", err); !errors.Is(err, page.ErrReplaced) && !errors.Is(err, page.ErrStale) {
				return err
			}
			if err := w.committed(ctx); err != nil {
				return err
			}
			continue
		}
		if d := res.ExceptionDetails; d != nil {
			text := d.Text
			if d.Exception != nil {
				text = d.Exception.Description
			}
			return protocol.NewError(protocol.CodeBadArgument, "the expression failed: "+page.Plain(text), "", protocol.Example("wait", "function", "document.images.length > 3"))
		}
		return nil
	}
}
