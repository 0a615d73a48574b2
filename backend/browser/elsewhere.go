package browser

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf16"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/chromium"
	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/localstorage"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/browser/remote"
	"pilotfish/backend/browser/sitedata"
	"pilotfish/backend/protocol"
)

// given is a browser that an engine runs, or a browser context of another session's.
type given interface {
	devtools.Transport
	// End ends it, and does not wait longer than ctx.
	End(ctx context.Context)
}

// given reports whether an engine or another session gives the browser.
func (c *Config) given() bool { return c.Remote.Set() || c.In != nil }

// otherMachine reports whether the browser is not on this machine, and does not see its files.
func (c *Config) otherMachine() bool {
	return c.Remote.Set() || c.In != nil && c.In.config.Remote.Set()
}

// elsewhere is Run for a browser that is given. A broken connection is not the end of
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
	if again := chromium.Restorable(b.restore); b.config.In != nil && !b.crashed && len(again) > 0 {
		b.tabs.Expects(again[0].ID)
	}
	b.LoseHeld()
	r := newRun(b, l, nil, false, false) //nolint:contextcheck // what a download waits for ends with the session
	b.mu.Lock()
	b.run, b.leased, r.ours.tabs = r, l, b.made
	r.data = b.data
	b.info = protocol.BrowserInfo{Name: b.config.givenName(), Sandbox: true, Remote: b.config.Remote.Set(), Cannot: b.config.cannot()}
	if b.config.In != nil {
		b.info.Sandbox = b.config.In.Info().Sandbox
	}
	b.mu.Unlock()
	err = r.serve(ctx)
	b.mu.Lock()
	b.run = nil
	b.made, b.data = r.ours.tabs, r.data
	switch {
	case err == nil:
		b.crashed, b.made, b.data = false, nil, siteData{}
	case r.back.Load() && len(r.last) > 0:
		b.crashed, b.restore = true, restoreOf(r.last)
	}
	// The connection may have broken once more. But a Grid takes connections to a browser that
	// was killed, too.
	lost := err != nil && !r.ready.Load() && (r.silent.Load() || b.mute || b.config.In != nil)
	b.mute = err != nil && !r.ready.Load() && !lost
	if err == nil || lost {
		b.leased = nil
	}
	b.mu.Unlock()
	if lost {
		l.End(ctx)
	}
	b.tabs.Reset(nil, false)
	return err
}

// givenName is what the browser is called.
func (c *Config) givenName() string {
	if c.In != nil {
		return "Browser of session " + string(c.InName)
	}
	return c.Remote.Name()
}

// lend makes a browser context in a browser that runs, or as soon as it does.
func (b *Browser) lend(ctx context.Context) (*devtools.Context, error) {
	for {
		var r *run
		err := b.tabs.Await(ctx, func() bool {
			r, _ = b.running()
			return r != nil && r.ready.Load() && !r.conn.Ended() && len(b.tabs.All()) > 0
		})
		if err != nil {
			return nil, err
		}
		x, err := r.conn.NewContext(ctx)
		if err == nil || !r.conn.Ended() {
			return x, err
		}
	}
}

// lease returns the browser of the last run when the engine has kept it, else another one.
func (b *Browser) lease(ctx context.Context) (given, error) {
	if b.config.In != nil {
		return b.config.In.lend(ctx)
	}
	b.mu.Lock()
	last := b.leased
	b.leased = nil
	b.mu.Unlock()
	if last, is := last.(*remote.Lease); is {
		l, err := last.Again(ctx, func(err error) {
			b.log.WarnContext(ctx, "the engine is dialled again", "error", err)
			b.config.Events.Report(protocol.Attaching{Browser: b.config.Remote.Name(), Step: protocol.AttachAway})
		})
		if err == nil {
			return l, nil
		}
		b.log.InfoContext(ctx, "the engine has not kept the browser", "engine", b.config.Remote, "error", err)
		last.End(ctx)
	}
	return remote.Open(ctx, b.config.Remote, func(until time.Time) {
		b.config.Events.Report(protocol.Attaching{Browser: b.config.Remote.Name(), Step: protocol.AttachFull, Until: &until})
	})
}

// siteData is what a browser that is given stores, as far as we know: when it is lost, the next
// one gets it.
type siteData struct {
	pages   map[target.ID]bool // that were open then
	cookies []*network.Cookie
	local   map[string][]protocol.StorageItem // by origin; nil for too much
}

const (
	// keepEvery is how often what the browser stores is read. An engine ends a browser whose
	// connection is silent, a Grid after 300 s, so this keeps the session, too.
	keepEvery = 20 * time.Second
	// keptAtMost is the size of a localStorage, in bytes, that is still read each time.
	keptAtMost = 256 << 10
)

