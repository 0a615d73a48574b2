package sitedata

import (
	"context"
	"fmt"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

// ImportCookies sets cookies of another browser in the profile, with all that they
// are, and returns those of them that the profile has then. The browser refuses what
// it would not take from a site either; the others arrive.
func (d *Sites) ImportCookies(ctx context.Context, cookies []*network.Cookie) (arrived []*network.Cookie, err error) {
	if len(cookies) == 0 {
		return nil, nil
	}
	err = d.onAnyTab(ctx, func(ctx context.Context, p *page.Page) error {
		params := make([]*network.CookieParam, 0, len(cookies))
		for _, c := range cookies {
			params = append(params, SameCookie(c))
		}
		if _, err := cdp.Call(ctx, p.Session, storage.SetCookies, storage.SetCookiesParams{Cookies: params}); err != nil {
			for _, one := range params { // one that is refused refuses all
				_, _ = cdp.Call(ctx, p.Session, storage.SetCookies, storage.SetCookiesParams{Cookies: []*network.CookieParam{one}})
			}
		}
		res, err := cdp.Call(ctx, p.Session, storage.GetCookies, storage.GetCookiesParams{})
		if err != nil {
			return fmt.Errorf("reading the cookies that were imported: %w", err)
		}
		type key struct{ name, domain, path, value string }
		has := make(map[key]bool, len(res.Cookies))
		for _, c := range res.Cookies {
			has[key{c.Name, c.Domain, c.Path, c.Value}] = true
		}
		for _, c := range cookies {
			if has[key{c.Name, c.Domain, c.Path, c.Value}] {
				arrived = append(arrived, c)
			}
		}
		return nil
	})
	return arrived, err
}

// SameCookie returns the parameters that set the same cookie.
func SameCookie(c *network.Cookie) *network.CookieParam {
	p := cookieParam(cookieOf(c))
	p.Priority, p.SourceScheme, p.PartitionKey = c.Priority, c.SourceScheme, c.PartitionKey
	if c.SourcePort > 0 {
		p.SourcePort = c.SourcePort
	}
	return p
}

// RemoveCookies removes the cookies of the profile for whose domain is returns true.
func (d *Sites) RemoveCookies(ctx context.Context, is func(domain string) bool) (int, error) {
	n := 0
	err := d.onAnyTab(ctx, func(ctx context.Context, p *page.Page) error {
		res, err := cdp.Call(ctx, p.Session, storage.GetCookies, storage.GetCookiesParams{})
		if err != nil {
			return err
		}
		for _, c := range res.Cookies {
			if !is(c.Domain) {
				continue
			}
			if _, err := cdp.Call(ctx, p.Session, network.DeleteCookies, network.DeleteCookiesParams{Name: c.Name, Domain: c.Domain, Path: c.Path, PartitionKey: c.PartitionKey}); err != nil {
				return fmt.Errorf("removing a cookie: %w", err)
			}
			n++
		}
		return nil
	})
	return n, err
}

// onAnyTab runs f on a tab that answers: cookies belong to the whole profile.
func (d *Sites) onAnyTab(ctx context.Context, f func(context.Context, *page.Page) error) error {
	err := error(protocol.NewError(protocol.CodeUnknownTab, "no tab is open", "open one and try again"))
	for _, t := range d.config.Open.All() {
		if err = d.tabs.OnTab(ctx, protocol.Caller{}, t.ID, false, f); err == nil || ctx.Err() != nil {
			return err
		}
	}
	return err
}
