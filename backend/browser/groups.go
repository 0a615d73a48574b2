package browser

import (
	"context"
	"fmt"
	"slices"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// groups implements the operations on tab groups.
type groups struct{ b *Browser }

// workerGroup is a tab group as the worker reports it.
type workerGroup struct {
	ID        int    `json:"id"`
	Title     string `json:"title"`
	Color     string `json:"color"`
	Collapsed bool   `json:"collapsed"`
	WindowID  int    `json:"windowId"`
	Tabs      []int  `json:"tabs"`
}

// withWorker returns the run once a worker is attached, or an error that says why
// there are no groups. It waits for the worker, up to workerStartTimeout: in the
// first moments of a browser, and after Chromium has stopped it.
func (g groups) withWorker(ctx context.Context) (*run, error) {
	r, err := g.b.running()
	if err != nil {
		return nil, err
	}
	if g.b.config.ExtensionDir == "" {
		return nil, protocol.NewError(protocol.CodeNotRunning, "a headless browser has no tab groups", "groups need the browser's window")
	}
	ctx, cancel := context.WithTimeout(ctx, workerStartTimeout)
	defer cancel()
	if err := g.b.tabs.Await(ctx, func() bool { return r.worker() != nil }); err != nil {
		return nil, page.TabError(ctx, "", "waiting for the extension", nil, err)
	}
	return r, nil
}

// Groups lists the groups of tabs.
func (g groups) Groups(ctx context.Context) ([]protocol.TabGroup, error) {
	r, err := g.withWorker(ctx)
	if err != nil {
		return nil, err
	}
	list, err := callWorker[[]workerGroup](ctx, r, "groups")
	if err != nil {
		return nil, g.b.explain(ctx, "", nil, err)
	}
	out := make([]protocol.TabGroup, 0, len(list))
	for _, one := range list {
		group := protocol.TabGroup{ID: one.ID, Title: one.Title, Color: one.Color, Collapsed: one.Collapsed, WindowID: one.WindowID, Tabs: []protocol.TabID{}}
		for _, t := range g.b.Tabs() {
			if slices.Contains(one.Tabs, t.ChromeTabID) {
				group.Tabs = append(group.Tabs, t.ID)
			}
		}
		out = append(out, group)
	}
	return out, nil
}

// GroupTabs puts tabs into a group: an existing one, or (0) a new one. It
// returns the group's id.
func (g groups) GroupTabs(ctx context.Context, group int, tabs []protocol.TabID) (int, error) {
	r, err := g.withWorker(ctx)
	if err != nil {
		return 0, err
	}
	chrome, err := g.chromeTabs(ctx, tabs)
	if err != nil {
		return 0, err
	}
	id, err := callWorker[int](ctx, r, "groupTabs", chrome, group)
	if err == nil && group == 0 {
		r.ours.group(id)
	}
	return id, groupError(err)
}

// UngroupTabs takes tabs out of their groups. Chromium removes a group that
// becomes empty.
func (g groups) UngroupTabs(ctx context.Context, tabs []protocol.TabID) error {
	r, err := g.withWorker(ctx)
	if err != nil {
		return err
	}
	chrome, err := g.chromeTabs(ctx, tabs)
	if err != nil {
		return err
	}
	_, err = callWorker[any](ctx, r, "ungroupTabs", chrome)
	return groupError(err)
}

// SetGroup sets a group's title and colour, and collapses or expands it. nil
// leaves a property as it is.
func (g groups) SetGroup(ctx context.Context, group int, title, color *string, collapsed *bool) error {
	r, err := g.withWorker(ctx)
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

// chromeTabs returns Chrome's ids of tabs. It waits for the worker's next report
// for a tab that was just opened.
func (g groups) chromeTabs(ctx context.Context, ids []protocol.TabID) ([]int, error) {
	ctx, cancel := context.WithTimeout(ctx, workerStartTimeout)
	defer cancel()
	out := make([]int, 0, len(ids))
	for _, id := range ids {
		var t tabs.Entry
		var open bool
		err := g.b.tabs.Await(ctx, func() bool {
			t, open = g.b.tabs.Lookup(id)
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
