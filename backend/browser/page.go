package browser

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/inspector"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// page is the session with the target that shows a tab. It is attached when
// the tab is first used and stays.
type page struct {
	*devtools.Session
	r *run

	mu     sync.Mutex
	dialog *shownDialog  // the open dialog; nil when none is open
	dead   chan struct{} // closed while the renderer is crashed
	isDead bool

	frames *frames              // nil until the first look or action
	opened *opening             // nil until then, and after a try that failed
	then   func(devtools.Event) // what else follows the session's events

	hearing hearing
	drawing drawing

	size *emulation.SetDeviceMetricsOverrideParams // that a picture gave it for now
	of   *page                                     // the page that this session is beside; see resized
}

// page returns the session with a target, attaching if need be.
func (r *run) page(ctx context.Context, id target.ID) (*page, error) {
	r.mu.Lock()
	p := r.pages[id]
	r.mu.Unlock()
	if p != nil {
		select {
		case <-p.Done:
		default:
			return p, nil
		}
	}
	s, err := r.conn.Attach(ctx, id)
	if err != nil {
		return nil, err
	}
	p = &page{Session: s, r: r, dead: make(chan struct{})}
	r.mu.Lock()
	if other := r.pages[id]; other != nil && !other.ended() {
		r.mu.Unlock() // somebody else was faster
		return other, errors.Join(devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID}))
	}
	r.pages[id] = p
	r.mu.Unlock()
	s.Follow(p.take)
	go func() { // it ends with its session
		<-s.Done
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.pages[id] == p {
			delete(r.pages, id)
		}
	}()
	// A hung page answers none of these: they are sent and not waited for.
	err = errors.Join(
		devtools.Post(ctx, s, cdppage.Enable, cdppage.EnableParams{}),
		devtools.Post(ctx, s, inspector.Enable, cdp.Empty{}),
		devtools.Post(ctx, s, cdppage.SetLifecycleEventsEnabled, cdppage.SetLifecycleEventsEnabledParams{Enabled: true}),
	)
	if r.b.config.Headless {
		return p, err // nobody types there
	}
	// The rest of our world comes with the first look or action; this must be
	// there before the page's own listeners.
	return p, errors.Join(err, devtools.Post(ctx, s, cdppage.AddScriptToEvaluateOnNewDocument, cdppage.AddScriptToEvaluateOnNewDocumentParams{
		Source: holdScript, WorldName: worldName,
	}))
}

func (p *page) ended() bool {
	select {
	case <-p.Done:
		return true
	default:
		return false
	}
}

// take follows what makes a page not answer. The reader calls it, so that with
// each answer all that came before it is known: a page that was loaded after a
// crash is not called crashed.
func (p *page) take(e devtools.Event) {
	switch e.Method {
	case cdppage.JavascriptDialogOpening.Method:
		if v, ok := devtools.Decode(e, cdppage.JavascriptDialogOpening); ok {
			p.setDialog(&shownDialog{kind: string(v.Type), message: v.Message})
		}
	case cdppage.JavascriptDialogClosed.Method:
		p.setDialog(nil)
	case inspector.TargetCrashed.Method:
		p.setCrashed(true)
	case inspector.TargetReloadedAfterCrash.Method:
		p.setCrashed(false)
	case runtime.BindingCalled.Method:
		p.paused(e)
		p.passKey(e)
	case cdppage.FrameNavigated.Method:
		p.dropHeld(e)
	}
	p.mu.Lock()
	then := p.then
	p.mu.Unlock()
	if then != nil {
		then(e)
	}
}

// shownDialog is a dialog of a page.
type shownDialog struct{ kind, message string }

// String is the dialog in words: the page's message comes behind its kind.
func (d *shownDialog) String() string {
	if d == nil {
		return "dialog"
	}
	return d.kind + ": " + plain(d.message)
}

func (p *page) setDialog(d *shownDialog) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.dialog = d
}

// openDialog is the dialog that is open; nil when there is none.
func (p *page) openDialog() *shownDialog {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dialog
}

// setCrashed ends, or allows again, what waits for the page's renderer.
func (p *page) setCrashed(is bool) {
	p.mu.Lock()
	if is && !p.isDead {
		close(p.dead)
	}
	if !is && p.isDead {
		p.dead = make(chan struct{})
	}
	p.isDead = is
	p.mu.Unlock()
	p.r.b.tabs.Crashed(p.Target, is)
}

// crashed says whether the renderer is crashed, by all that was read so far.
func (p *page) crashed() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.isDead
}

// crashes returns a channel that is closed when the renderer crashes; it is
// closed already when it has.
func (p *page) crashes() <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.dead
}

// world returns the isolated world of ours in the page's main frame: it sees
// the document and not the page's scripts, nor they it.
func (p *page) world(ctx context.Context) (runtime.ExecutionContextID, error) {
	res, err := cdp.Call(ctx, p.Session, cdppage.CreateIsolatedWorld, cdppage.CreateIsolatedWorldParams{
		FrameID: cdp.FrameID(p.Target), WorldName: "pilotfish",
	})
	return res.ExecutionContextID, err
}

// errCrashed is returned by what needs a renderer that is not there.
var errCrashed = errors.New("the page crashed")

// onTab runs f with the session of a tab, in order with everything else that is
// asked of that tab and beside what is asked of others. Its errors are
// protocol.Errors. needsRenderer: f cannot work on a crashed page, and fails
// at once when the page crashes under it.
func (b *Browser) onTab(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, r *run, p *page) error) error {
	if _, err := b.running(); err != nil {
		return err
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return unknownTab(id)
	}
	turn, err := b.queue.enter(ctx, id)
	if err != nil {
		return tabError(ctx, id, "waiting for the commands before it", nil, err)
	}
	defer turn.release()
	return b.besideTab(ctx, id, needsRenderer, func(ctx context.Context, r *run, p *page) error {
		return f(context.WithValue(ctx, passKey{}, turn.pass), r, p)
	})
}