// keepData reads what the browser stores, again and again, until ctx ends. A browser that does
// not answer is lost: a Grid whose browser was killed has been seen to leave the connection open.
func (r *run) keepData(ctx context.Context) {
	every := cmp.Or(r.b.config.KeepEvery, keepEvery)
	for tick := time.NewTicker(every); ; {
		select {
		case <-ctx.Done():
			tick.Stop()
			return
		case <-tick.C:
		}
		err := r.readData(ctx)
		if ctx.Err() == nil && errors.Is(err, context.DeadlineExceeded) {
			r.log.WarnContext(ctx, "the engine's browser does not answer", "engine", r.b.config.givenName())
			_ = r.pipe.Close()
			tick.Stop()
			return
		}
		if err != nil && ctx.Err() == nil {
			r.log.DebugContext(ctx, "what the browser stores is not known", "error", err)
		}
	}
}

func (r *run) readData(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keepEvery)
	defer cancel()
	res, err := cdp.Call(ctx, r.conn.Root, storage.GetCookies, storage.GetCookiesParams{})
	if err != nil {
		return fmt.Errorf("reading the cookies: %w", err)
	}
	local := maps.Clone(r.data.local)
	if local == nil {
		local = make(map[string][]protocol.StorageItem)
	}
	pages := make(map[target.ID]bool)
	for _, t := range r.b.tabs.All() {
		origin := page.OriginOf(t.URL)
		e, _ := r.b.tabs.Lookup(t.ID)
		pages[e.Target] = true
		p := r.known(e.Target)
		if items, known := local[origin]; origin == "" || p == nil || known && items == nil {
			continue
		}
		items, err := sitedata.Items(ctx, p.Session, origin, true)
		if err != nil {
			continue // the page has gone, or hangs
		}
		size := 0
		for _, item := range items {
			size += len(item.Key) + len(item.Value)
		}
		if size > keptAtMost {
			items = nil
		}
		local[origin] = items
	}
	r.b.mu.Lock()
	r.data = siteData{pages, res.Cookies, local}
	r.b.mu.Unlock()
	return nil
}

// bringData gives the browser what a lost one had stored, before its tabs come back. A browser
// with a page of that one is the same.
func (r *run) bringData(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, keepEvery)
	defer cancel()
	list, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{})
	if err != nil || slices.ContainsFunc(list.TargetInfos, func(t *target.Info) bool { return r.data.pages[t.TargetID] }) {
		return err
	}
	params := make([]*network.CookieParam, 0, len(r.data.cookies))
	for _, c := range r.data.cookies {
		params = append(params, sitedata.SameCookie(c))
	}
	if len(params) > 0 {
		_, err = cdp.Call(ctx, r.conn.Root, storage.SetCookies, storage.SetCookiesParams{Cookies: params})
	}
	into := localstorage.Store{Conn: func() (*devtools.Conn, error) { return r.conn, nil }}
	for origin, items := range r.data.local {
		area := localstorage.Area{Origin: origin}
		for _, i := range items {
			area.Items = append(area.Items, localstorage.Item{Key: utf16.Encode([]rune(i.Key)), Value: utf16.Encode([]rune(i.Value))})
		}
		if len(items) > 0 {
			_, failed := into.Write(ctx, area)
			err = errors.Join(err, failed)
		}
	}
	return err
}

// firstPage opens a page in a browser that has none: an engine may start it without, and so is a
// browser context. Its window does not take the front.
func (r *run) firstPage(ctx context.Context) error {
	list, err := cdp.Call(ctx, r.conn.Root, target.GetTargets, target.GetTargetsParams{Filter: target.Filter{{Type: "page"}}})
	if err == nil && len(list.TargetInfos) == 0 {
		params := target.CreateTargetParams{URL: "about:blank"}
		if again := chromium.Restorable(r.b.restore); r.b.config.In != nil {
			params.NewWindow, params.Background = new(true), new(true)
			if !r.b.crashed && len(again) > 0 {
				params.URL = again[0].URL
			}
		}
		_, err = cdp.Call(ctx, r.conn.Root, target.CreateTarget, params)
	}
	return err
}

// cut is the error of a connection to an engine that has broken, or of a browser context.
func (r *run) cut(cause error) error {
	name := r.b.config.givenName()
	if r.b.config.In != nil {
		return protocol.NewError(protocol.CodeCrashed, name+" has ended", "its tabs come back with that browser")
	}
	if !r.ready.Load() {
		return protocol.NewError(protocol.CodeBrowserStart, name+" ended the connection before its browser answered", "check the path of the address: the engine's documents name it")
	}
	if cause != nil && !errors.Is(cause, context.Canceled) {
		r.log.Error("the connection to the engine has ended", "engine", r.b.config.Remote, "cause", cause)
	}
	return protocol.NewError(protocol.CodeCrashed, fmt.Sprintf("the connection to %s has ended", name), "its tabs come back with the next connection")
}
