package input

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/tabs"
	"pilotfish/backend/protocol"
)

// Finish waits for what the action caused, and records where the tab is.
func (fx *effects) Finish(ctx context.Context) error {
	err := fx.Drain(ctx)
	if err == nil && fx.download {
		// A link to another site may lead to a page in spite of its attribute download.
		err = fx.bounded(ctx, func() bool { return len(fx.Out.Downloads) > 0 || fx.requested || fx.Nav.Committed != "" })
	}
	if err == nil && fx.requested || fx.Nav.Committed != "" {
		err = fx.load(ctx)
	}
	if err == nil && len(fx.windows) > 0 {
		err = fx.newTabs(ctx)
	}
	if errors.Is(err, errDialogOpen) {
		fx.Out.Nothing = false
		err = nil
	}
	if err != nil {
		return err
	}
	if fx.Nav.Refused != nil {
		return fx.Nav.Refused
	}
	for _, t := range fx.config.Open.All() {
		if _, was := fx.loads[t.ID]; !was && t.Opener == fx.tab && !slices.Contains(fx.Out.Tabs, t.ID) {
			fx.Out.Tabs = append(fx.Out.Tabs, t.ID)
		}
	}
	fx.describeTabs(ctx)
	if fx.in != nil && !fx.Out.Navigated {
		fx.Out.Frame = fx.frames[fx.in.ID]
		// Its session may end before the page reports that the frame is gone.
		fx.Out.FrameGone = !fx.mine(fx.in.ID) || fx.lost && fx.Out.Frame == ""
		fx.Out.Nothing = fx.Out.Nothing && fx.Out.Frame == "" && !fx.Out.FrameGone
	}
	if fx.Out.Navigated || len(fx.Out.Opened) > 0 || len(fx.Out.Downloads) > 0 {
		fx.Out.Nothing = false
	}
	return fx.where(ctx)
}

// describeTabs records where the tabs are that were opened or load another document, and
// whether one is in front.
func (fx *effects) describeTabs(ctx context.Context) {
	var again []tabs.Entry
	for _, t := range fx.config.Open.All() {
		known, _ := fx.config.Open.Lookup(t.ID)
		if loads, was := fx.loads[t.ID]; was && t.ID != fx.tab && t.Opener == fx.tab && known.Loads > loads {
			again = append(again, known)
		}
	}
	if len(fx.Out.Tabs)+len(again) == 0 {
		return
	}
	front := fx.config.Front(ctx)
	for i, id := range fx.Out.Tabs {
		known, _ := fx.config.Open.Lookup(id)
		one := protocol.OpenedTab{Tab: id, URL: known.URL, Front: id == front}
		if (one.URL == "" || one.URL == "about:blank") && i < len(fx.windows) && len(fx.windows) == len(fx.Out.Tabs) {
			one.URL = fx.windows[i] // it has not begun to load
		}
		one.URL = cmp.Or(one.URL, "about:blank")
		fx.Out.Opened = append(fx.Out.Opened, one)
	}
	for _, t := range again {
		fx.Out.Opened = append(fx.Out.Opened, protocol.OpenedTab{Tab: t.ID, URL: t.Heads, Front: t.ID == front, Again: true})
	}
}

// where records where the tab is. The deadline may already have passed.
func (fx *effects) where(ctx context.Context) error {
	if ctx.Err() != nil {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(context.WithoutCancel(ctx), time.Second)
		defer cancel()
	}
	info := fx.at
	if info.URL == "" || info.Title == "" || fx.Out.Navigated || fx.Nav.Within != "" {
		if err := fx.p.Where(ctx, &info); err != nil {
			return err
		}
	}
	fx.Out.URL, fx.Out.Title = info.URL, info.Title
	if fx.Nav.Within != "" && !fx.Out.Navigated {
		fx.Out.URL, fx.Out.Within = fx.Nav.Within, true
	}
	return nil
}

