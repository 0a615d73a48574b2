package sitedata

import (
	"fmt"
	"net"
	"net/url"
	"strings"

	"golang.org/x/net/publicsuffix"

	"pilotfish/backend/protocol"
)

// oneSite refuses a domain that stands for many sites: a public suffix, such as
// com, co.uk or github.io. It accepts an empty domain.
func oneSite(domain string) error {
	name := strings.ToLower(strings.Trim(domain, "."))
	if domain == "" || name != "" && !isPublicSuffix(name) {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.80q is no site but what the names of many sites end with", domain), "name the site's own domain, such as example.com")
}

// isPublicSuffix reports whether unrelated sites have names below a domain. A
// single label that is not in the list, such as localhost, is a host in a private
// network.
func isPublicSuffix(domain string) bool {
	if net.ParseIP(domain) != nil {
		return false
	}
	// For kawasaki.jp, the list says that each name directly below it is a
	// suffix.
	for _, name := range []string{domain, "any." + domain} {
		suffix, listed := publicsuffix.PublicSuffix(name)
		if suffix == name && (listed || strings.Contains(suffix, ".")) {
			return true
		}
	}
	return false
}

// hostOf returns the host of a page's address; empty when the page belongs to no site.
func hostOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// siteOf returns the domain that all hosts of a host's site share.
func siteOf(host string) string {
	if site, err := publicsuffix.EffectiveTLDPlusOne(host); err == nil && net.ParseIP(host) == nil {
		return site
	}
	return host // an address, a single label such as localhost, or a suffix itself
}
