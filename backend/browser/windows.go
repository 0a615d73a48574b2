package browser

import (
	"context"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Windows lists the browser's windows with their tabs and their bounds on the
// screen.
func (b *Browser) Windows(ctx context.Context) ([]protocol.Window, error) {
	r, err := b.running()
	if err != nil {
		return nil, err
	}
	out := []protocol.Window{}
	at := map[browser.WindowID]int{}
	for _, shown := range b.Tabs() {
		t, ok := b.tabs.Lookup(shown.ID)
		if !ok {
			continue
		}
		res, err := cdp.Call(ctx, r.conn.Root, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: t.Target})
		if err != nil {
			if ctx.Err() != nil {
				return nil, page.TabError(ctx, shown.ID, "waiting for its window", nil, err)
			}
			continue // closed meanwhile
		}
		i, known := at[res.WindowID]
		if !known {
			i = len(out)
			at[res.WindowID] = i
			w := protocol.Window{ID: int(res.WindowID)}
			if bounds := res.Bounds; bounds != nil {
				w.State, w.Width, w.Height = string(bounds.WindowState), int(bounds.Width), int(bounds.Height)
				if bounds.Left != nil {
					w.Left = int(*bounds.Left)
				}
				if bounds.Top != nil {
					w.Top = int(*bounds.Top)
				}
			}
			out = append(out, w)
		}
		out[i].Tabs = append(out[i].Tabs, shown.ID)
		out[i].Focused = out[i].Focused || shown.Focused
	}
	return out, nil
}

// NewWindow opens a window with an empty tab and returns that tab. In the
// background it takes neither the front nor the keyboard.
func (b *Browser) NewWindow(ctx context.Context, background bool) (protocol.TabID, error) {
	r, err := b.running()
	if err != nil {
		return "", err
	}
	var mine func(*tabs.Entry) bool
	if r.worker() != nil {
		id, err := callWorker[int](ctx, r, "newWindow", !background)
		if err != nil {
			return "", b.explain(ctx, "", nil, err)
		}
		mine = func(t *tabs.Entry) bool { return t.ChromeTabID == id }
	} else {
		yes := true
		res, err := cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", NewWindow: &yes, Background: &background})
		if err != nil {
			return "", page.TabError(ctx, "", "opening a window", nil, err)
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
		return "", page.TabError(ctx, "", "waiting for the new window", nil, err)
	}
	r.opened(id)
	return id, nil
}

// CloseWindow closes the given tabs, which are those of one window. The browser
// keeps running: an empty tab replaces the last one.
func (b *Browser) CloseWindow(ctx context.Context, tabs []protocol.TabID) error {
	for _, id := range tabs {
		if err := b.CloseTab(ctx, id); err != nil && protocol.AsError(err).Code != protocol.CodeUnknownTab {
			return err
		}
	}
	return nil
}

// SetWindow moves the window of a tab, changes its size (nil leaves both) or its
// state (empty leaves it). It does not raise it.
func (b *Browser) SetWindow(ctx context.Context, id protocol.TabID, bounds *protocol.Clip, state string) error {
	r, err := b.running()
	if err != nil {
		return err
	}
	var res browser.GetWindowForTargetResult
	err = b.onTarget(ctx, r, id, func(t tabs.Entry) (err error) {
		res, err = cdp.Call(ctx, r.conn.Root, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: t.Target})
		return err
	})
	if err != nil {
		return b.explain(ctx, id, nil, err)
	}
	set := func(to *browser.Bounds) error {
		_, err := cdp.Call(ctx, r.conn.Root, browser.SetWindowBounds, browser.SetWindowBoundsParams{WindowID: res.WindowID, Bounds: to})
		if e, ok := devtools.AsMethodError(err); ok {
			return protocol.NewError(protocol.CodeBadArgument, "the window cannot be changed: "+e.Message, "", protocol.Example("windows", "bounds", "--at", "0,0,1200,800"))
		}
		return b.explain(ctx, id, nil, err)
	}
	if bounds != nil {
		// A window that is not in its normal state has no size to set.
		if res.Bounds != nil && res.Bounds.WindowState != browser.WindowStateNormal {
			if err := set(&browser.Bounds{WindowState: browser.WindowStateNormal}); err != nil {
				return err
			}
		}
		left, top := int64(bounds.X), int64(bounds.Y)
		if err := set(&browser.Bounds{Left: &left, Top: &top, Width: int64(bounds.Width), Height: int64(bounds.Height)}); err != nil {
			return err
		}
	}
	if state != "" {
		return set(&browser.Bounds{WindowState: browser.WindowState(state)})
	}
	return nil
}
