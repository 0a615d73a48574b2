// Package history takes tabs to pages: to an address, back and forward, and anew.
package history

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"

	"github.com/chromedp/cdproto/cdp"
	cdppage "github.com/chromedp/cdproto/page"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/queue"
	"pilotfish/backend/protocol"
)

// History takes the tabs of a browser to pages.
type History struct{ tabs page.Tabs }

// New returns what takes a browser's tabs to pages.
func New(tabs page.Tabs) *History { return &History{tabs: tabs} }

// Navigate opens an address in a tab and waits until the page is as far as wait says.
// allow, if not nil, is asked about every hop; its error ends the command and
// the page is not shown.
func (h *History) Navigate(ctx context.Context, id protocol.TabID, address string, wait protocol.WaitUntil, allow func(url string) error) (protocol.PageInfo, error) {
	return h.navigate(ctx, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
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
func (h *History) Back(ctx context.Context, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.travel(ctx, id, -1, wait, allow)
}

// Forward goes one page forward in the tab's history.
func (h *History) Forward(ctx context.Context, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.travel(ctx, id, +1, wait, allow)
}

// Reload loads the tab's page again.
func (h *History) Reload(ctx context.Context, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.navigate(ctx, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
		_, err := cdp.Call(ctx, p.Session, cdppage.Reload, cdppage.ReloadParams{})
		return page.Started{}, err
	})
}

func (h *History) travel(ctx context.Context, id protocol.TabID, step int, wait protocol.WaitUntil, allow func(string) error) (protocol.PageInfo, error) {
	return h.navigate(ctx, id, wait, allow, func(ctx context.Context, p *page.Page) (page.Started, error) {
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
				// An empty new tab, or a page of ours, is where this caller's pages begin.
				if !website(known.Entries[i].URL) {
					err = noEntry(id, step)
				}
				return page.Started{}, err
			}
		}
		_, err = cdp.Call(ctx, p.Session, cdppage.NavigateToHistoryEntry, cdppage.NavigateToHistoryEntryParams{EntryID: known.Entries[i].ID})
		return page.Started{}, err
	})
}

// noEntry says that the tab's history ends here.
func noEntry(id protocol.TabID, step int) error {
	which := "later"
	if step < 0 {
		which = "earlier"
	}
	return protocol.NewError(protocol.CodeNavigation, "there is no "+which+" page in "+string(id), "", protocol.Try("opens a page", "goto"))
}

// website says whether an address is of a site, and not of the browser, an
// extension or this machine.
func website(raw string) bool {
	u, err := url.Parse(raw)
	return err == nil && slices.Contains([]string{"http", "https", "data", "blob"}, u.Scheme)
}

// navigate runs one navigation and tells where the tab is afterwards.
func (h *History) navigate(ctx context.Context, id protocol.TabID, wait protocol.WaitUntil, allow func(string) error, start func(context.Context, *page.Page) (page.Started, error)) (protocol.PageInfo, error) {
	info := protocol.PageInfo{Tab: id}
	err := h.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) error {
		n, err := p.BeginNavigation(ctx, allow)
		if err != nil {
			return err
		}
		defer n.End(ctx)
		if err := n.Run(ctx, wait, func() (page.Started, error) { return start(ctx, p) }); err != nil {
			if errors.Is(err, context.DeadlineExceeded) && n.Committed != "" {
				return stillLoading(p, id, n)
			}
			if errors.Is(ctx.Err(), context.Canceled) {
				// Whoever stops a navigation does not want the page any more.
				_ = devtools.Post(context.WithoutCancel(ctx), p.Session, cdppage.StopLoading, cdp.Empty{})
			}
			return err
		}
		info.Status = n.Status
		if err := p.Where(ctx, &info); err != nil {
			return err
		}
		if n.Within != "" {
			info.URL = n.Within // the browser may hear of it after we do
		}
		return nil
	})
	return info, err
}

// stillLoading says how far a page came before the deadline.
func stillLoading(p *page.Page, id protocol.TabID, n *page.Navigation) error {
	how := "it is still being parsed"
	if n.Loaded[n.Committed] == protocol.WaitDOM {
		how = "it can be used, but something that it names has not arrived"
	}
	d := p.OpenDialog()
	if d != nil {
		how = "it shows a dialog (" + d.String() + ")"
	}
	late := protocol.NewError(protocol.CodeTimeout, "the page in "+string(id)+" did not finish loading in time: "+how, "", protocol.With("waits for less", "--wait", "dom"), protocol.MoreTime())
	if d != nil {
		return late.Quoting()
	}
	return late
}

// Page tells a tab's address and title. A page that hangs can still be asked.
func (h *History) Page(ctx context.Context, id protocol.TabID) (protocol.PageInfo, error) {
	info := protocol.PageInfo{Tab: id}
	err := h.tabs.OnTab(queue.Looking(ctx), id, false, func(ctx context.Context, p *page.Page) error { return p.Where(ctx, &info) })
	return info, err
}
