// Package localstorage writes into the local storage of origins without their pages: a
// hidden tab shows an empty document at the origin, which is answered from here, so that
// nothing of the site is loaded and no script of it runs.
package localstorage

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/fetch"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/target"

	"pilotfish/backend/browser/devtools"
)

// Text is a string of JavaScript: code units of UTF-16, which need not be well formed.
type Text []uint16

// Item is an entry of a local storage.
type Item struct{ Key, Value Text }

// Area is the local storage of an origin.
type Area struct {
	Origin string // https://example.com
	Items  []Item
}

// Store is the local storage of a browser.
type Store struct {
	// Conn returns the connection to the browser, an error when it does not run.
	Conn func() (*devtools.Conn, error)
}

// chunk is how much is written with one call, in code units.
const chunk = 256 << 10

// Write adds items to the storage of an origin, and returns how many of them it has
// then, exactly as they were given. A storage that is full takes no more.
func (s *Store) Write(ctx context.Context, a Area) (int, error) {
	done := 0
	err := s.at(ctx, a.Origin, func(ctx context.Context, tab *devtools.Session) error {
		for items := a.Items; len(items) > 0; {
			n, size := 0, 0
			for n < len(items) && (n == 0 || size+len(items[n].Key)+len(items[n].Value) <= chunk) {
				size += len(items[n].Key) + len(items[n].Value)
				n++
			}
			took, err := devtools.Evaluate[int](ctx, tab, script(a.Origin, items[:n]), 0)
			if err != nil {
				return fmt.Errorf("writing local storage: %w", err)
			}
			done += took
			items = items[n:]
		}
		return nil
	})
	return done, err
}

// Clear removes everything from the storage of an origin, and returns how many items
// there were.
func (s *Store) Clear(ctx context.Context, origin string) (n int, err error) {
	err = s.at(ctx, origin, func(ctx context.Context, tab *devtools.Session) (err error) {
		n, err = devtools.Evaluate[int](ctx, tab, `(() => { const n = localStorage.length; localStorage.clear(); return n; })()`, 0)
		return err
	})
	return n, err
}

// script writes items and counts those that arrived. It is ASCII, since a connection
// carries well-formed text only.
func script(origin string, items []Item) string {
	var b strings.Builder
	b.WriteString("(() => { if (location.origin !== ")
	literal(&b, utf16Of(origin))
	b.WriteString(") return 0; let n = 0; for (const [key, value] of [")
	for _, i := range items {
		b.WriteByte('[')
		literal(&b, i.Key)
		b.WriteByte(',')
		literal(&b, i.Value)
		b.WriteString("],")
	}
	b.WriteString("]) try { localStorage.setItem(key, value); if (localStorage.getItem(key) === value) n++; } catch { /* full */ } return n; })()")
	return b.String()
}

func utf16Of(ascii string) Text {
	out := make(Text, 0, len(ascii))
	for _, c := range []byte(ascii) {
		out = append(out, uint16(c))
	}
	return out
}

func literal(b *strings.Builder, text Text) {
	b.WriteByte('"')
	for _, c := range text {
		if c >= ' ' && c < 0x7f && c != '"' && c != '\\' && c != '<' {
			b.WriteByte(byte(c))
		} else {
			fmt.Fprintf(b, `\u%04x`, c)
		}
	}
	b.WriteByte('"')
}

// at runs use in an empty document at an origin.
func (s *Store) at(ctx context.Context, origin string, use func(context.Context, *devtools.Session) error) error {
	conn, err := s.Conn()
	if err != nil {
		return err
	}
	yes := true
	made, err := cdp.Call(ctx, conn.Root, target.CreateTarget, target.CreateTargetParams{URL: "about:blank", Hidden: &yes})
	if err != nil {
		return fmt.Errorf("opening a hidden tab: %w", err)
	}
	defer func() {
		_, _ = cdp.Call(context.WithoutCancel(ctx), conn.Root, target.CloseTarget, target.CloseTargetParams(made))
	}()
	tab, err := conn.Attach(ctx, made.TargetID)
	if err != nil {
		return fmt.Errorf("using a hidden tab: %w", err)
	}
	paused := tab.Events(fetch.RequestPaused.Method)
	var answering sync.WaitGroup
	answering.Go(func() {
		for e := range paused.C {
			if v, ok := devtools.Decode(e, fetch.RequestPaused); ok {
				_ = devtools.Post(ctx, tab, fetch.FulfillRequest, fetch.FulfillRequestParams{RequestID: v.RequestID, ResponseCode: 200, Body: []byte("<!doctype html>"), ResponseHeaders: []*fetch.HeaderEntry{
					{Name: "Content-Type", Value: "text/html; charset=utf-8"}, {Name: "Content-Security-Policy", Value: "default-src 'none'"}, {Name: "Cache-Control", Value: "no-store"},
				}})
			}
		}
	})
	defer func() { paused.Cancel(); answering.Wait() }()
	if _, err := cdp.Call(ctx, tab, network.SetBypassServiceWorker, network.SetBypassServiceWorkerParams{Bypass: true}); err != nil {
		return fmt.Errorf("preparing a hidden tab: %w", err)
	}
	if _, err := cdp.Call(ctx, tab, fetch.Enable, fetch.EnableParams{Patterns: []*fetch.RequestPattern{{URLPattern: "*"}}}); err != nil {
		return fmt.Errorf("preparing a hidden tab: %w", err)
	}
	went, err := cdp.Call(ctx, tab, page.Navigate, page.NavigateParams{URL: origin + "/"})
	if err == nil && went.ErrorText != "" {
		err = errors.New(went.ErrorText)
	}
	if err != nil {
		return fmt.Errorf("opening an empty document at %s: %w", origin, err)
	}
	return use(ctx, tab)
}
