package policy

import (
	"fmt"
	"net/url"
	"strings"

	"pilotfish/backend/protocol"
)

// Hop decides whether an agent's tab may load a page or frame. asked is the
// address that the user was asked about; for the same host the user is not
// asked again.
func (p *Policy) Hop(a protocol.Actor, raw, asked string) error {
	if err := p.URL(a, raw); err != nil || !Agent(a) {
		return err
	}
	if p.rules.Decide(protocol.ActionOpen, raw).Decision != protocol.SiteAsk {
		return nil
	}
	from, to := siteOf(asked), siteOf(raw)
	if from != nil && to != nil && hostOf(from) == hostOf(to) {
		return nil
	}
	return protocol.NewError(protocol.CodeRefused, fmt.Sprintf("%.200s is refused: the user wants to be asked before this site is opened", raw), "open it with goto, which asks")
}

// Resource decides whether a page in an agent's tab may load a resource. It
// refuses only the networks that an agent must not reach through the browser.
func (p *Policy) Resource(a protocol.Actor, raw string) error {
	u, err := url.Parse(raw)
	if err != nil {
		return refuse(raw, "not an address")
	}
	switch strings.ToLower(u.Scheme) {
	case "http", "https", "ws", "wss":
		return p.host(raw, u)
	case "file":
		if Agent(a) {
			return refuse(raw, "a file of this machine")
		}
	}
	return nil
}

// Patterns returns the addresses that have to be checked with Resource, as
// wildcard patterns of the browser; other requests of a page need not wait for
// us. The patterns match every address that Resource refuses, and a few that it
// allows.
func (p *Policy) Patterns() []string {
	patterns := []string{
		"file:*", "*://[*", "*://metadata*", "*://instance-data*",
		"*://10.*", "*://192.168.*", "*://169.254.*", "*://168.63.129.16*", "*://192.0.0.*",
		"*://198.18.*", "*://198.19.*",
	}
	for _, wide := range []string{"172.1?.*", "172.2?.*", "172.3?.*", "100.6?.*", "100.7?.*", "100.8?.*", "100.9?.*", "100.1??.*", "22?.*", "23?.*", "24?.*", "25?.*"} {
		patterns = append(patterns, "*://"+wide)
	}
	if p.config.OwnPort != nil {
		if port := p.config.OwnPort(); port != 0 {
			patterns = append(patterns, fmt.Sprintf("*://*:%d/*", port))
		}
	}
	return patterns
}
