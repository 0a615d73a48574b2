package browser

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/remote"
	"pilotfish/backend/protocol"
)

// elsewhere is Run for a browser that an engine runs. A broken connection is not the end of
// that browser: the next Run asks the engine for the same one first, and has the same tabs.
func (b *Browser) elsewhere(ctx context.Context) error {
	l, err := b.lease(ctx)
	if ctx.Err() != nil {
		if err == nil {
			l.End(ctx)
			_ = l.Close()
		}
		return nil
	}
	if err != nil {
		return err
	}
	b.tabs.Reset(b.restore, b.crashed)
	b.LoseHeld()
	r := newRun(b, l, nil, false, false) //nolint:contextcheck // what a download waits for ends with the session
	b.mu.Lock()
	b.run, b.leased, r.ours.tabs = r, l, b.made
	b.info = protocol.BrowserInfo{Name: b.config.Remote.Name(), Sandbox: true, Remote: true}
	b.mu.Unlock()
	err = r.serve(ctx)
	b.mu.Lock()
	b.run = nil
	if b.crashed = err != nil && len(r.last) > 0; b.crashed {
		b.restore = restoreOf(r.last)
	}
	b.made = r.ours.tabs
	if err == nil {
		b.leased, b.made = nil, nil
	}
	b.mu.Unlock()
	b.tabs.Reset(nil, false)
	return err
}

// lease returns the browser of the last run when the engine has kept it, else another one.
func (b *Browser) lease(ctx context.Context) (*remote.Lease, error) {
	b.mu.Lock()
	last := b.leased
	b.leased = nil
	b.mu.Unlock()
	if last != nil {
		l, err := last.Again(ctx)
		if err == nil {
			return l, nil
		}
		b.log.InfoContext(ctx, "the engine has not kept the browser", "engine", b.config.Remote)
		last.End(ctx)
	}
	return remote.Open(ctx, b.config.Remote, func(until time.Time) {
		b.config.Events.Report(protocol.Attaching{Browser: b.config.Remote.Name(), Step: protocol.AttachFull, Until: &until})
	})
}

// firstPage opens a page in a browser that has none: an engine may start it without.
func (r *run) firstPage(ctx context.Context) error {
	list, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}})
	if err == nil && len(list.TargetInfos) == 0 {
		_, err = cdp.Call(ctx, r.conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank"})
	}
	return err
}

// cut is the error of a connection to an engine that has broken.
func (r *run) cut(cause error) error {
	name := r.b.config.Remote.Name()
	if !r.ready.Load() {
		return protocol.NewError(protocol.CodeBrowserStart, name+" ended the connection before its browser answered", "check the path of the address: the engine's documents name it")
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		r.log.Error("the connection to the engine has ended", "engine", r.b.config.Remote, "cause", cause)
	}
	return protocol.NewError(protocol.CodeCrashed, fmt.Sprintf("the connection to %s has ended", name), "its tabs come back with the next connection")
}
