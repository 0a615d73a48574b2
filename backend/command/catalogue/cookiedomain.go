package catalogue

import (
	"net"
	"net/url"
	"strings"

	"pilotfish/backend/command"
	"pilotfish/backend/protocol"
)

// siteOf returns the host of the call's page.
func siteOf(in *command.Invocation) string {
	u, err := url.Parse(in.Current())
	if err != nil {
		return ""
	}
	return strings.ToLower(u.Hostname())
}

// domainOf returns the domain whose cookies a call is about; empty when it
// names none. An agent may name the host of its page, or a domain above it:
// with a cookie of another site it could act as the user there. The browser
// rejects a domain that is not a site, such as a public suffix.
func domainOf(in *command.Invocation) (string, error) {
	given := in.Args.Text("domain")
	domain := strings.ToLower(strings.Trim(given, "."))
	if given != "" && in.Agent() && !inDomain(siteOf(in), domain) {
		return "", notItsSite()
	}
	if given != "" && domain == "" {
		return given, nil // so that the error shows it as it was written
	}
	return domain, nil
}

func notItsSite() error {
	return protocol.NewError(protocol.CodeRefused, "an agent may use only the cookies of its own page", "open the site in your tab first")
}

// inDomain reports whether a host is a domain, or a subdomain of it.
func inDomain(host, domain string) bool {
	if net.ParseIP(host) != nil || net.ParseIP(domain) != nil {
		return host == domain
	}
	return host == domain || strings.HasSuffix(host, "."+domain)
}
