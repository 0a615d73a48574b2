package sitedata

import (
	"testing"
	"time"

	"github.com/chromedp/cdproto/network"

	"pilotfish/backend/protocol"
)

// A cookie of a single host is set by a URL, because only that keeps it from
// subdomains. A cookie whose domain has a leading dot applies to subdomains, too.
func TestCookieParam(t *testing.T) {
	at := time.UnixMilli(1_700_000_000_500).UTC()
	for _, c := range []struct {
		domain      string
		secure      bool
		url, wanted string
	}{
		{"shop.example", true, "https://shop.example/a", ""},
		{"shop.example", false, "http://shop.example/a", ""},
		{"::1", false, "http://[::1]/a", ""},
		{".shop.example", true, "", ".shop.example"},
	} {
		p := cookieParam(protocol.Cookie{Name: "n", Value: "v", Domain: c.domain, Path: "/a", Secure: c.secure, Expires: &at})
		if p.URL != c.url || p.Domain != c.wanted || float64(p.Expires) != 1_700_000_000.5 {
			t.Errorf("%s: %q, %q, %v", c.domain, p.URL, p.Domain, p.Expires)
		}
	}
}

func TestCookieOf(t *testing.T) {
	c := cookieOf(&network.Cookie{Name: "n", Domain: ".a.example", Expires: 1_700_000_000.5})
	if c.Expires == nil || c.Expires.UnixMilli() != 1_700_000_000_500 {
		t.Errorf("it expires %v", c.Expires)
	}
	if c := cookieOf(&network.Cookie{Session: true, Expires: -1}); c.Expires != nil {
		t.Errorf("one of the session expires %v", c.Expires)
	}
}

func TestSameSite(t *testing.T) {
	for _, c := range []struct {
		cookie, host string
		want         bool
	}{
		{".example.com", "shop.example.com", true},
		{"shop.example.com", "example.com", true},
		{"Example.com", "example.COM", true},
		{"badexample.com", "example.com", false},
		{"example.com", "badexample.com", false},
	} {
		if got := sameSite(c.cookie, c.host); got != c.want {
			t.Errorf("%s and %s: %t", c.cookie, c.host, got)
		}
	}
}

// A site is the registered domain with its subdomains; the host of a page gets the
// cookies of domains above it, and of itself.
func TestScopesOfCookies(t *testing.T) {
	for _, c := range []struct {
		cookie, host string
		site, sent   bool
	}{
		{"shop.example.com", "shop.example.com", true, true},
		{".example.com", "shop.example.com", true, true},
		{"example.com", "shop.example.com", true, false},
		{".mail.example.com", "shop.example.com", true, false},
		{"deep.shop.example.com", "shop.example.com", true, false},
		{"badexample.com", "shop.example.com", false, false},
		{".other.co.uk", "shop.co.uk", false, false},
		{"bob.github.io", "ada.github.io", false, false},
		{"127.0.0.1", "127.0.0.1", true, true},
		{"1.0.0.1", "127.0.0.1", false, false},
		{"localhost", "localhost", true, true},
	} {
		if got := inScope(c.cookie, c.host, protocol.CookiesOfSite); got != c.site {
			t.Errorf("%s in the site of %s: %t", c.cookie, c.host, got)
		}
		if got := inScope(c.cookie, c.host, protocol.CookiesOfHost); got != c.sent {
			t.Errorf("%s for %s: %t", c.cookie, c.host, got)
		}
		if !inScope(c.cookie, c.host, protocol.CookiesOfAll) {
			t.Errorf("%s is in no profile", c.cookie)
		}
	}
}
