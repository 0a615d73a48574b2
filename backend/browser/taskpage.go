package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// taskPageURL is the address of the task page: the code of the panel without its
// interface. Tasks run in it where no panel is open.
const taskPageURL = workerURL + "tasks.html"

// taskPage is the task page of one run of the browser; the zero value is closed.
type taskPage struct {
	mu     sync.Mutex // held while the page opens or closes
	loaded bool       // a headless browser has loaded the extension in this run
	// now is the page; nil: it was not opened, or is closed. Only with mu it is changed.
	now atomic.Pointer[openPage]
}

// openPage is a task page that is open.
type openPage struct {
	*devtools.Session
	target  target.ID
	crashed context.Context //nolint:containedctx // it ends with the page's renderer
	crash   context.CancelFunc
}

// crashed follows that a target has crashed. It does not block.
func (p *taskPage) crashed(id target.ID) {
	if now := p.now.Load(); now != nil && now.target == id {
		now.crash()
	}
}

// answers reports whether a page works. One that has crashed never answers, and its caller may
// know of it before the browser has reported it.
func (o *openPage) answers(ctx context.Context) bool {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(o.crashed, cancel)() //nolint:contextcheck // it ends with the page, not with the caller
	_, err := devtools.Evaluate[int](ctx, o.Session, "1", 0)
	return err == nil
}

// TaskPanel reports whether a panel is open in the window of a tab, which then runs the
// tab's tasks; otherwise the task page does.
func (b *Browser) TaskPanel(ctx context.Context, id protocol.TabID) (bool, error) {
	if b.ByHand() {
		return true, nil // only the user can open a page of the extension
	}
	r, err := b.running()
	if err != nil || b.config.ExtensionDir == "" {
		return false, err
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	_, open, err := r.panelBeside(ctx, id)
	return open, err
}

// OpenTaskPage opens the task page, and reports whether it is a new one; one that is open
// stays. The page is a target without a window and without a place in a tab strip, so it is in
// no list of tabs.
func (b *Browser) OpenTaskPage(ctx context.Context) (fresh bool, err error) {
	r, err := b.running()
	if err != nil {
		return false, err
	}
	if b.config.given() {
		own, err := r.beside.running(ctx, b)
		if err != nil {
			return false, err
		}
		return own.OpenTaskPage(ctx)
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.TaskPageTimeout)
	defer cancel()
	p := &r.taskPage
	p.mu.Lock()
	defer p.mu.Unlock()
	if now := p.now.Load(); now != nil && now.answers(ctx) {
		return false, nil
	}
	if err := p.close(ctx, r.conn); err != nil {
		return false, err
	}
	if err := r.loadForTasks(ctx); err != nil {
		return false, err
	}
	if err := r.openTaskPage(ctx); err != nil {
		return false, fmt.Errorf("opening the page for tasks: %w", err)
	}
	return true, nil
}

func (r *run) openTaskPage(ctx context.Context) error {
	p, hidden := &r.taskPage, true
	res, err := cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: taskPageURL, Hidden: &hidden})
	if err != nil {
		return err
	}
	s, err := r.conn.Attach(ctx, res.TargetID)
	if err != nil {
		return err
	}
	crashed, crash := context.WithCancel(context.WithoutCancel(ctx))
	p.now.Store(&openPage{s, res.TargetID, crashed, crash})
	// Chromium slows the timers of a page that is not shown, to one a minute after five minutes.
	if err := devtools.Post(ctx, s, emulation.SetFocusEmulationEnabled, emulation.SetFocusEmulationEnabledParams{Enabled: true}); err != nil {
		return err
	}
	if r.b.config.ExtensionDir != "" {
		return nil // the worker has the pairing
	}
	if err := (&restoredTab{session: s, front: true, url: taskPageURL}).load(ctx, taskPageURL); err != nil {
		return err
	}
	return p.now.Load().pair(ctx, r.b.pairing())
}

// loadForTasks returns when the extension is loaded; the task page's mu is held.
func (r *run) loadForTasks(ctx context.Context) error {
	if r.b.config.ExtensionDir != "" {
		if err := r.b.tabs.Await(ctx, func() bool { return r.worker() != nil }); err != nil {
			return page.TabError(ctx, "", "waiting for the extension", nil, err)
		}
		return nil
	}
	if r.taskPage.loaded {
		return nil
	}
	// One that the profile has from an earlier run may be an older one; it is loaded again.
	err := extension{r}.load(ctx)
	r.taskPage.loaded = err == nil
	return err
}

// CloseTaskPage closes the task page if it is open.
func (b *Browser) CloseTaskPage(ctx context.Context) error {
	r, err := b.running()
	if err != nil {
		return nil // it has ended with its browser
	}
	if b.config.given() {
		r.beside.closes()
		return nil
	}
	p := &r.taskPage
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.close(ctx, r.conn)
}

// close closes the page, also one that has crashed.
func (p *taskPage) close(ctx context.Context, conn *devtools.Conn) error {
	now := p.now.Swap(nil)
	if now == nil {
		return nil
	}
	now.crash()
	select {
	case <-now.Done:
		return nil
	default:
	}
	if _, err := cdp.Call(ctx, conn.Root, target.CloseTarget, target.CloseTargetParams{TargetID: now.target}); err != nil {
		return fmt.Errorf("closing the page for tasks: %w", err)
	}
	return nil
}

// givePairing gives an open page a new pairing, where no worker does it.
func (p *taskPage) givePairing(ctx context.Context, pairing *protocol.Pairing) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now.Load()
	if now == nil {
		return nil // it gets the pairing when it opens
	}
	return now.pair(ctx, pairing)
}

// pair puts a pairing into the extension's session storage by a script of the page:
// Extensions.setStorageItems knows no extension for a target without a window (Chromium 156).
func (o *openPage) pair(ctx context.Context, pairing *protocol.Pairing) error {
	if pairing == nil {
		return nil
	}
	items, err := json.Marshal(map[string]*protocol.Pairing{protocol.PairingKey: pairing})
	if err != nil {
		return fmt.Errorf("encoding the pairing: %w", err)
	}
	if _, err := devtools.Evaluate[any](ctx, o.Session, "chrome.storage.session.set("+string(items)+")", 0); err != nil {
		return fmt.Errorf("pairing the page for tasks: %w", err)
	}
	return nil
}
