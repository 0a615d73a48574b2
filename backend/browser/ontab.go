package browser

import (
	"context"
	"errors"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/downloads"
	"pilotfish/backend/browser/gate"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/browser/watch"
	"pilotfish/backend/protocol"
)

// page returns the page of a target, and attaches a session if there is none.
func (r *run) page(ctx context.Context, id target.ID) (*page.Page, error) {
	if p := r.known(id); p != nil {
		return p, nil
	}
	s, err := r.conn.Attach(ctx, id)
	if err != nil {
		return nil, err
	}
	p := r.newPage(s) //nolint:contextcheck // it lives as long as its session
	r.mu.Lock()
	if other := r.pages[id]; other != nil && !other.Ended() {
		r.mu.Unlock() // another caller was faster
		return other, errors.Join(devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID}))
	}
	r.pages[id] = p
	r.mu.Unlock()
	go func() { // it ends with its session
		<-s.Done
		r.dialogs.Ended(id)
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.pages[id] == p {
			delete(r.pages, id)
		}
	}()
	err = p.Follow(ctx, !r.b.config.Headless)
	return p, err
}

// known returns the page of a target that a session is attached to; nil for another.
func (r *run) known(id target.ID) *page.Page {
	r.mu.Lock()
	defer r.mu.Unlock()
	if p := r.pages[id]; p != nil && !p.Ended() {
		return p
	}
	return nil
}

// newPage returns the page for a session that is attached to a target.
func (r *run) newPage(s *devtools.Session) *page.Page {
	var p *page.Page
	p = page.New(s, page.Host{
		Log: r.log, Space: r.b.spaceOf, InFront: func() bool { return r.b.inFront(s.Target) }, Attach: r.own,
		Titled:  func(url, title string) { r.b.tabs.Titled(s.Target, url, title) },
		Crashed: func(is bool) { r.b.tabs.Crashed(s.Target, is) },
		Dialogs: r.dialogs,
		Dialog: func() (protocol.TabID, string) {
			t, _ := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == s.Target })
			return t.ID, r.b.DialogPolicy(t.ID)
		},
		Judge:   func() func() { return r.gates.Command(s.Target) },
		Refused: func() error { return r.gates.Refusal(s.Target) },
		Equipped: func(ctx context.Context, child *devtools.Session) error {
			return errors.Join(r.b.Overlays.Joined(ctx, s.Target, child), r.b.Marks.Joined(ctx, s.Target, child))
		},
		Event: func(e devtools.Event) {
			switch e.Method {
			case runtime.BindingCalled.Method:
				if tab, asked := r.b.PauseAsked(s.Target, e); asked {
					r.b.config.Events.Report(Pause{tab})
				}
				r.b.panels.PassKey(e)
			case cdppage.FrameStartedNavigating.Method:
				if v, ok := devtools.Decode(e, cdppage.FrameStartedNavigating); ok && target.ID(v.FrameID) == s.Target && !withinDocument(v.NavigationType) {
					r.b.tabs.Heads(s.Target, v.URL)
				}
			case cdppage.FrameNavigated.Method:
				r.b.DropHeld(p, e)
				r.keepKeyboard(s.Target, e)
			}
		},
	})
	return p
}

// withinDocument reports whether a navigation only changes the document's address.
func withinDocument(kind cdppage.FrameStartedNavigatingNavigationType) bool {
	return kind == cdppage.FrameStartedNavigatingNavigationTypeSameDocument || kind == cdppage.FrameStartedNavigatingNavigationTypeHistorySameDocument
}

// keepKeyboard gives the keyboard back to the panel when a tab in front shows another
// document.
func (r *run) keepKeyboard(shown target.ID, e devtools.Event) {
	v, ok := devtools.Decode(e, cdppage.FrameNavigated)
	if !ok || v.Frame == nil || v.Frame.ParentID != "" {
		return
	}
	go func() { // the connection's reader must not wait to write
		if r.b.inFront(shown) {
			r.b.panels.Shown(context.Background())
		}
	}()
}

