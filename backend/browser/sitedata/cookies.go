package sitedata

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/storage"

	"pilotfish/backend/browser/devtools"
	"pilotfish/backend/browser/page"
	"pilotfish/backend/protocol"
)

func cookieOf(c *network.Cookie) protocol.Cookie {
	out := protocol.Cookie{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: string(c.SameSite),
	}
	if !c.Session && c.Expires > 0 {
		at := time.UnixMicro(int64(c.Expires * 1e6)).UTC()
		out.Expires = &at
	}
	return out
}

func cookieParam(c protocol.Cookie) *network.CookieParam {
	p := &network.CookieParam{
		Name: c.Name, Value: c.Value, Domain: c.Domain, Path: c.Path, HTTPOnly: c.HTTPOnly, Secure: c.Secure, SameSite: network.CookieSameSite(c.SameSite),
	}
	if !strings.HasPrefix(c.Domain, ".") && c.Domain != "" {
		// A domain without a leading dot means that host alone, which the
		// protocol can express only by a URL.
		scheme := "http"
		if c.Secure {
			scheme = "https"
		}
		p.URL, p.Domain = (&url.URL{Scheme: scheme, Host: hostPort(c.Domain), Path: c.Path}).String(), ""
	}
	if c.Expires != nil {
		p.Expires = cdp.TimeSinceEpoch(float64(c.Expires.UnixMilli()) / 1000)
	}
	return p
}

// hostPort puts an IPv6 address in brackets.
func hostPort(host string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "[" + host + "]"
	}
	return host
}

// Cookies returns the cookies of a scope, seen from the page of a tab; only those of a
// domain if one is given.
func (d *Sites) Cookies(ctx context.Context, by protocol.Caller, id protocol.TabID, domain string, scope protocol.CookieScope) ([]protocol.Cookie, error) {
	out := []protocol.Cookie{}
	if err := oneSite(domain); err != nil {
		return out, err
	}
	err := d.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		cookies, err := cookies(ctx, p, domain, scope)
		for _, c := range cookies {
			out = append(out, cookieOf(c))
		}
		return err
	})
	return out, err
}

func cookies(ctx context.Context, p *page.Page, domain string, scope protocol.CookieScope) ([]*network.Cookie, error) {
	host := ""
	if scope != protocol.CookiesOfAll {
		var info protocol.PageInfo
		if err := p.Where(ctx, &info); err != nil {
			return nil, err
		}
		if host = hostOf(info.URL); host == "" {
			return nil, nil
		}
	}
	res, err := cdp.Call(ctx, p.Session, storage.GetCookies, storage.GetCookiesParams{})
	return slices.DeleteFunc(res.Cookies, func(c *network.Cookie) bool {
		return !inScope(c.Domain, host, scope) || domain != "" && !sameSite(c.Domain, domain)
	}), err
}

// inScope reports whether a cookie's domain is in a scope, seen from a page of a host.
func inScope(cookieDomain, host string, scope protocol.CookieScope) bool {
	switch scope {
	case protocol.CookiesOfHost:
		return cookieDomain == host || strings.HasPrefix(cookieDomain, ".") && under(host, cookieDomain)
	case protocol.CookiesOfSite:
		return under(cookieDomain, siteOf(host))
	}
	return true
}

// SetCookie sets a cookie. Without a domain it belongs to the page's host.
func (d *Sites) SetCookie(ctx context.Context, by protocol.Caller, id protocol.TabID, c protocol.Cookie) error {
	if err := oneSite(c.Domain); err != nil {
		return err
	}
	return d.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		param := cookieParam(c)
		if c.Domain == "" {
			var info protocol.PageInfo
			if err := p.Where(ctx, &info); err != nil {
				return err
			}
			if !strings.HasPrefix(info.URL, "http") {
				return protocol.NewError(protocol.CodeBadArgument, "the page in "+string(id)+" belongs to no site", "", protocol.With("names one", "--domain", "example.com"))
			}
			param.URL = info.URL
		}
		_, err := cdp.Call(ctx, p.Session, storage.SetCookies, storage.SetCookiesParams{Cookies: []*network.CookieParam{param}})
		if e, ok := devtools.AsMethodError(err); ok {
			return protocol.NewError(protocol.CodeBadArgument, "the browser refused the cookie: "+e.Message, "a Secure cookie needs https, __Host- and __Secure- names have rules of their own")
		}
		return err
	})
}

// DeleteCookies removes cookies of a scope, seen from the page of a tab: those with a
// name, or every one (empty name); only those of a domain if one is given. It returns
// how many there were.
func (d *Sites) DeleteCookies(ctx context.Context, by protocol.Caller, id protocol.TabID, name, domain string, scope protocol.CookieScope) (int, error) {
	n := 0
	if err := oneSite(domain); err != nil {
		return 0, err
	}
	err := d.tabs.OnTab(ctx, by, id, false, func(ctx context.Context, p *page.Page) error {
		cookies, err := cookies(ctx, p, domain, scope)
		if err != nil {
			return err
		}
		for _, c := range cookies {
			if name != "" && c.Name != name {
				continue
			}
			_, err := cdp.Call(ctx, p.Session, network.DeleteCookies, network.DeleteCookiesParams{Name: c.Name, Domain: c.Domain, Path: c.Path, PartitionKey: c.PartitionKey})
			if err != nil {
				return fmt.Errorf("removing a cookie: %w", err)
			}
			n++
		}
		return nil
	})
	return n, err
}

// sameSite reports whether a cookie's domain equals a host, or is a parent or
// subdomain of it.
func sameSite(cookieDomain, host string) bool {
	return under(cookieDomain, host) || under(host, cookieDomain)
}

// under reports whether a domain equals another one, or is a subdomain of it.
func under(domain, of string) bool {
	d, o := strings.ToLower(strings.TrimPrefix(domain, ".")), strings.ToLower(strings.TrimPrefix(of, "."))
	return d == o || strings.HasSuffix(d, "."+o)
}

func expired(c protocol.Cookie, now time.Time) bool { return c.Expires != nil && c.Expires.Before(now) }
