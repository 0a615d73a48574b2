package browser

import (
	"context"
	"errors"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/extensions"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/protocol"
)

// trigger clicks our toolbar icon in the window of a target of type "tab".
// Chromium 156 crashes when the extension is not loaded, so a worker must have
// reported before (observed).
func (r *run) trigger(ctx context.Context, strip target.ID) error {
	if r.worker() == nil {
		return errNoWorker
	}
	_, err := cdp.Call(ctx, r.conn.Root, extensions.TriggerAction, extensions.TriggerActionParams{
		ID: protocol.ExtensionID, TargetID: string(strip),
	})
	if err != nil {
		return fmt.Errorf("clicking the toolbar icon: %w", err)
	}
	return nil
}

// triggerFront opens the panel of the front window as soon as the extension is
// loaded. It does not wait for an answer; a panel's target shows that it worked.
func (r *run) triggerFront(ctx context.Context) error {
	strip, ok := r.b.tabs.FrontStrip()
	for _, t := range r.b.tabs.All() {
		if front, known := r.b.tabs.Lookup(t.ID); t.Focused && known {
			if exact, err := r.stripOf(ctx, front.Target); err == nil {
				strip, ok = exact, true
			}
		}
	}
	if !ok {
		return errors.New("there is no window")
	}
	return devtools.Post(ctx, r.conn.Root, extensions.TriggerAction, extensions.TriggerActionParams{
		ID: protocol.ExtensionID, TargetID: string(strip),
	})
}
