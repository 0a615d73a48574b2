package policy

import (
	"fmt"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"pilotfish/backend/protocol"
)

// pattern is the parsed site of a rule.
type pattern struct {
	any    bool
	below  bool // the host and all its subdomains
	scheme string
	host   string
	port   string
}

// parsePattern parses the site of a rule: "*", a host, "*.host" or an origin.
func parsePattern(site string) (pattern, error) {
	bad := func() (pattern, error) {
		return pattern{}, protocol.NewError(protocol.CodeBadArgument, fmt.Sprintf("%.100q is not a site", site),
			"use example.com, *.example.com, https://example.com:8443 or * for every page")
	}
	if site == "*" {
		return pattern{any: true}, nil
	}
	if site == "" || len(site) > maxSitePattern {
		return bad()
	}
	if strings.Contains(site, "://") {
		u, err := url.Parse(site)
		if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.User != nil || strings.Trim(u.Path, "/") != "" || u.RawQuery != "" || u.Fragment != "" {
			return bad()
		}
		host := hostOf(u)
		if !validHost(host) {
			return bad()
		}
		return pattern{scheme: u.Scheme, host: host, port: strconv.Itoa(portOf(u))}, nil
	}
	name, below := strings.CutPrefix(site, "*.")
	host := normalHost(name)
	if !validHost(host) {
		return bad()
	}
	if _, isIP := address(host); isIP && below {
		return bad()
	}
	return pattern{host: host, below: below}, nil
}

// String returns the one form in which a pattern is stored.
func (p pattern) String() string {
	switch {
	case p.any:
		return "*"
	case p.scheme != "":
		host := p.host
		if strings.Contains(host, ":") {
			host = "[" + host + "]"
		}
		if (p.scheme == "http" && p.port == "80") || (p.scheme == "https" && p.port == "443") {
			return p.scheme + "://" + host
		}
		return p.scheme + "://" + host + ":" + p.port
	case p.below:
		return "*." + p.host
	}
	return p.host
}

// matches reports whether a page is on the pattern's site. u is nil for a page
// without a site, which only "*" matches.
func (p pattern) matches(u *url.URL) bool {
	if p.any {
		return true
	}
	if u == nil {
		return false
	}
	host := hostOf(u)
	switch {
	case p.scheme != "":
		return u.Scheme == p.scheme && host == p.host && strconv.Itoa(portOf(u)) == p.port
	case p.below:
		return host == p.host || strings.HasSuffix(host, "."+p.host)
	}
	return host == p.host
}

// closeness orders patterns that match one page: the larger, more specific one
// wins.
func (p pattern) closeness() int {
	switch {
	case p.any:
		return 0
	case p.below:
		return 1 + len(p.host) // below 1000: a host has at most 253 characters
	case p.scheme == "":
		return 1000
	}
	return 1001
}

// siteOf parses a page's address; nil when it has no site.
func siteOf(raw string) *url.URL {
	u, err := url.Parse(raw)
	if err != nil || (u.Scheme != "http" && u.Scheme != "https") || u.Hostname() == "" {
		return nil
	}
	return u
}

// hostOf returns a host in one form: lower case, without a trailing dot, an IP
// address as its numbers.
func hostOf(u *url.URL) string { return normalHost(u.Hostname()) }

func normalHost(host string) string {
	host = strings.TrimSuffix(strings.ToLower(host), ".")
	if ip, ok := address(host); ok {
		return ip.String()
	}
	return host
}

// validHost rejects hosts that could make a pattern mean more than it seems to.
func validHost(host string) bool {
	if host == "" || len(host) > 253 {
		return false
	}
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	for _, label := range strings.Split(host, ".") {
		if label == "" || len(label) > 63 {
			return false
		}
		for _, r := range label {
			if (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '-' && r != '_' {
				return false
			}
		}
	}
	return true
}

// Origin returns the part of an address by which the user judges a page; empty
// when it is not an address.
func Origin(raw string) string {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Scheme == "":
		return ""
	case u.Host == "":
		return u.Scheme + ":"
	}
	return u.Scheme + "://" + u.Host // punycode is not decoded, so that a host cannot look like another one
}

// PatternOrigin returns the one origin whose addresses a pattern can match, in
// which * stands for any text. one is false when it can match addresses of other
// origins, too: the text before the first * must contain the whole origin.
func PatternOrigin(text string) (origin string, one bool) {
	fixed, _, _ := strings.Cut(text, "*")
	scheme, rest, ok := strings.Cut(fixed, "://")
	authority, _, whole := strings.Cut(rest, "/")
	if !ok || !whole || (scheme != "http" && scheme != "https") {
		return "", false
	}
	u, err := url.Parse(scheme + "://" + authority)
	if err != nil || u.User != nil || u.Host != authority || !validHost(hostOf(u)) {
		return "", false
	}
	return Origin(u.String()), true
}
