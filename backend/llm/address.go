package llm

import (
	"net/netip"
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// parseBase checks the address of a provider that a user entered. A key is sent
// to it, so it must be encrypted, unless it is on this machine or in the local
// network.
func parseBase(raw string) (*url.URL, error) {
	bad := func(why, hint string) (*url.URL, error) {
		return nil, protocol.NewError(protocol.CodeBadArgument, "The address of the model "+why, hint)
	}
	u, err := url.Parse(strings.TrimSpace(raw))
	if err != nil || u.Host == "" {
		return bad("cannot be read", "write it like https://example.com/v1")
	}
	if u.User != nil {
		return bad("has a name or password in it", "put the key into the field for it")
	}
	if u.Fragment != "" {
		return bad("has a # in it", "leave that part out")
	}
	host := strings.ToLower(u.Hostname())
	ip, ipErr := netip.ParseAddr(host)
	if ipErr == nil && (ip.IsLinkLocalUnicast() || ip.IsUnspecified() || ip.IsMulticast()) {
		return bad("cannot be the address of a model", "use the address of the server")
	}
	near := host == "localhost" || strings.HasSuffix(host, ".localhost") || strings.HasSuffix(host, ".local") ||
		ipErr == nil && (ip.IsLoopback() || ip.IsPrivate())
	switch {
	case u.Scheme == "https":
	case u.Scheme == "http" && near:
	case u.Scheme == "http":
		return bad("is not encrypted", "use https: the key would be readable on the way")
	default:
		return bad("is neither http nor https", "write it like https://example.com/v1")
	}
	u.Path = strings.TrimRight(u.Path, "/")
	return u, nil
}

// below returns the address of a route of the provider. The query (Azure's
// api-version) is kept.
func below(base *url.URL, path string) string {
	u := *base
	u.Path = strings.TrimRight(u.Path, "/") + path
	return u.String()
}