// load waits for the requested document.
func (fx *effects) load(ctx context.Context) error {
	n := fx.Nav
	err := fx.Pump(ctx, nil, func() bool {
		switch {
		case n.Refusal() != nil, len(fx.Out.Downloads) > 0, n.Reached(protocol.WaitLoad):
			return true
		case n.Failure != "" && n.Committed == "":
			return true
		case fx.stopped && n.Committed == "" && len(n.Begun) == 0 && n.Request == "" && len(n.Events.C) == 0:
			// The navigation was cancelled. All earlier events have been processed by
			// now: a download that has begun also stops the loading.
			return true
		}
		return false
	})
	if n.Committed != "" {
		fx.Out.Navigated, fx.Out.Status, fx.Out.Nothing = true, n.Status, false
		if errors.Is(err, context.DeadlineExceeded) {
			fx.Out.Loading = true
			return nil
		}
	}
	if err != nil {
		return err
	}
	if len(fx.Out.Downloads) == 0 && n.Failure != "" && n.Committed == "" && n.Refused == nil {
		// A download also ends its request; the browser reports the download in an
		// event.
		if n.Failure == "net::ERR_ABORTED" {
			_ = fx.bounded(ctx, func() bool { return len(fx.Out.Downloads) > 0 || n.Committed != "" })
			if len(fx.Out.Downloads) > 0 || n.Committed != "" {
				return nil
			}
		}
		e := protocol.AsError(page.NavigationError(n.Failure))
		return e.Saying(fmt.Sprintf("%s was used, but the page that it leads to did not load: %s", page.Plain(fx.Out.Hit), e.Message))
	}
	return nil
}

// bounded waits, at most windowWait, for something that was announced and may still
// not come.
func (fx *effects) bounded(ctx context.Context, until func() bool) error {
	inner, cancel := context.WithTimeout(ctx, windowWait)
	defer cancel()
	err := fx.Pump(inner, nil, until)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// newTabs waits for the tab of a window that was opened.
func (fx *effects) newTabs(ctx context.Context) error {
	inner, cancel := context.WithTimeout(ctx, windowWait)
	defer cancel()
	err := fx.config.Open.Await(inner, func() bool {
		for _, t := range fx.config.Open.All() {
			if _, was := fx.loads[t.ID]; was {
				continue
			}
			// A tab opened by a link that names no opener can only be recognised by
			// its address.
			known, _ := fx.config.Open.Lookup(t.ID)
			if t.Opener == fx.tab || t.Opener == "" && slices.ContainsFunc(fx.windows, func(to string) bool { return slices.Contains(known.Addresses, to) }) {
				fx.Out.Tabs = append(fx.Out.Tabs, t.ID)
				return true
			}
		}
		return false
	})
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// Leaves reports whether the page has begun to close its tab, so that nothing else comes
// of the action.
func (fx *effects) Leaves() bool { return fx.leaving.Closing }

// Leads reports whether the action has led to another document, a new tab or a dialog.
func (fx *effects) Leads() bool {
	return fx.Nav.Committed != "" || fx.requested || len(fx.windows) > 0 || fx.Out.Dialog != nil
}

// closingWait is how long the end of a tab may take to be reported after its page is gone.
const closingWait = time.Second

// Closed reports whether the action, which ended with err, closed its tab, and waits until
// the tab is gone. The end of the browser is not the action's.
func (fx *effects) Closed(ctx context.Context, err error) bool {
	if !fx.Acted || fx.p.Conn.Ended() {
		return false
	}
	wait := time.Duration(0)
	switch {
	case fx.Out.Dialog != nil:
	case errors.Is(err, devtools.ErrSessionEnded), errors.Is(err, page.ErrReplaced), page.IsTargetGone(err):
		wait = max(fx.leaving.Wait(ctx, fx.p), closingWait) // the error may come before the end of the tab is reported
	case err == nil || fx.leaving.Closing:
		wait = fx.leaving.Wait(ctx, fx.p)
	}
	if !fx.config.Open.AwaitClosed(ctx, fx.tab, fx.p.Done, wait) {
		return false
	}
	fx.Out.Closed, fx.Out.Nothing = fx.tab, false
	if fx.Out.URL == "" {
		fx.Out.URL, fx.Out.Title = fx.at.URL, fx.at.Title
	}
	return true
}