// passKey is the context key of what lets other callers pass.
type passKey struct{}

// letPass lets the commands of other callers pass one that only waits from now on.
func letPass(ctx context.Context) {
	if pass, ok := ctx.Value(passKey{}).(func()); ok {
		pass()
	}
}

// besideTab is onTab out of order: for what only watches, while others act.
func (b *Browser) besideTab(ctx context.Context, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, r *run, p *page) error) error {
	r, err := b.running()
	if err != nil {
		return err
	}
	t, p, err := b.pageOf(ctx, r, id)
	if err != nil {
		return b.explain(ctx, id, nil, err)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	if needsRenderer {
		if t.Crashed {
			return b.explain(ctx, id, p, errCrashed)
		}
		crashes := p.crashes()
		go func() {
			select {
			case <-crashes:
				cancel(errCrashed)
			case <-inner.Done():
			}
		}()
	}
	err = f(inner, r, p)
	if _, refused := errors.AsType[*devtools.MethodError](err); refused && needsRenderer {
		// What a crash makes of a method comes before the news of the crash, which
		// are there with the next answer.
		_, _ = cdp.Call(inner, p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
		if p.crashed() {
			err = errCrashed
		}
	}
	if err != nil && errors.Is(context.Cause(inner), errCrashed) {
		err = errCrashed
	}
	return b.explain(ctx, id, p, err)
}

// pageOf returns a tab and the session with the target that shows it.
func (b *Browser) pageOf(ctx context.Context, r *run, id protocol.TabID) (t tabs.Entry, p *page, err error) {
	err = b.onTarget(ctx, r, id, func(now tabs.Entry) (err error) {
		t = now
		p, err = r.page(ctx, now.Target)
		return err
	})
	return t, p, err
}

// onTarget runs f with a tab as it is now. That the browser does not know its
// target any more is no answer yet: the tab was closed, or lives on in another
// one, as the worker is about to say. Then f runs again, or the tab is unknown.
func (b *Browser) onTarget(ctx context.Context, r *run, id protocol.TabID, f func(tabs.Entry) error) error {
	for {
		changed := b.tabs.Changes()
		t, ok := b.tabs.Lookup(id)
		if !ok {
			return unknownTab(id)
		}
		err := f(t)
		if !isTargetGone(err) {
			return err
		}
		select {
		case <-changed:
		case <-r.conn.Done:
			return devtools.ErrPipeEnded
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// isTargetGone says whether something failed because the target, or Chrome's tab,
// that it is about is there no more.
func isTargetGone(err error) bool {
	return err != nil && (strings.Contains(err.Error(), "No target with given id") || strings.Contains(err.Error(), "No tab with id"))
}

// explain turns an error of an operation into what its caller is told.
func (b *Browser) explain(ctx context.Context, id protocol.TabID, p *page, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	if _, ok := b.tabs.Lookup(id); !ok && !errors.Is(err, context.DeadlineExceeded) {
		return protocol.NewError(protocol.CodeUnknownTab, "tab "+string(id)+" was closed in the meantime", "", protocol.Try("lists the tabs", "tabs"))
	}
	return tabError(ctx, id, "waiting for the page", p, err)
}

// isLeaving says whether a method failed because the page was just going to
// another document.
func isLeaving(err error) bool {
	e, ok := errors.AsType[*devtools.MethodError](err)
	return ok && slices.ContainsFunc([]string{
		"Not attached to an active page", "Inspected target navigated or closed", "Cannot find context", "Execution context was destroyed",
		"Cannot take screenshot with 0 ", "Unable to capture screenshot", "No frame with given id", "Frame with the given id was not found",
	}, func(says string) bool { return strings.Contains(e.Message, says) })
}

func unknownTab(id protocol.TabID) error {
	return protocol.NewError(protocol.CodeUnknownTab, "there is no tab "+string(id), "", protocol.Try("lists the tabs", "tabs"))
}

// tabError gives an error of a page its code and says what to do.
func tabError(ctx context.Context, id protocol.TabID, doing string, p *page, err error) error {
	switch {
	case errors.Is(err, errCrashed):
		return protocol.NewError(protocol.CodeCrashed, "the page in "+string(id)+" crashed", "", protocol.Try("loads it again", "reload"))
	case errors.Is(err, errStale), errors.Is(err, errReplaced), isLeaving(err):
		return protocol.NewError(protocol.CodeGone, "the page in "+string(id)+" went to another document in the meantime", "look again")
	case errors.Is(err, devtools.ErrPipeEnded):
		return protocol.NewError(protocol.CodeNotRunning, "the browser has stopped", "start the session again")
	case errors.Is(err, devtools.ErrSessionEnded), isTargetGone(err):
		return protocol.NewError(protocol.CodeUnknownTab, "tab "+string(id)+" was closed or replaced in the meantime", "", protocol.Try("lists the tabs", "tabs"))
	case p != nil && p.openDialog() != nil:
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" shows a dialog and does not answer ("+p.openDialog().String()+")", "answer it in the browser").Quoting()
	case errors.Is(err, context.DeadlineExceeded), ctx.Err() != nil && errors.Is(ctx.Err(), context.DeadlineExceeded):
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" did not answer in time, "+doing, "the page may hang", protocol.Try("loads it again", "reload"), protocol.MoreTime())
	case errors.Is(err, context.Canceled):
		return protocol.NewError(protocol.CodeTimeout, "the command was given up by its caller", "")
	}
	return protocol.NewError(protocol.CodeInternal, err.Error(), "")
}
