package effects

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// Finish waits for what the action caused, and records where the tab is.
func (fx *Effects) Finish(ctx context.Context) error {
	err := fx.Drain(ctx)
	if err == nil && fx.download {
		// A link to another site may lead to a page in spite of its attribute download.
		err = fx.bounded(ctx, func() bool { return len(fx.Out.Downloads) > 0 || fx.requested || fx.Nav.Committed != "" })
	}
	if err == nil && fx.requested || fx.Nav.Committed != "" {
		err = fx.load(ctx)
	}
	if err == nil && fx.opened {
		err = fx.newTabs(ctx)
	}
	if errors.Is(err, ErrDialogOpen) {
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
		if !slices.Contains(fx.tabs, t.ID) && t.Opener == fx.tab && !slices.Contains(fx.Out.Tabs, t.ID) {
			fx.Out.Tabs = append(fx.Out.Tabs, t.ID)
		}
	}
	if fx.Out.Navigated || len(fx.Out.Tabs) > 0 || len(fx.Out.Downloads) > 0 {
		fx.Out.Nothing = false
	}
	return fx.where(ctx)
}

// where records where the tab is. The deadline may already have passed.
func (fx *Effects) where(ctx context.Context) error {
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
func (fx *Effects) load(ctx context.Context) error {
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
func (fx *Effects) bounded(ctx context.Context, until func() bool) error {
	inner, cancel := context.WithTimeout(ctx, windowWait)
	defer cancel()
	err := fx.Pump(inner, nil, until)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil {
		return nil
	}
	return err
}

// newTabs waits for the tab of a window that was opened.
func (fx *Effects) newTabs(ctx context.Context) error {
	inner, cancel := context.WithTimeout(ctx, windowWait)
	defer cancel()
	err := fx.config.Open.Await(inner, func() bool {
		for _, t := range fx.config.Open.All() {
			if slices.Contains(fx.tabs, t.ID) {
				continue
			}
			// A tab opened by a link that names no opener can only be recognised by
			// its address.
			known, _ := fx.config.Open.Lookup(t.ID)
			if t.Opener == fx.tab || t.Opener == "" && slices.Contains(known.Addresses, fx.window) {
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
