package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/protocol"
)

// After a crash Chromium restores its own session: only that has the history of
// a tab, its scroll position and its forms. Chromium writes a change 2.5 s after
// it, so what it restores is compared with the tabs that we knew, and mended.

// restoredTab is a tab that Chromium restored.
type restoredTab struct {
	page    target.ID
	session *session
	window  browser.WindowID
	index   int  // in its window
	front   bool // of its window: Chromium loads only these at once
	url     string
	entry   int64 // of its history, that it shows
}

// comeBack gives the tabs that Chromium restored the ids that they had, and
// opens those that it did not restore. Until then no tab has an id.
func (r *run) comeBack(ctx context.Context) {
	r.b.mu.Lock()
	known := r.b.restore
	r.b.mu.Unlock()
	found, err := r.restoredTabs(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "the tabs that the browser restored are not known", "error", err)
	}
	same, lost := match(known, found)
	var claims []claimed
	for i, f := range found {
		old := same[i]
		if old == nil { // it was closed just before the crash
			r.log.InfoContext(ctx, "a tab of before is closed again", "url", f.url)
			_, err = cdp.Call(ctx, r.conn.root, target.CloseTarget, target.CloseTargetParams{TargetID: f.page})
		} else {
			claims = append(claims, claimed{page: f.page, url: f.url, id: old.ID})
			err = f.load(ctx, old.URL)
		}
		if err != nil {
			r.log.WarnContext(ctx, "a restored tab is not as it was", "url", f.url, "error", err)
		}
		_ = postCommand(ctx, r.conn.root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: f.session.id})
	}
	r.b.tabs.release(claims)
	r.openRestored(ctx, restorable(lost))
}

// load starts what a command would wait for: Chromium loads a tab behind another
// one seconds later. It is not a reload, which would send a form again.
func (f *restoredTab) load(ctx context.Context, address string) error {
	if f.url != address && startable(address) {
		return postCommand(ctx, f.session, cdppage.Navigate, cdppage.NavigateParams{URL: address})
	}
	if f.front {
		return nil
	}
	return postCommand(ctx, f.session, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: f.entry})
}

// restoredTabs returns the tabs that Chromium restored, by window and place.
func (r *run) restoredTabs(ctx context.Context) ([]restoredTab, error) {
	// Chromium makes them all in one task: with the first, a list has all.
	if err := r.b.waitTabs(ctx, func() bool { return len(r.b.tabs.stripTargets()) > 0 }); err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, r.conn.root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "tab"}}})
	if err != nil {
		return nil, err
	}
	var found []restoredTab
	for _, strip := range res.TargetInfos {
		if len(strip.EmbedderData) == 0 {
			continue // in no tab strip
		}
		f, err := r.restoredTab(ctx, strip)
		if err != nil {
			return nil, err
		}
		if f != nil {
			found = append(found, *f)
		}
	}
	slices.SortFunc(found, func(a, b restoredTab) int {
		return cmp.Or(cmp.Compare(a.window, b.window), cmp.Compare(a.index, b.index))
	})
	return found, nil
}

// restoredTab returns the tab of a target of type "tab"; nil when it closed
// meanwhile.
func (r *run) restoredTab(ctx context.Context, strip *target.Info) (*restoredTab, error) {
	var place struct {
		Index int `json:"tabStripIndex"`
	}
	if err := json.Unmarshal(strip.EmbedderData, &place); err != nil {
		return nil, err
	}
	pages, err := r.pagesIn(ctx, strip.TargetID)
	if err != nil || len(pages) == 0 {
		return nil, ctx.Err()
	}
	f := &restoredTab{page: pages[0], index: place.Index, front: inFront(strip), url: strip.URL}
	at, err := cdp.Call(ctx, r.conn.root, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: f.page})
	if err != nil {
		return nil, ctx.Err()
	}
	f.window = at.WindowID
	if f.session, err = r.conn.attach(ctx, f.page); err != nil {
		return nil, ctx.Err()
	}
	h, err := cdp.Call(ctx, f.session, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return nil, ctx.Err()
	}
	if i := int(h.CurrentIndex); i >= 0 && i < len(h.Entries) && h.Entries[i] != nil {
		f.url, f.entry = h.Entries[i].URL, h.Entries[i].ID
	}
	return f, nil
}

// match finds for each restored tab the one that it was: by address, in order,
// and then the others by place. nil is one that was closed. lost are the tabs
// that were not restored.
func match(known []RestoreTab, found []restoredTab) (same []*RestoreTab, lost []RestoreTab) {
	same = make([]*RestoreTab, len(found))
	taken := make([]bool, len(known))
	for _, byAddress := range []bool{true, false} {
		for k := range known {
			if taken[k] {
				continue
			}
			i := 0
			for i < len(found) && (same[i] != nil || byAddress && found[i].url != known[k].URL) {
				i++
			}
			if i < len(found) {
				same[i], taken[k] = &known[k], true
			}
		}
	}
	for k, t := range known {
		if !taken[k] {
			lost = append(lost, t)
		}
	}
	return same, lost
}

// claimed says which tab a page is.
type claimed struct {
	page target.ID
	url  string
	id   protocol.TabID
}

// release ends the holding that reset began: the pages of claims are tabs with
// these ids, and every other page is a tab by the usual rules.
func (r *registry) release(claims []claimed) {
	r.mu.Lock()
	r.holding = false
	for _, c := range claims {
		r.restore = slices.DeleteFunc(r.restore, func(t RestoreTab) bool { return t.ID == c.id })
		t := r.put(c.page, c.url, c.id)
		t.shown = true
		if info := r.pages[c.page]; info != nil {
			t.Title = info.Title
		}
	}
	var others []*target.Info
	for id, info := range r.pages {
		if r.byTarget(id) == nil {
			others = append(others, info)
		}
	}
	report := r.held
	r.held = nil
	r.wake()
	r.mu.Unlock()
	for _, info := range others {
		r.targetInfo(info)
	}
	if report != nil {
		r.report(report)
	}
}
