package browser

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// loaded reports whether the browser loaded the extension by --load-extension. A
// branded Chrome ignores that switch.
func (r *run) loaded(ctx context.Context) (bool, error) {
	list, err := cdp.Call(ctx, r.conn.Root, extensions.GetExtensions, cdp.Empty{})
	if err != nil {
		return false, fmt.Errorf("listing the extensions: %w", err)
	}
	for _, e := range list.Extensions {
		if e.ID == protocol.ExtensionID && e.Enabled {
			return true, nil
		}
	}
	return false, nil
}

// firstClick opens the panel of the first window before the worker runs.
func (r *run) firstClick(ctx context.Context) {
	if !r.clickable || !r.panelWanted.Load() {
		return
	}
	if err := r.b.tabs.Await(ctx, func() bool { _, ok := r.b.tabs.FrontStrip(); return ok }); err != nil {
		return // the browser ends
	}
	if r.panelWanted.CompareAndSwap(true, false) {
		if err := r.triggerFront(ctx); err != nil {
			r.log.WarnContext(ctx, "the panel was not opened", "error", err)
		}
	}
}

// pairPanel pairs a panel that opens before a worker has started, through the
// panel's own target: the panel's page reads the pairing long before the worker's
// first line runs (100 ms, measured). It does so only for the first such panel,
// because all panels share the storage.
func (r *run) pairPanel(ctx context.Context, info *target.Info) {
	if info.Type != "page" || !strings.HasPrefix(info.URL, tabs.PanelURL) || r.worker() != nil {
		return
	}
	if r.b.pairing() == nil || !r.panelPaired.CompareAndSwap(false, true) {
		return
	}
	go func() {
		if err := r.pairBy(ctx, info.TargetID); err != nil {
			// The worker will pair it, too.
			r.log.DebugContext(ctx, "the panel was not paired by its own page", "error", err)
		}
	}()
}

// pairBy puts the pairing into the extension's session storage through one of the
// extension's pages.
func (r *run) pairBy(ctx context.Context, page target.ID) error {
	s, err := r.conn.Attach(ctx, page)
	if err != nil {
		return fmt.Errorf("attaching to the panel: %w", err)
	}
	var given *protocol.Pairing
	for p := r.b.pairing(); err == nil && p != given; p = r.b.pairing() { // a newer one must not be written over
		var items extensions.SetStorageItemsParams
		if items, err = stored(p); err == nil {
			_, err = cdp.Call(ctx, s, extensions.SetStorageItems, items)
		}
		given = p
	}
	return errors.Join(err, devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID}))
}
