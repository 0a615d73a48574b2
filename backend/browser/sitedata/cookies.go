package sitedata

import (
	"context"
	"fmt"
	"net/url"
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
		// Without a leading dot it is that host's alone, which only an address says.
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

// hostPort puts an IPv6 address into brackets.
func hostPort(host string) string {
	if strings.Contains(host, ":") && !strings.HasPrefix(host, "[") {
		return "[" + host + "]"
	}
	return host
}

// Cookies returns the cookies that the page of a tab is sent, or (all) those of
// the whole profile.
func (d *Sites) Cookies(ctx context.Context, id protocol.TabID, all bool) ([]protocol.Cookie, error) {
	out := []protocol.Cookie{}
	err := d.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) error {
		cookies, err := cookies(ctx, p, all)
		for _, c := range cookies {
			out = append(out, cookieOf(c))
		}
		return err
	})
	return out, err
}

func cookies(ctx context.Context, p *page.Page, all bool) ([]*network.Cookie, error) {
	if all {
		res, err := cdp.Call(ctx, p.Session, storage.GetCookies, storage.GetCookiesParams{})
		return res.Cookies, err
	}
	var info protocol.PageInfo
	if err := p.Where(ctx, &info); err != nil {
		return nil, err
	}
	res, err := cdp.Call(ctx, p.Session, network.GetCookies, network.GetCookiesParams{URLs: []string{info.URL}})
	return res.Cookies, err
}

// SetCookie sets a cookie. Without a domain it is one of the page's host.
func (d *Sites) SetCookie(ctx context.Context, id protocol.TabID, c protocol.Cookie) error {
	return d.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) error {
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

// DeleteCookies removes cookies that the page of a tab is sent, or (all) of the
// whole profile: those of a name, or every one (empty name), of a domain if one
// is given. It returns how many there were.
func (d *Sites) DeleteCookies(ctx context.Context, id protocol.TabID, name, domain string, all bool) (int, error) {
	n := 0
	err := d.tabs.OnTab(ctx, id, false, func(ctx context.Context, p *page.Page) error {
		cookies, err := cookies(ctx, p, all)
		if err != nil {
			return err
		}
		for _, c := range cookies {
			if (name != "" && c.Name != name) || (domain != "" && !sameSite(c.Domain, domain)) {
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

// sameSite says whether a cookie's domain is a host, or is above or below it.
func sameSite(cookieDomain, host string) bool {
	c, h := strings.ToLower(strings.TrimPrefix(cookieDomain, ".")), strings.ToLower(strings.TrimPrefix(host, "."))
	return c == h || strings.HasSuffix(c, "."+h) || strings.HasSuffix(h, "."+c)
}

func expired(c protocol.Cookie, now time.Time) bool { return c.Expires != nil && c.Expires.Before(now) }
