package browser

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/chromedp/cdproto/browser"
	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/tabs"
)

// After a crash Chromium restores its own session, because only that session has
// a tab's history, scroll position and form contents. Chromium writes each change
// 2.5 s late, so the restored tabs are compared with the tabs that we knew, and
// corrected.

// restoredTab is a tab that Chromium restored.
type restoredTab struct {
	page    target.ID
	session *devtools.Session
	window  browser.WindowID
	index   int  // position in its window
	front   bool // active in its window; Chromium loads only these tabs at once
	url     string
	entry   int64 // id of the history entry that it shows
}

// comeBack gives the tabs that Chromium restored their former ids, and opens
// those that Chromium did not restore. Until then no tab has an id.
func (r *run) comeBack(ctx context.Context) {
	r.b.mu.Lock()
	known := r.b.restore
	r.b.mu.Unlock()
	found, err := r.restoredTabs(ctx)
	if err != nil {
		r.log.WarnContext(ctx, "the tabs that the browser restored are not known", "error", err)
	}
	same, lost := match(known, found)
	var claims []tabs.Claim
	var loads sync.WaitGroup
	loading, cancel := context.WithTimeout(ctx, comeBackPatience)
	defer cancel()
	for i, f := range found {
		old := same[i]
		if old == nil { // the user closed it just before the crash
			if _, err := cdp.Call(ctx, r.conn.Root, target.CloseTarget, target.CloseTargetParams{TargetID: f.page}); err != nil {
				r.log.WarnContext(ctx, "a restored tab is not closed again", "error", err)
			}
			continue
		}
		claims = append(claims, tabs.Claim{Page: f.page, URL: f.url, ID: old.ID})
		loads.Go(func() {
			if err := f.load(loading, old.URL); err != nil {
				r.log.InfoContext(ctx, "a restored tab is still loading", "tab", old.ID, "error", err)
			}
			_ = devtools.Post(ctx, r.conn.Root, target.DetachFromTarget, target.DetachFromTargetParams{SessionID: f.session.ID})
		})
	}
	loads.Wait()
	r.b.tabs.Release(claims)
	r.openRestored(ctx, chromium.Restorable(lost))
}

// comeBackPatience is how long the restored pages may take to start loading. A
// command that runs earlier would collide with their navigation.
const comeBackPatience = 2 * time.Second

// load loads a tab's page and returns when the navigation has committed. Chromium
// alone would load a background tab seconds later. It is not a reload, which
// would submit a form again.
func (f *restoredTab) load(ctx context.Context, address string) error {
	if f.url != address && chromium.Startable(address) {
		_, err := cdp.Call(ctx, f.session, cdppage.Navigate, cdppage.NavigateParams{URL: address})
		return err
	}
	events := f.session.Events(cdppage.FrameNavigated.Method)
	defer events.Cancel()
	if err := devtools.Post(ctx, f.session, cdppage.Enable, cdppage.EnableParams{}); err != nil {
		return err
	}
	if f.front {
		res, err := cdp.Call(ctx, f.session, cdppage.GetFrameTree, cdp.Empty{})
		if err != nil {
			return err
		}
		if at := res.FrameTree.Frame.URL; at == f.url || at != "" && at != "about:blank" {
			return nil
		}
	} else if err := devtools.Post(ctx, f.session, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: f.entry}); err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case e, ok := <-events.C:
			if !ok {
				return devtools.ErrSessionEnded
			}
			if v, ok := devtools.Decode(e, cdppage.FrameNavigated); ok && v.Frame != nil && v.Frame.ParentID == "" {
				return nil
			}
		}
	}
}

// restoredTabs returns the tabs that Chromium restored, ordered by window and
// position.
func (r *run) restoredTabs(ctx context.Context) ([]restoredTab, error) {
	// Chromium creates them all in one task: once the first exists, a list
	// contains all of them.
	if err := r.b.tabs.Await(ctx, func() bool { return len(r.b.tabs.StripTargets()) > 0 }); err != nil {
		return nil, err
	}
	var found []restoredTab
	known := make(map[target.ID]bool)
	until := time.Now().Add(comeBackPatience)
	for {
		res, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "tab"}}})
		if err != nil {
			return nil, err
		}
		unfinished := false // a tab is reported before its page and its window exist
		for _, strip := range res.TargetInfos {
			if len(strip.EmbedderData) == 0 || known[strip.TargetID] {
				continue // not in a tab strip, or already seen
			}
			f, err := r.restoredTab(ctx, strip)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err != nil {
				r.log.DebugContext(ctx, "a restored tab is not complete", "error", err)
				unfinished = true
				continue
			}
			known[strip.TargetID] = true
			found = append(found, *f)
		}
		if !unfinished || time.Now().After(until) {
			break
		}
		select { // no event reports that they are complete
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(tabSettle):
		}
	}
	slices.SortFunc(found, func(a, b restoredTab) int {
		return cmp.Or(cmp.Compare(a.window, b.window), cmp.Compare(a.index, b.index))
	})
	return found, nil
}

// restoredTab returns the tab that belongs to a target of type "tab".
func (r *run) restoredTab(ctx context.Context, strip *target.Info) (*restoredTab, error) {
	var place struct {
		Index int `json:"tabStripIndex"`
	}
	if err := json.Unmarshal(strip.EmbedderData, &place); err != nil {
		return nil, err
	}
	pages, err := r.pagesIn(ctx, strip.TargetID)
	if err != nil {
		return nil, err
	}
	if len(pages) == 0 {
		return nil, errors.New("it has no page")
	}
	f := &restoredTab{page: pages[0], index: place.Index, front: tabs.InFront(strip), url: strip.URL}
	at, err := cdp.Call(ctx, r.conn.Root, browser.GetWindowForTarget, browser.GetWindowForTargetParams{TargetID: f.page})
	if err != nil {
		return nil, err
	}
	f.window = at.WindowID
	if f.session, err = r.conn.Attach(ctx, f.page); err != nil {
		return nil, err
	}
	h, err := cdp.Call(ctx, f.session, cdppage.GetNavigationHistory, cdp.Empty{})
	if err != nil {
		return nil, err
	}
	if i := int(h.CurrentIndex); i >= 0 && i < len(h.Entries) && h.Entries[i] != nil {
		f.url, f.entry = h.Entries[i].URL, h.Entries[i].ID
	}
	return f, nil
}

// match finds the former tab of each restored tab: first by address, in order,
// then the remaining ones by position. In same, nil means that the tab had been
// closed. lost are the tabs that were not restored.
func match(known []tabs.RestoreTab, found []restoredTab) (same []*tabs.RestoreTab, lost []tabs.RestoreTab) {
	same = make([]*tabs.RestoreTab, len(found))
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
