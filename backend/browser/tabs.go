package browser

import (
	"context"
	"errors"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// NewTab opens an empty tab next to the tab beside (which may be "") and returns
// its id. The tab has no Opener, because no page opened it. With background set,
// it takes neither the front nor the keyboard focus. The caller navigates it, so
// that the tab's rules apply from the first request on.
func (b *Browser) NewTab(ctx context.Context, beside protocol.TabID, background bool) (protocol.TabID, error) {
	if b.ByHand() {
		return b.newTabByHand(ctx, beside, background)
	}
	r, err := b.running()
	if err != nil {
		return "", err
	}
	var chrome *int // Chrome's id of the tab beside
	if beside != "" {
		o, ok := b.tabs.Lookup(beside)
		if !ok {
			return "", page.UnknownTab(beside)
		}
		if o.ChromeTabID != 0 {
			chrome = &o.ChromeTabID
		}
	}
	panel := b.panels.At()
	var mine func(*tabs.Entry) bool
	if r.worker() != nil {
		id, err := callWorker[int](ctx, r, "newTab", chrome, !background)
		if err != nil {
			return "", b.explain(ctx, beside, nil, err)
		}
		if panel != nil && !background {
			panel.TakeBack(ctx) // a tab takes the focus when it comes to the front
		}
		mine = func(t *tabs.Entry) bool { return t.ChromeTabID == id }
	} else {
		res, err := cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Background: &background})
		if err != nil {
			return "", b.explain(ctx, beside, nil, err)
		}
		mine = func(t *tabs.Entry) bool { return t.Target == res.TargetID }
	}
	var id protocol.TabID
	err = b.tabs.Await(ctx, func() bool {
		t, ok := b.tabs.Find(func(t *tabs.Entry) bool { return mine(t) && t.Shown })
		id = t.ID
		return ok
	})
	if err != nil {
		return "", page.TabError(ctx, beside, "waiting for the new tab", nil, err)
	}
	r.opened(id)
	if !background {
		b.tabs.Activated(id)
	}
	return id, nil
}

// CloseTab closes a tab and waits until it is gone. The browser keeps running:
// before the last tab closes, an empty one is opened.
func (b *Browser) CloseTab(ctx context.Context, id protocol.TabID) error {
	if b.ByHand() {
		return b.closeTabByHand(ctx, id)
	}
	r, err := b.running()
	if err != nil {
		return err
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return page.UnknownTab(id)
	}
	if len(b.tabs.All()) == 1 {
		if _, err := b.NewTab(ctx, "", false); err != nil {
			return err
		}
	}
	if panel := b.panels.At(); panel != nil {
		defer panel.TakeBack(ctx) // the tab that comes to the front takes the focus
	}
	// This bypasses the tab's queue, so that a tab that hangs can be closed.
	err = b.onTarget(ctx, r, id, func(t tabs.Entry) error {
		// Chromium has crashed when a tab with an open question was closed.
		if p := r.known(t.Target); p != nil {
			p.DismissDialog(ctx)
		}
		_, err := cdp.Call(ctx, r.conn.Root, target.CloseTarget, target.CloseTargetParams{TargetID: t.Target})
		return err
	})
	if err != nil {
		if _, still := b.tabs.Lookup(id); !still {
			return nil
		}
		return b.explain(ctx, id, nil, err)
	}
	err = b.tabs.Await(ctx, func() bool { _, ok := b.tabs.Lookup(id); return !ok })
	if err != nil {
		return protocol.NewError(protocol.CodeTimeout, "tab "+string(id)+" did not close in time: its page may be asking whether to leave", "", protocol.AnswerDialog(id)...)
	}
	return nil
}

// GiveTab lets agents use a tab of the user's own browser, or no longer.
func (b *Browser) GiveTab(id protocol.TabID, given bool) error {
	if _, ok := b.tabs.Lookup(id); !ok {
		return page.UnknownTab(id)
	}
	b.tabs.Give(id, given)
	return nil
}

// ActivateTab makes a tab the active one of its window. It does not raise the
// window.
func (b *Browser) ActivateTab(ctx context.Context, id protocol.TabID) error {
	return b.activate(ctx, id, false)
}

// ShowTab makes a tab the active one and raises its window, because the user
// asked for it.
func (b *Browser) ShowTab(ctx context.Context, id protocol.TabID) error {
	return b.activate(ctx, id, true)
}

func (b *Browser) activate(ctx context.Context, id protocol.TabID, raise bool) error {
	if b.ByHand() {
		_, err := b.carryOut(ctx, protocol.CarryEvent{Do: protocol.CarryShowTab, Tab: id, Front: raise})
		return err
	}
	r, err := b.running()
	if err != nil {
		return err
	}
	panel := b.panels.At()
	err = b.onTarget(ctx, r, id, func(t tabs.Entry) error {
		if r.worker() != nil && t.ChromeTabID != 0 {
			_, err := callWorker[any](ctx, r, "showTab", t.ChromeTabID, raise)
			if panel != nil && !raise {
				panel.TakeBack(ctx) // a tab takes the focus when it comes to the front
			}
			return err
		}
		_, err := cdp.Call(ctx, r.conn.Root, target.ActivateTarget, target.ActivateTargetParams{TargetID: t.Target})
		if err == nil {
			b.tabs.Activated(id)
		}
		return err
	})
	if err != nil {
		return b.explain(ctx, id, nil, err)
	}
	err = b.tabs.Await(ctx, func() bool {
		for _, now := range b.tabs.All() {
			if now.ID == id {
				return now.Active
			}
		}
		return true // closed in the meantime; reported below
	})
	if err != nil {
		return page.TabError(ctx, id, "waiting for it to come to the front", nil, err)
	}
	if _, ok := b.tabs.Lookup(id); !ok {
		return page.UnknownTab(id)
	}
	return nil
}

