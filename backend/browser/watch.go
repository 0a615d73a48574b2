package browser

import (
	"context"
	"encoding/json"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// watchTargets updates the tab registry from the browser's target events.
func (r *run) watchTargets(ctx context.Context, events *devtools.Subscription) error {
	defer events.Cancel()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-events.C:
			if !ok {
				return r.ended(events)
			}
			r.targetEvent(ctx, e)
		}
	}
}

// ended ends the run when a subscription that it cannot do without has lost events, and
// returns the reason; nil when the browser has ended.
func (r *run) ended(events *devtools.Subscription) error {
	if !events.Overflowed() {
		return nil
	}
	_ = r.pipe.Close()
	return errEventsLost
}

func (r *run) targetEvent(ctx context.Context, e devtools.Event) {
	ask := false
	switch e.Method {
	case target.TargetCreated.Method:
		if v, ok := devtools.Decode(e, target.TargetCreated); ok && v.TargetInfo != nil && !r.foreign(v.TargetInfo) {
			ask = r.b.tabs.TargetInfo(v.TargetInfo)
			r.pairPanel(ctx, v.TargetInfo)
			r.b.panels.Follow(ctx, r.conn, v.TargetInfo)
			r.b.panels.Opened(ctx, v.TargetInfo)
			if v.TargetInfo.Type == "tab" && tabs.InFront(v.TargetInfo) {
				r.askFront(ctx)
			}
		}
	case target.TargetInfoChanged.Method:
		if v, ok := devtools.Decode(e, target.TargetInfoChanged); ok && v.TargetInfo != nil && !r.foreign(v.TargetInfo) {
			ask = r.b.tabs.TargetInfo(v.TargetInfo)
			r.pairPanel(ctx, v.TargetInfo)
			r.b.panels.Follow(ctx, r.conn, v.TargetInfo)
		}
	case target.TargetDestroyed.Method:
		if v, ok := devtools.Decode(e, target.TargetDestroyed); ok {
			strip := r.b.tabs.IsStrip(v.TargetID)
			ask = r.b.tabs.Destroyed(v.TargetID)
			if strip {
				r.askFront(ctx)
			}
		}
	case target.TargetCrashed.Method:
		if v, ok := devtools.Decode(e, target.TargetCrashed); ok {
			// The page's session reports when the tab works again.
			if _, isTab := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == v.TargetID }); isTab {
				go func() { _, _ = r.page(ctx, v.TargetID) }()
			}
		}
	}
	if ask {
		select {
		case r.ask <- struct{}{}:
		default:
		}
	}
}

// newPageWait is how long after a command a new page may be one that it has opened, and how
// long a page waits for our session that may be no tab.
const newPageWait = time.Second

// heldWait is how long a tab waits at most until we have attached to it. It is
// longer than a busy machine takes (over a second was seen): of a dialog that opens before,
// nothing is known, and what its process is asked is never answered.
const heldWait = 30 * time.Second

// holdNewPages holds each page that opens until we have attached to its tab, where a command
// may have opened it: a dialog that opens before that is neither reported nor answered. To
// the user's own tabs it does not attach, because the browser then keeps them in memory.
// A shared worker, too, waits until its requests are reported, because no page's session
// reports them.
func (r *run) holdNewPages(ctx context.Context) error {
	root, err := r.conn.AttachBrowser(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "dialogs of new tabs may be missed", "error", err)
		return nil
	}
	events := root.Events(target.AttachedToTarget.Method)
	defer events.Cancel()
	flat := true
	if err := devtools.Post(ctx, root, target.SetAutoAttach, target.SetAutoAttachParams{
		AutoAttach: true, WaitForDebuggerOnStart: true, Flatten: &flat, Filter: target.Filter{{Type: "page"}, {Type: "shared_worker"}, {Exclude: true}},
	}); err != nil {
		r.log.WarnContext(ctx, "dialogs of new tabs may be missed", "error", err)
		return nil
	}
	var held sync.WaitGroup
	defer held.Wait()
	for {
		select {
		case <-ctx.Done():
			return nil
		case e, ok := <-events.C:
			if !ok {
				return r.ended(events) // pages that open would wait for ever
			}
			v, _ := devtools.Decode(e, target.AttachedToTarget)
			s := r.conn.Session(v.SessionID)
			if s == nil || v.TargetInfo == nil {
				continue
			}
			if v.TargetInfo.Type == "shared_worker" {
				held.Go(func() { r.followSharedWorker(ctx, s) })
				continue
			}
			held.Go(func() {
				if r.b.config.Headless || r.known(v.TargetInfo.OpenerID) != nil || r.b.queue.Ran(newPageWait) {
					r.hearDialogs(ctx, v.TargetInfo)
				}
				devtools.LetGo(ctx, s)
			})
		}
	}
}