// onTab runs f with the page of a tab, in order with all other commands on that
// tab and concurrently with commands on other tabs. Its errors are
// protocol.Errors. needsRenderer: f cannot work on a crashed page or under a dialog,
// and its context ends when the page crashes or opens a dialog while f runs.
func (b *Browser) onTab(ctx context.Context, by protocol.Caller, id protocol.TabID, kind turnKind, needsRenderer bool, f func(ctx context.Context, p *page.Page, turn turn) error) error {
	r, err := b.running()
	if err != nil {
		return err
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return page.UnknownTab(id)
	}
	turn, err := b.queue.Enter(ctx, by, id, kind)
	if err != nil {
		return page.TabError(ctx, id, "waiting for the commands before it", nil, err)
	}
	defer turn.Release()
	if kind != turnAlone {
		by.Acts = nil // it acts on nothing
	} else {
		defer b.tabs.Command(id)()
		defer r.files.Hold()()
	}
	return b.besideTab(ctx, by, id, needsRenderer, func(ctx context.Context, p *page.Page) error {
		if err := page.MayAct(ctx, p); err != nil {
			return err
		}
		if !needsRenderer {
			return f(ctx, p, turn)
		}
		return p.UntilDialog(ctx, id, func(ctx context.Context) error { return f(ctx, p, turn) })
	})
}

// onPage is onTab with the page opened for snapshots and actions.
func (b *Browser) onPage(ctx context.Context, by protocol.Caller, id protocol.TabID, kind turnKind, f func(ctx context.Context, p *page.Page, turn turn) error) error {
	return b.onTab(ctx, by, id, kind, true, func(ctx context.Context, p *page.Page, turn turn) error {
		if err := p.Open(ctx, id); err != nil {
			return err
		}
		defer p.ReleaseDrawing(ctx)
		if err := p.DrawBehind(ctx); err != nil {
			return err
		}
		err := f(ctx, p, turn)
		if errors.Is(err, page.ErrReplaced) {
			return protocol.NewError(protocol.CodeGone, "the page went to another document meanwhile", "look again")
		}
		return err
	})
}

// besideTab is onTab outside the tab's queue. It is for operations that only
// observe while other commands act.
func (b *Browser) besideTab(ctx context.Context, by protocol.Caller, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *page.Page) error) error {
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
			return b.explain(ctx, id, p, page.ErrCrashed)
		}
		crashes := p.Crashes()
		go func() {
			select {
			case <-crashes:
				cancel(page.ErrCrashed)
			case <-inner.Done():
			}
		}()
	}
	if by.Tab != id {
		by.Acts = nil // it is about another tab
	}
	err = f(inner, p.For(by))
	if _, refused := errors.AsType[*devtools.MethodError](err); refused && needsRenderer {
		// The method's error, caused by a crash, can arrive before the crash
		// event. The event has been read once the next answer is there.
		_, _ = cdp.Call(inner, p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
		if p.Crashed() {
			err = page.ErrCrashed
		}
	}
	if err != nil && errors.Is(context.Cause(inner), page.ErrCrashed) {
		err = page.ErrCrashed
	}
	return b.explain(ctx, id, p, err)
}

// pageOf returns a tab and the page of the target that shows it.
func (b *Browser) pageOf(ctx context.Context, r *run, id protocol.TabID) (t tabs.Entry, p *page.Page, err error) {
	err = b.onTarget(ctx, r, id, func(now tabs.Entry) (err error) {
		t = now
		p, err = r.page(ctx, now.Target)
		return err
	})
	return t, p, err
}

