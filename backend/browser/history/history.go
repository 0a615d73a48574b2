// Package history navigates tabs: to an address, back, forward, and by reload.
package history

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sync/atomic"
	"time"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/focus"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// History navigates the tabs of a browser.
type History struct {
	tabs   page.Tabs
	open   *tabs.Registry
	panels *focus.Panels
}

// New returns the History of a browser's tabs; open is the registry of them, and panels are
// the open panels.
func New(all page.Tabs, open *tabs.Registry, panels *focus.Panels) *History {
	return &History{tabs: all, open: open, panels: panels}
}

// Navigate opens an address in a tab and waits until the page has reached the state
// wait. allow, if not nil, is called for every hop of the navigation; its error ends
// the command, and the page is not shown.
func (h *History) Navigate(ctx context.Context, by protocol.Caller, id protocol.TabID, address string, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error) {
	return h.navigate(ctx, by, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
		res, err := cdp.Call(ctx, p.Session, cdppage.Navigate, cdppage.NavigateParams{URL: address})
		if err != nil {
			if e, ok := errors.AsType[*devtools.MethodError](err); ok {
				return page.Started{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%s cannot be opened: %s", address, e.Message), "check the address")
			}
			return page.Started{}, err
		}
		return page.Started{Failure: res.ErrorText, Download: res.IsDownload}, nil
	})
}

// Back goes one page back in the tab's history.
func (h *History) Back(ctx context.Context, by protocol.Caller, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.travel(ctx, by, id, -1, wait, allow)
}

// Forward goes one page forward in the tab's history.
func (h *History) Forward(ctx context.Context, by protocol.Caller, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.travel(ctx, by, id, +1, wait, allow)
}

// Reload loads the tab's page again.
func (h *History) Reload(ctx context.Context, by protocol.Caller, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.navigate(ctx, by, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
		_, err := cdp.Call(ctx, p.Session, cdppage.Reload, cdppage.ReloadParams{})
		return page.Started{}, err
	})
}

func (h *History) travel(ctx context.Context, by protocol.Caller, id protocol.TabID, step int, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	var entry atomic.Int64 // chosen once: a second attempt is not one more step
	return h.navigate(ctx, by, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
		if chosen := entry.Load(); chosen != 0 {
			_, err := cdp.Call(ctx, p.Session, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: chosen})
			return page.Started{}, err
		}
		known, err := cdp.Call(ctx, p.Session, cdppage.GetNavigationHistory, cdp.Empty{})
		if err != nil {
			return page.Started{}, err
		}
		i := int(known.CurrentIndex) + step
		if i < 0 || i >= len(known.Entries) {
			return page.Started{}, noEntry(id, step)
		}
		if allow != nil {
			if err := allow(known.Entries[i].URL); err != nil {
				// An empty new tab, or one of our own pages, is the beginning of this
				// caller's history.
				if !website(known.Entries[i].URL) {
					err = noEntry(id, step)
				}
				return page.Started{}, err
			}
		}
		entry.Store(known.Entries[i].ID)
		_, err = cdp.Call(ctx, p.Session, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: known.Entries[i].ID})
		return page.Started{}, err
	})
}

// noEntry returns the error for the end of the tab's history.
func noEntry(id protocol.TabID, step int) error {
	which := "later"
	if step < 0 {
		which = "earlier"
	}
	return protocol.NewError(protocol.CodeNavigation, "there is no "+which+" page in "+string(id), "", protocol.Try("opens a page", "goto"))
}

// website reports whether an address belongs to a site, and not to the browser, an
// extension or this machine.
func website(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && slices.Contains([]string{"http", "https", "data", "blob"}, u.Scheme)
}

// navigate runs one navigation, twice if start has to be called again because a
// renderer ended, and returns where the tab is afterwards.
func (h *History) navigate(ctx context.Context, by protocol.Caller, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error, start func(context.Context, *page.Page) (page.Started, error)) (protocol.PageInfo, error) {
	again := func(ctx context.Context, p *page.Page) (page.Started, error) {
		started, err := start(ctx, p)
		return started, errors.Join(err, page.EnableEvents(ctx, p))
	}
	info := protocol.PageInfo{Tab: id}
	err := h.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		ended, err := p.MakeWay(ctx, id)
		if err != nil {
			return err
		}
		if !ended {
			err = h.attempt(ctx, p, &info, wait, allow, start)
		}
		if ended || errors.Is(err, page.ErrCrashed) {
			// The renderer of the old or the new page ended, which is not the address's
			// fault.
			err = h.attempt(ctx, p, &info, wait, allow, again)
		}
		if page.InFront(p) {
			h.panels.Keep(ctx) // the first page after a new tab takes the focus
		}
		return err
	})
	return info, err
}

// attempt runs one navigation. It returns ErrCrashed when its renderer ended.
func (h *History) attempt(ctx context.Context, p *page.Page, info *protocol.PageInfo, wait protocol.WaitUntil, allow func(string) error, start func(context.Context, *page.Page) (page.Started, error)) error {
	n, err := p.BeginNavigation(ctx, allow)
	if err != nil {
		return err
	}
	defer n.End(ctx)
	err = n.Run(ctx, wait, func() (page.Started, error) { return start(ctx, p) })
	if err != nil {
		if errors.Is(err, context.DeadlineExceeded) && n.Committed != "" {
			return stillLoading(info.Tab, n)
		}
		if errors.Is(ctx.Err(), context.Canceled) {
			// A caller that cancels a navigation no longer wants the page.
			_ = devtools.Post(context.WithoutCancel(ctx), p.Session, cdppage.StopLoading, cdp.Empty{})
		}
		return err
	}
	info.Status, info.Dialog = n.Status, n.Dialog
	if err := n.Where(ctx, info); err != nil {
		return err
	}
	if n.Within != "" {
		info.URL = n.Within // the browser process may learn of it later than we do
	}
	return nil
}

// stillLoading reports how far a page came before the deadline.
func stillLoading(id protocol.TabID, n *page.Navigation) error {
	how := "it is still being parsed"
	if n.Loaded[n.Committed] == protocol.WaitDOM {
		how = "it can be used, but something that it names has not arrived"
	}
	return protocol.NewError(protocol.CodeTimeout, "the page in "+string(id)+" did not finish loading in time: "+how, "", protocol.With("waits for less", "--wait", "dom"), protocol.MoreTime())
}

// whereWait is how long the browser may take to say where a tab is. It does not say it
// while a document of the tab waits for a page that hangs. On a busy machine it takes more
// than a second, and the list of tabs may have an older title.
const whereWait = 5 * time.Second

// Page returns a tab's address and title, also when the page hangs or shows a dialog: then
// as the list of tabs has them.
func (h *History) Page(ctx context.Context, by protocol.Caller, id protocol.TabID) (protocol.PageInfo, error) {
	info := protocol.PageInfo{Tab: id}
	err := h.tabs.ReadTab(ctx, by, id, func(ctx context.Context, p *page.Page) error {
		ctx, cancel := context.WithTimeout(ctx, whereWait)
		defer cancel()
		return p.Where(ctx, &info)
	})
	if code := protocol.AsError(err); err != nil && (code.Code == protocol.CodeTimeout || code.Code == protocol.CodeDialog) {
		if known, ok := h.open.Lookup(id); ok {
			info.URL, info.Title, err = known.URL, known.Title, nil
		}
	}
	return info, err
}
