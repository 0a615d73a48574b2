package sitedata

import (
	"testing"

	"pilotfish/backend/protocol"
)

// A public suffix is not a site; a host in a private network is one.
func TestPublicSuffix(t *testing.T) {
	for domain, want := range map[string]bool{
		"com": true, "co.uk": true, "org": true, "github.io": true, "appspot.com": true, "s3.amazonaws.com": true, "com.au": true, "kawasaki.jp": true, "xn--p1ai": true,
		"example.com": false, "shop.example.com": false, "bbc.co.uk": false, "me.github.io": false, "city.kawasaki.jp": false,
		"localhost": false, "nas": false, "shop.test": false, "127.0.0.1": false, "10.0.0.1": false, "::1": false,
	} {
		if got := isPublicSuffix(domain); got != want {
			t.Errorf("%s: %t", domain, got)
		}
	}
}

func TestOneSite(t *testing.T) {
	for _, domain := range []string{"com", ".com", "co.uk", "COM", "com.", ".", "github.io"} {
		if e := protocol.AsError(oneSite(domain)); e == nil || e.Code != protocol.CodeRefused || e.Hint == "" {
			t.Errorf("%s: %+v", domain, e)
		}
	}
	for _, domain := range []string{"", "example.com", ".example.com", "localhost"} {
		if err := oneSite(domain); err != nil {
			t.Errorf("%s: %v", domain, err)
		}
	}
}
