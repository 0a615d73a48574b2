package sitedata

import (
	"fmt"
	"net"
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