// OpenPanel opens the side panel in the window of a tab and waits until the
// panel's page exists. A panel that is already open stays open.
func (b *Browser) OpenPanel(ctx context.Context, id protocol.TabID) error {
	if b.ByHand() {
		if there, _, _ := b.hand.state(); !there {
			return errNoPanel()
		}
		return nil // only the user can open one
	}
	r, err := b.running()
	if err != nil {
		return err
	}
	if b.config.ExtensionDir == "" {
		return protocol.NewError(protocol.CodeNotRunning, "the browser of this session has no side panel", "")
	}
	ctx, cancel := context.WithTimeout(ctx, protocol.PanelOpenTimeout)
	defer cancel()
	// Chromium drops a click on the icon before the worker's first run.
	t, open, err := r.panelBeside(ctx, id)
	if err != nil || open {
		return err
	}
	strip, err := r.stripOf(ctx, t.Target)
	if err != nil {
		return b.explain(ctx, id, nil, err)
	}
	before := len(b.tabs.PanelTargets())
	if err := r.trigger(ctx, strip); err != nil {
		return b.explain(ctx, id, nil, err)
	}
	if err := b.tabs.Await(ctx, func() bool { return len(b.tabs.PanelTargets()) > before }); err != nil {
		return page.TabError(ctx, id, "waiting for the panel", nil, err)
	}
	return nil
}

// panelBeside returns a tab, and whether its window has a panel. Before the worker's first report,
// the window is unknown: a panel that is open there would not be found, and a click would close it.
func (r *run) panelBeside(ctx context.Context, id protocol.TabID) (t tabs.Entry, open bool, err error) {
	t, ok := r.b.tabs.Lookup(id)
	if ok {
		err = r.b.tabs.Await(ctx, func() bool {
			t, ok = r.b.tabs.Lookup(id)
			return !ok || r.worker() != nil && t.WindowID != 0
		})
	}
	switch {
	case err != nil:
		return t, false, page.TabError(ctx, id, "waiting for the extension", nil, err)
	case !ok:
		return t, false, page.UnknownTab(id)
	}
	if open, err = r.panelIn(ctx, t.WindowID); err != nil {
		err = r.b.explain(ctx, id, nil, err)
	}
	return t, open, err
}

// panelIn reports whether a window has a panel. It asks the page of each panel
// which window it is in.
func (r *run) panelIn(ctx context.Context, window int) (bool, error) {
	for _, id := range r.b.tabs.PanelTargets() {
		s, err := r.conn.Attach(ctx, id)
		if err != nil {
			continue // closed meanwhile
		}
		in, err := devtools.Evaluate[int](ctx, s, "chrome.windows.getCurrent().then((w) => w.id)", 0)
		_ = devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
		if err != nil {
			if ctx.Err() != nil {
				return false, ctx.Err()
			}
			continue
		}
		if in == window {
			return true, nil
		}
	}
	return false, nil
}

// stripOf returns the target of type "tab" that is the parent of a page's target.
// The protocol only reports this relation from the parent's side. Those with the page's
// address are asked first: to ask a tab that the browser has discarded loads it.
func (r *run) stripOf(ctx context.Context, pageID target.ID) (target.ID, error) {
	strips := r.b.tabs.StripTargets()
	if len(strips) == 1 {
		return strips[0], nil
	}
	list, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "tab"}, {Type: "page"}}})
	if err != nil {
		return "", err
	}
	address := ""
	for _, one := range list.TargetInfos {
		if one.TargetID == pageID {
			address = one.URL
		}
	}
	for _, likely := range []bool{true, false} {
		for _, one := range list.TargetInfos {
			if !slices.Contains(strips, one.TargetID) || (one.URL == address) != likely {
				continue
			}
			in, err := r.pagesIn(ctx, one.TargetID)
			if slices.Contains(in, pageID) {
				return one.TargetID, nil
			}
			if err != nil && ctx.Err() != nil {
				return "", ctx.Err()
			}
		}
	}
	return "", errors.New("the tab is in no window")
}

// pagesIn returns the pages in a target of type "tab".
func (r *run) pagesIn(ctx context.Context, strip target.ID) ([]target.ID, error) {
	s, err := r.conn.Attach(ctx, strip)
	if err != nil {
		return nil, err
	}
	flat := true
	children := s.Events(target.AttachedToTarget.Method)
	_, err = cdp.Call(ctx, s, target.SetAutoAttach, target.SetAutoAttachParams{AutoAttach: true, Flatten: &flat})
	_ = devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: s.ID})
	children.Cancel() // the events before the answer are in the queue
	var pages []target.ID
	for e := range children.C {
		if v, ok := devtools.Decode(e, target.AttachedToTarget); ok && v.TargetInfo != nil {
			pages = append(pages, v.TargetInfo.TargetID)
		}
	}
	return pages, err
}

// askFront asks which tab is in front, for a browser without the extension. The
// protocol includes this in a tab's target info only when the tab is created;
// later it must be asked for.
func (r *run) askFront(ctx context.Context) {
	if r.b.config.ExtensionDir != "" || len(r.b.tabs.StripTargets()) < 2 {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, frontAnswer)
	defer cancel()
	res, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "tab"}}})
	if err != nil {
		r.log.DebugContext(ctx, "which tab is in front is not known", "error", err)
		return
	}
	for _, info := range res.TargetInfos {
		if !tabs.InFront(info) {
			continue
		}
		if pages, _ := r.pagesIn(ctx, info.TargetID); len(pages) > 0 {
			r.b.tabs.Fronted(pages[0])
		}
		return
	}
}
