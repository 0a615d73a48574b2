package browser

import (
	"context"
	"fmt"
	"slices"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Windows lists the browser's windows with their tabs and places on the screen.
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
	return id, nil
}

// CloseWindow closes the tabs of the window that has a tab. The browser itself
// stays: an empty tab replaces the last.
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

// workerGroup is a group as the worker tells it.
type workerGroup struct {
	ID        int    `json:"id"`
	Title     string `json:"title"`
	Color     string `json:"color"`
	Collapsed bool   `json:"collapsed"`
	WindowID  int    `json:"windowId"`
	Tabs      []int  `json:"tabs"`
}

// withWorker returns the run with a living worker, or why there are no groups. In
// the first moments of a browser, and when Chromium stops the worker, it is waited
// for.
func (b *Browser) withWorker(ctx context.Context) (*run, error) {
	r, err := b.running()
	if err != nil {
		return nil, err
	}
	if b.config.ExtensionDir == "" {
		return nil, protocol.NewError(protocol.CodeNotRunning, "a headless browser has no tab groups", "groups need the browser's window")
	}
	ctx, cancel := context.WithTimeout(ctx, workerStartTimeout)
	defer cancel()
	if err := b.tabs.Await(ctx, func() bool { return r.worker() != nil }); err != nil {
		return nil, page.TabError(ctx, "", "waiting for the extension", nil, err)
	}
	return r, nil
}

// Groups lists the groups of tabs.
func (b *Browser) Groups(ctx context.Context) ([]protocol.TabGroup, error) {
	r, err := b.withWorker(ctx)
	if err != nil {
		return nil, err
	}
	list, err := callWorker[[]workerGroup](ctx, r, "groups")
	if err != nil {
		return nil, b.explain(ctx, "", nil, err)
	}
	out := make([]protocol.TabGroup, 0, len(list))
	for _, g := range list {
		group := protocol.TabGroup{ID: g.ID, Title: g.Title, Color: g.Color, Collapsed: g.Collapsed, WindowID: g.WindowID, Tabs: []protocol.TabID{}}
		for _, t := range b.Tabs() {
			if slices.Contains(g.Tabs, t.ChromeTabID) {
				group.Tabs = append(group.Tabs, t.ID)
			}
		}
		out = append(out, group)
	}
	return out, nil
}

// GroupTabs puts tabs into a group: an existing one, or (0) a new one. It
// returns the group's id.
func (b *Browser) GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error) {
	r, err := b.withWorker(ctx)
	if err != nil {
		return 0, err
	}
	chrome, err := b.chromeTabs(ctx, tabs)
	if err != nil {
		return 0, err
	}
	id, err := callWorker[int](ctx, r, "groupTabs", chrome, group)
	return id, groupError(err)
}

// UngroupTabs takes tabs out of their groups; an empty group goes by itself.
func (b *Browser) UngroupTabs(ctx context.Context, tabs []protocol.TabID) error {
	r, err := b.withWorker(ctx)
	if err != nil {
		return err
	}
	chrome, err := b.chromeTabs(ctx, tabs)
	if err != nil {
		return err
	}
	_, err = callWorker[any](ctx, r, "ungroupTabs", chrome)
	return groupError(err)
}

// SetGroup names a group, colours it and folds it; nil leaves what it is.
func (b *Browser) SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error {
	r, err := b.withWorker(ctx)
	if err != nil {
		return err
	}
	change := map[string]any{}
	if title != nil {
		change["title"] = *title
	}
	if color != nil {
		change["color"] = *color
	}
	if collapsed != nil {
		change["collapsed"] = *collapsed
	}
	_, err = callWorker[any](ctx, r, "setGroup", group, change)
	return groupError(err)
}

func groupError(err error) error {
	if err == nil {
		return nil
	}
	return protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("the group cannot be changed: %v", err), "", protocol.Try("lists them", "groups"))
}

// chromeTabs are Chrome's numbers of tabs. One that has just been opened has its
// number with the worker's next report.
func (b *Browser) chromeTabs(ctx context.Context, ids []protocol.TabID) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, workerStartTimeout)
	defer cancel()
	out := make([]int, 0, len(ids))
	for _, id := range ids {
		var t tabs.Entry
		var open bool
		err := b.tabs.Await(ctx, func() bool {
			t, open = b.tabs.Lookup(id)
			return !open || t.ChromeTabID != 0
		})
		if !open {
			return nil, page.UnknownTab(id)
		}
		if err != nil {
			return nil, page.TabError(ctx, id, "waiting for the extension", nil, err)
		}
		out = append(out, t.ChromeTabID)
	}
	return out, nil
}