// followSharedWorker lets the pages of a shared worker's origin know of its requests until
// it ends. It waits until these are reported.
func (r *run) followSharedWorker(ctx context.Context, s *devtools.Session) {
	pages := func(f func(p *page.Page)) {
		r.mu.Lock()
		all := maps.Clone(r.pages)
		r.mu.Unlock()
		for _, p := range all {
			f(p)
		}
	}
	s.Follow(func(e devtools.Event) {
		pages(func(p *page.Page) { p.FromSharedWorker(s, e) })
	})
	// A worker that has ended reports nothing and does not wait.
	_ = page.ReportRequests(ctx, s)
	devtools.Resume(ctx, s)
	select {
	case <-s.Done:
	case <-ctx.Done():
	}
	pages(func(p *page.Page) { p.SharedWorkerEnded(s) })
}

// hearDialogs attaches to the tab of a page that opens; other pages, such as panels, have
// none.
func (r *run) hearDialogs(ctx context.Context, info *target.Info) {
	id, wait := info.TargetID, heldWait
	if r.b.tabs.Holding() || tabs.NeverTab(info.URL) {
		wait = newPageWait
	}
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	err := r.b.tabs.Await(ctx, func() bool {
		_, is := r.b.tabs.Find(func(t *tabs.Entry) bool { return t.Target == id })
		return is
	})
	if err == nil {
		_, _ = r.page(ctx, id) // a page that has gone opens no dialog
	}
}

// settleTabs waits a moment (tabSettle) for the worker's report when only the
// protocol has reported a tab, and then asks the worker. When the worker does not
// answer, the protocol's information counts.
func (r *run) settleTabs(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-r.ask:
		}
		timer := time.NewTimer(tabSettle)
		settled := false
		for !settled {
			if !r.b.tabs.Unsettled() {
				break
			}
			select {
			case <-ctx.Done():
				timer.Stop()
				return nil
			case <-r.b.tabs.Changes():
			case <-timer.C:
				settled = true
			}
		}
		timer.Stop()
		if settled {
			r.b.tabs.Settle(r.askWorker(ctx))
		}
	}
}

// askWorker requests a report from the worker, applies it, and says whether there
// was one.
func (r *run) askWorker(ctx context.Context) bool {
	ctx, cancel := context.WithTimeout(ctx, workerAnswer)
	defer cancel()
	text, err := callWorker[string](ctx, r, "tell")
	if err != nil {
		return false
	}
	var e protocol.BridgeEvent
	if json.Unmarshal([]byte(text), &e) != nil {
		return false
	}
	r.b.tabs.Report(&e)
	return true
}

// closedTogether is how soon after one another tabs must close to count as closed with
// their window. It is a guess, and not measured.
const closedTogether = 2 * time.Second

// reported records the tabs for the time after the browser's end. When the user closes
// the browser's window, its tabs close one after another.
func (r *run) reported(tabs []protocol.Tab) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(tabs) < len(r.last) {
		if time.Since(r.closed) > closedTogether {
			r.before = r.last
		}
		r.closed = time.Now()
	}
	r.last = tabs
}

// openTabs returns the tabs that were open until the user closed the browser.
func (r *run) openTabs() []protocol.Tab {
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.closed) < closedTogether {
		return r.before
	}
	return r.last
}

// publishTabs reports every change of the tabs and of the panel.
func (r *run) publishTabs(ctx context.Context) error {
	var tabs []protocol.Tab
	first, open := true, false
	for {
		changed := r.b.tabs.Changes() // taken before the list is read, so that no change is missed
		now := r.b.tabs.All()
		// Before the first tab there is nothing to report.
		if (!first || len(now) > 0) && (first || !slices.Equal(now, tabs)) {
			tabs = now
			if len(now) > 0 { // a browser that ends closes its tabs first
				r.reported(now)
			}
			r.b.config.Events.Report(slices.Clone(now))
			if first {
				first = false
				close(r.tabbed)
			}
		}
		if is := len(r.b.tabs.PanelTargets()) > 0; is != open {
			open = is
			r.b.config.Events.Report(Panel{is})
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}