// onTarget runs f with a tab as it is now. When the browser no longer knows the
// tab's target, the tab was either closed or moved to another target; the
// worker's next report says which. onTarget waits for that change and then runs f
// again or returns UnknownTab.
func (b *Browser) onTarget(ctx context.Context, r *run, id protocol.TabID, f func(tabs.Entry) error) error {
	for {
		changed := b.tabs.Changes()
		t, ok := b.tabs.Lookup(id)
		if !ok {
			return page.UnknownTab(id)
		}
		err := f(t)
		if !page.IsTargetGone(err) {
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

// explain turns an error of an operation into the protocol.Error for its caller.
func (b *Browser) explain(ctx context.Context, id protocol.TabID, p *page.Page, err error) error {
	if err == nil {
		return nil
	}
	if _, ok := errors.AsType[*protocol.Error](err); ok {
		return err
	}
	if p != nil && p.Conn.Ended() {
		return page.TabError(ctx, id, "", p, devtools.ErrPipeEnded)
	}
	if _, ok := b.tabs.Lookup(id); !ok && !errors.Is(err, context.DeadlineExceeded) {
		return protocol.NewError(protocol.CodeUnknownTab, "tab "+string(id)+" was closed in the meantime", "", protocol.Try("lists the tabs", "tabs"))
	}
	return page.TabError(ctx, id, "waiting for the page", p, err)
}

// inFront reports whether the tab of a target is the active tab of its window.
func (b *Browser) inFront(shown target.ID) bool {
	for _, t := range b.Tabs() {
		if at, ok := b.tabs.Lookup(t.ID); ok && at.Target == shown {
			return t.Active
		}
	}
	return false
}

// front returns the tab that is in front of the window that has the focus, as the
// browser says now; "" when it does not say.
func (b *Browser) front(ctx context.Context) (front protocol.TabID) {
	if r, err := b.running(); err == nil {
		r.askWorker(ctx)
		r.askFront(ctx)
	}
	for _, t := range b.tabs.All() {
		if t.Focused || front == "" && t.Active {
			front = t.ID
		}
	}
	return front
}

// spaceOf returns the ref numbers of a tab.
func (b *Browser) spaceOf(id protocol.TabID) *page.Space {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.spaces == nil {
		b.spaces = make(map[protocol.TabID]*page.Space)
	}
	if b.spaces[id] == nil {
		b.spaces[id] = &page.Space{Next: 1}
	}
	return b.spaces[id]
}

// own attaches a session to a target in addition to the shared one.
func (r *run) own(ctx context.Context, id target.ID) (s *devtools.Session, release func(), err error) {
	s, err = r.conn.Attach(ctx, id)
	if err != nil {
		return nil, nil, err
	}
	return s, func() {
		_ = devtools.Post(context.WithoutCancel(ctx), r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	}, nil
}

// keeper returns the Keeper of a tab's watches, and attaches one if there is
// none.
func (b *Browser) keeper(ctx context.Context, id protocol.TabID) (*watch.Keeper, error) {
	r, err := b.running()
	if err != nil {
		return nil, err
	}
	return r.watches.Of(ctx, id)
}

// kept returns the Keeper of a tab's watches; nil if there is none.
func (b *Browser) kept(id protocol.TabID) *watch.Keeper {
	r, err := b.running()
	if err != nil {
		return nil
	}
	return r.watches.Kept(id)
}

// work gives operations access to the pages of the browser's tabs.
type work struct{ b *Browser }

func (w work) OnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.onPage(ctx, by, id, turnAlone, alone(f))
}

func (w work) AimOnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	judged := by
	if by.Tab != id {
		judged.Acts = nil // it is about another tab
	}
	by.Acts = nil
	return w.b.onPage(ctx, by, id, turnAlone, func(ctx context.Context, p *page.Page, _ turn) error {
		return f(ctx, p.For(judged))
	})
}

func (w work) ReadPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.onPage(ctx, by, id, turnRead, alone(f))
}

func (w work) WaitOnPage(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page, letPass func()) error) error {
	return w.b.onPage(ctx, by, id, turnWait, func(ctx context.Context, p *page.Page, turn turn) error { return f(ctx, p, turn.Pass) })
}

func (w work) OnTab(ctx context.Context, by protocol.Caller, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.onTab(ctx, by, id, turnAlone, needsRenderer, alone(f))
}

func (w work) ReadTab(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.onTab(ctx, by, id, turnRead, false, alone(f))
}

func (w work) ScreenshotOfTab(ctx context.Context, by protocol.Caller, id protocol.TabID, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.onTab(ctx, by, id, turnScreenshot, true, alone(f))
}

// alone adapts work that only holds its turn until it returns.
func alone(f func(ctx context.Context, p *page.Page) error) func(context.Context, *page.Page, turn) error {
	return func(ctx context.Context, p *page.Page, _ turn) error { return f(ctx, p) }
}

func (w work) Of(ctx context.Context, id protocol.TabID) (*watch.Keeper, error) {
	return w.b.keeper(ctx, id)
}

func (w work) Beside(ctx context.Context, by protocol.Caller, id protocol.TabID, needsRenderer bool, f func(ctx context.Context, p *page.Page) error) error {
	return w.b.besideTab(ctx, by, id, needsRenderer, f)
}

func (w work) OnTarget(ctx context.Context, id protocol.TabID, f func(tabs.Entry) error) error {
	r, err := w.b.running()
	if err != nil {
		return err
	}
	return w.b.explain(ctx, id, nil, w.b.onTarget(ctx, r, id, f))
}

func (w work) Gates() (*gate.Gates, error) {
	r, err := w.b.running()
	if err != nil {
		return nil, err
	}
	return r.gates, nil
}

func (w work) Files() (*downloads.List, error) {
	r, err := w.b.running()
	if err != nil {
		return nil, err
	}
	return r.files, nil
}

func (w work) Kept(id protocol.TabID) *watch.Keeper { return w.b.kept(id) }

func (w work) Explain(ctx context.Context, id protocol.TabID, err error) error {
	return w.b.explain(ctx, id, nil, err)
}
